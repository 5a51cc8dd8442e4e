package ycsb

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

type table struct {
	mu       sync.Mutex
	rows     map[string]map[int][]byte
	fault    error
	scans    bool
	returned func(keys []string) []string
}

func (s *table) Prepare(o *Options) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scans = o.Mix.Scan > 0

	return nil
}

func (s *table) Read(key []byte, field int, got func(int, []byte)) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	row := s.rows[string(key)]
	for i, value := range row {
		if field == AllFields || field == i {
			got(i, value)
		}
	}

	return row != nil, s.fault
}

func (s *table) Update(key []byte, fields []Field) error { return s.Insert(key, fields) }

func (s *table) Insert(key []byte, fields []Field) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rows == nil {
		s.rows = map[string]map[int][]byte{}
	}
	if s.rows[string(key)] == nil {
		s.rows[string(key)] = map[int][]byte{}
	}
	for _, field := range fields {
		s.rows[string(key)][field.Index] = bytes.Clone(field.Value)
	}

	return s.fault
}

func (s *table) Scan(from []byte, records, field int, record func([]byte), got func(int, []byte)) error {
	s.mu.Lock()
	var keys []string
	for key := range s.rows {
		if key >= string(from) {
			keys = append(keys, key)
		}
	}
	s.mu.Unlock()
	slices.Sort(keys)
	keys = keys[:min(len(keys), records)]
	if s.returned != nil {
		keys = s.returned(keys)
	}
	for _, key := range keys {
		record([]byte(key))
		if _, err := s.Read([]byte(key), field, got); err != nil {
			return err
		}
	}

	return s.fault
}

type observed struct {
	oks, fails map[string]int
	reasons    []error
	parts      int
	least      time.Duration
	read       time.Duration
}

func newObserved() *observed { return &observed{oks: map[string]int{}, fails: map[string]int{}} }

func (o *observed) Next(ctx context.Context, _ int) error { return context.Cause(ctx) }

func (o *observed) Ok(op Op, took time.Duration) {
	o.oks[op.String()]++
	if op == ReadModifyWrite {
		o.least = min(o.least, took-o.read)
	}
}

func (o *observed) Fail(op Op, reason error, _ time.Duration) {
	o.fails[op.String()]++
	o.reasons = append(o.reasons, reason)
}

func (o *observed) Parts(read, update time.Duration) {
	o.parts++
	o.read = read + update
}

func loaded(t *testing.T, options string, store Store) *Client {
	t.Helper()
	w := newWorkload(t, options)
	c := w.Client(0)
	require.NoError(t, c.On(store))
	o, load := newObserved(), w.NewLoad()
	result, err := c.RunLoad(t.Context(), o, load, 7)
	require.NoError(t, err)
	require.EqualValues(t, 7, result.Succeeded)
	require.EqualValues(t, w.options.RecordCount-7, load.Left())
	_, err = c.RunLoad(t.Context(), o, load, 0)
	require.NoError(t, err)
	require.Zero(t, load.Left())
	require.Equal(t, map[string]int{"INSERT": int(w.options.RecordCount)}, o.oks)

	return c
}

func TestWorkloadsRun(t *testing.T) {
	t.Parallel()
	for _, want := range []struct {
		workload string
		ops      []string
	}{
		{"a", []string{"READ", "UPDATE"}},
		{"b", []string{"READ", "UPDATE"}},
		{"c", []string{"READ"}},
		{"d", []string{"INSERT", "READ"}},
		{"e", []string{"INSERT", "SCAN"}},
		{"f", []string{"READ", "READ-MODIFY-WRITE"}},
	} {
		t.Run(want.workload, func(t *testing.T) {
			t.Parallel()
			store := &table{}
			c := loaded(t, `{"recordCount": 100, "dataIntegrity": true, "workload": "`+want.workload+`"}`, store)
			require.Equal(t, want.workload == "e", store.scans)
			o := newObserved()
			result, err := c.Run(t.Context(), o, 1000)
			require.NoError(t, err)
			require.EqualValues(t, 1000, result.Succeeded)
			require.Empty(t, o.reasons)
			require.ElementsMatch(t, want.ops, slices.Collect(keys(o.oks)))
			require.Equal(t, o.oks["READ-MODIFY-WRITE"], o.parts)
			require.GreaterOrEqual(t, o.least, time.Duration(0), "the whole is its parts, and no less")
			require.Len(t, store.rows, int(c.work.Records()))
			require.Equal(t, 100+o.oks["INSERT"], int(c.work.Records()))
			if want.workload == "c" {
				require.EqualValues(t, 1000*10*100, result.BytesReceived)
			}
			if want.workload == "e" {
				require.Greater(t, result.Records, uint64(o.oks["SCAN"]))
				require.Equal(t, result.BytesReceived, result.Records*1000)
			}
		})
	}
}

func keys(m map[string]int) func(func(string) bool) {
	return func(yield func(string) bool) {
		for key := range m {
			if !yield(key) {
				return
			}
		}
	}
}

// cache keeps values. With cut, a read returns a value cut off at another place each time.
type cache struct {
	values map[string][]byte
	cut    bool
	reads  int
}

func (c *cache) Get(key, buf []byte) (value []byte, hit bool, err error) {
	value, hit = c.values[string(key)]
	if c.reads++; c.cut {
		value = value[:c.reads%len(value)]
	}

	return append(buf, value...), hit, nil
}

func (c *cache) Set(key, value []byte, _ int) error {
	c.values[string(key)] = bytes.Clone(value)

	return nil
}

func TestRunsOnCachesKeepWholeRecords(t *testing.T) {
	t.Parallel()
	cache := &cache{values: map[string][]byte{}}
	c := loaded(t, `{"workload": "f", "recordCount": 50, "writeAllFields": true, "dataIntegrity": true}`, Whole(cache))
	result, err := c.Run(t.Context(), newObserved(), 500)
	require.NoError(t, err)
	require.EqualValues(t, 500, result.Succeeded)
	require.Len(t, cache.values, 50)

	cache.cut = true
	o := newObserved()
	result, err = c.Run(t.Context(), o, 2000)
	require.NoError(t, err)
	require.Zero(t, result.Succeeded, "a value that was cut off anywhere is no record")
	for _, reason := range o.reasons {
		require.ErrorIs(t, reason, ErrIncomplete)
	}
}

func TestStoresRefuseUnsupportedOptions(t *testing.T) {
	t.Parallel()
	store := Whole(&cache{})
	for options, says := range map[string]string{
		`{"workload": "e"}`:                         "option mix.scan: this store cannot read records in the order of their keys",
		`{"workload": "a"}`:                         "option writeAllFields must be true: this store keeps a record as one value",
		`{"workload": "c", "readAllFields": false}`: "option readAllFields must be true: this store keeps a record as one value",
	} {
		require.EqualError(t, newWorkload(t, options).Client(0).On(store), says)
	}
	require.NoError(t, newWorkload(t, `{"workload": "d"}`).Client(0).On(store))
}

func fail(t *testing.T, c *Client, reason error) Result {
	t.Helper()
	o := newObserved()
	result, err := c.Run(t.Context(), o, 200)
	require.NoError(t, err)
	require.Zero(t, result.Succeeded)
	require.Len(t, o.reasons, 200)
	for _, got := range o.reasons {
		require.ErrorIs(t, got, reason)
	}

	return result
}

func TestWrongValuesAreFound(t *testing.T) {
	t.Parallel()
	const reads = `{"mix": {"read": 1, "readModifyWrite": 1}, "recordCount": 20, "dataIntegrity": true}`

	store := &table{}
	c := loaded(t, reads, store)
	for _, row := range store.rows {
		for _, value := range row {
			value[5] ^= 1
		}
	}
	require.EqualValues(t, 200, fail(t, c, ErrWrongValue).Wrong, "an update heals but one field")

	c = loaded(t, `{"workload": "c", "recordCount": 20, "dataIntegrity": true}`, store)
	for _, row := range store.rows {
		delete(row, 3)
		row[11] = []byte("one more")
		row[12] = []byte("two more")
	}
	fail(t, c, ErrIncomplete)
	for _, row := range store.rows {
		delete(row, 11)
	}
	fail(t, c, ErrWrongValue)

	clear(store.rows)
	c = loadedBefore(t, reads, store)
	require.EqualValues(t, 200, fail(t, c, ErrMissing).Missing)
	require.Empty(t, store.rows, "nothing is written to a record that is missing")
	result, err := loadedBefore(t, `{"workload": "c", "allowMisses": true}`, store).Run(t.Context(), newObserved(), 200)
	require.NoError(t, err)
	require.Zero(t, result.Failed)
	require.Positive(t, result.Missing)

	store.fault = io.ErrUnexpectedEOF
	fail(t, loadedBefore(t, `{"workload": "a"}`, store), io.ErrUnexpectedEOF)
}

func loadedBefore(t *testing.T, options string, store Store) *Client {
	t.Helper()
	c := newWorkload(t, options).Client(0)
	require.NoError(t, c.On(store))

	return c
}

func TestScansAreChecked(t *testing.T) {
	t.Parallel()
	const scans = `{"mix": {"scan": 1}, "recordCount": 50, "minScanLength": 3, "maxScanLength": 9, "dataIntegrity": true, "readAllFields": false}`
	store := &table{}
	c := loaded(t, scans, store)
	result, err := c.Run(t.Context(), newObserved(), 200)
	require.NoError(t, err)
	require.EqualValues(t, 200, result.Succeeded)

	store.returned = func([]string) []string { return nil }
	fail(t, c, ErrMissing)
	store.returned = func(keys []string) []string { return slices.Repeat(keys, 10) }
	fail(t, c, ErrTooMany)
	store.returned = func([]string) []string { return []string{"user0"} }
	fail(t, c, ErrUnordered)
	store.returned = func(keys []string) []string {
		store.rows["zebra"] = store.rows[keys[0]]

		return append(keys[:len(keys)-1], "zebra")
	}
	require.EqualValues(t, 200, fail(t, c, ErrWrongValue).Wrong)
}

func TestRunsEnd(t *testing.T) {
	t.Parallel()
	c := loadedBefore(t, `{"mix": {"insert": 1}, "recordCount": 10}`, &table{})
	cut, end := context.WithCancelCause(t.Context())
	end(io.EOF)
	_, err := c.Run(cut, newObserved(), 10)
	require.ErrorIs(t, err, io.EOF)
	load := c.work.NewLoad()
	_, err = c.RunLoad(cut, newObserved(), load, 0)
	require.ErrorIs(t, err, io.EOF)
	require.EqualValues(t, 10, load.Left(), "no record is lost")
	result, err := c.Run(t.Context(), newObserved(), 10)
	require.NoError(t, err)
	require.EqualValues(t, 10, result.Succeeded)
	require.EqualValues(t, 20, c.work.Records())
}

func TestClientsShareAWorkload(t *testing.T) {
	t.Parallel()
	store := &table{}
	w := newWorkload(t, `{"recordCount": 200, "mix": {"insert": 1, "read": 3}, "requestDistribution": "latest", "dataIntegrity": true}`)
	load := w.NewLoad()
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			c := w.Client(i)
			_ = c.On(store)
			_, err := c.RunLoad(t.Context(), newObserved(), load, 0)
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	require.Len(t, store.rows, 200)
	for i := range 4 {
		all.Go(func() {
			c, o := w.Client(i), newObserved()
			_ = c.On(store)
			if result, err := c.Run(t.Context(), o, 1000); err != nil || result.Succeeded != 1000 {
				t.Error(result, err, o.reasons)
			}
		})
	}
	all.Wait()
	require.Len(t, store.rows, int(w.Records()))
}

func TestOptionsAreChecked(t *testing.T) {
	t.Parallel()
	for options, says := range map[string]string{
		`{"workload": "g"}`:                          `option workload must be one of a, b, c, d, e, f, not "g"`,
		`{"records": 5}`:                             `unknown option "records"; known are workload, mix, recordCount,`,
		`{"recordCount": "5"}`:                       "option recordCount must be an integer, not a string",
		`{"recordCount": -1}`:                        "option recordCount must be from 1 to 1000000000, not -1",
		`{"mix": {"delete": 1}}`:                     "unknown option \"mix.delete\"; known are read, update, insert, scan, readModifyWrite",
		`{"mix": {}}`:                                "option mix must give a share to one of read, update, insert, scan, readModifyWrite",
		`{"mix": {"read": -1}}`:                      "option mix: the share of READ must be from 0 to 1e9, not -1",
		`{"requestDistribution": "zipf"}`:            `option requestDistribution must be one of uniform, zipfian, latest, not "zipf"`,
		`{"insertOrder": "random"}`:                  `option insertOrder must be one of hashed, ordered, not "random"`,
		`{"maxScanLength": 5, "minScanLength": 6}`:   "option maxScanLength must be from 6 to 100000, not 5",
		`{"fieldLength": 100000000}`:                 "option fieldLength must be from 1 to 6710886, not 100000000",
		`{"fieldCount": 0}`:                          "option fieldCount must be from 1 to 1000, not 0",
		`{"dataIntegrity": true, "fieldLength": 10}`: "option dataIntegrity needs a fieldLength of at least 11, not 10",
		`{"recordCount": 9, "workload": "d"}`:        "option recordCount must be at least 10 with requestDistribution latest, not 9",
	} {
		var o Options
		err := json.Unmarshal([]byte(options), &o)
		require.ErrorContains(t, err, says, options)
	}
	var e Options
	require.NoError(t, json.Unmarshal([]byte(`{"workload": "E", "recordCount": 5000}`), &e))
	require.EqualValues(t, 100, e.MaxScanLength)
	require.EqualValues(t, 5000, e.OperationCount)
	require.Equal(t, []Op{Insert, Scan}, e.Mix.Ops())
}

func TestFieldsHaveNames(t *testing.T) {
	t.Parallel()
	require.Equal(t, "field12", FieldName(12))
	for name, index := range map[string]int{"field0": 0, "field12": 12, "field": unknown, "field1x": unknown, "other": unknown, "field99999999999": unknown} {
		require.Equal(t, index, FieldIndex([]byte(name)), name)
	}
}
