package ycsb

import (
	"encoding/json"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const draws = 1_000_000

func newWorkload(t *testing.T, options string) *Workload {
	t.Helper()
	var o Options
	require.NoError(t, json.Unmarshal([]byte(options), &o))

	return New(o)
}

// reference returns draws of YCSB's own generators by name.
func reference(t *testing.T) map[string][]string {
	t.Helper()
	raw, err := os.ReadFile("testdata/reference.txt")
	require.NoError(t, err)
	all := map[string][]string{}
	for line := range strings.Lines(string(raw)) {
		if words := strings.Fields(line); words[0] != "#" {
			all[words[0]] = words[1:]
		}
	}

	return all
}

func count(n int, draw func() int64) []float64 {
	counts := make([]float64, n)
	for range draws {
		counts[draw()]++
	}

	return counts
}

func requireUnsurprising(t *testing.T, chiSquare, freedom float64) {
	t.Helper()
	require.InDelta(t, freedom, chiSquare, 4*math.Sqrt(2*freedom), "chi-square")
}

// Records returns the number of loaded and inserted records.
func (w *Workload) Records() int64 { return w.inserts.last.Load() + 1 }

const of200 = `"recordCount": 200, "mix": {"read": 1}, "requestDistribution": `

func TestDrawsAgreeWithYCSB(t *testing.T) {
	t.Parallel()
	all := reference(t)
	for name, options := range map[string]string{
		"uniform":         `{` + of200 + `"uniform"}`,
		"zipfian":         `{` + of200 + `"zipfian"}`,
		"zipfian-inserts": `{"recordCount": 200, "workload": "e"}`,
		"latest":          `{` + of200 + `"latest"}`,
		"latest-grown":    `{` + of200 + `"latest"}`,
		"zipfian-ranks":   `{}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorkload(t, options)
			c := w.Client(0)
			draw := c.record
			switch name {
			case "latest-grown":
				for range 200 {
					w.inserts.acknowledge(w.inserts.claim(), true)
					c.record()
				}
			case "zipfian-ranks":
				z := newZipfian(200, 0)
				draw = func() int64 { return z.draw(&c.random, 200) }
			}
			ours := count(len(all[name]), draw)
			chiSquare, freedom := 0.0, -1.0
			for i, text := range all[name] {
				theirs, err := strconv.ParseFloat(text, 64)
				require.NoError(t, err)
				if sum := ours[i] + theirs; sum > 0 {
					chiSquare += (ours[i] - theirs) * (ours[i] - theirs) / sum
					freedom++
				}
			}
			requireUnsurprising(t, chiSquare, freedom)
		})
	}
}

func shares(z *zipfian, ranks int64) []float64 {
	t := z.terms.Load()
	all := make([]float64, ranks)
	all[0], all[1] = 1/t.zeta, (second-1)/t.zeta
	before := second / t.zeta
	for rank := int64(2); rank < ranks; rank++ {
		u := (math.Pow(float64(rank+1)/float64(z.items), 1-theta) - 1 + t.eta) / t.eta
		all[rank], before = u-before, u
	}

	return all
}

func TestDrawsFollowTheExactDistribution(t *testing.T) {
	t.Parallel()
	const records = 200
	exact := map[string]func(w *Workload, p []float64){
		"uniform": func(_ *Workload, p []float64) {
			for i := range p {
				p[i] = 1
			}
		},
		"zipfian": func(w *Workload, p []float64) {
			const ranks = 1_000_000 // the hashes of higher ranks are almost uniform
			rest := 1.0
			for rank, share := range shares(w.keys, ranks) {
				rest -= share
				if at := fnvHash64(int64(rank)) % w.span; at < records {
					p[at] += share
				}
			}
			for i := range p {
				p[i] += rest / float64(w.span)
			}
		},
		"latest": func(w *Workload, p []float64) {
			for rank, share := range shares(w.keys, records-1) {
				p[records-1-rank] = share
			}
		},
	}
	for name, of := range exact {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorkload(t, `{`+of200+`"`+name+`"}`)
			p := make([]float64, records)
			of(w, p)
			total := 0.0
			for _, share := range p {
				total += share
			}
			chiSquare, freedom := 0.0, -1.0
			for i, drawn := range count(records, w.Client(0).record) {
				if p[i] == 0 {
					require.Zero(t, drawn)

					continue
				}
				expected := draws * p[i] / total
				chiSquare += (drawn - expected) * (drawn - expected) / expected
				freedom++
			}
			requireUnsurprising(t, chiSquare, freedom)
		})
	}
}

func TestKeysMatchYCSB(t *testing.T) {
	t.Parallel()
	for _, pair := range reference(t)["fnvhash64"] {
		number, hash, _ := strings.Cut(pair, "=")
		n, err := strconv.ParseInt(number, 10, 64)
		require.NoError(t, err)
		require.Equal(t, hash, strconv.FormatInt(fnvHash64(n), 10), number)
		hashed := newWorkload(t, `{}`)
		require.Equal(t, "user"+hash, string(hashed.AppendKey(nil, n)))
	}
	require.Equal(t, "user42", string(newWorkload(t, `{"insertOrder": "ordered"}`).AppendKey(nil, 42)))
}

func TestSeedsMakeExactCounts(t *testing.T) {
	t.Parallel()
	for _, want := range []struct {
		options string
		client  int
		ops     [NumOps]int // counts in 10,000 operations
		top     int64
		tops    int
		lengths int
	}{
		{options: `{"workload": "a"}`, ops: [NumOps]int{4947, 5053, 0, 0, 0}, top: 144, tops: 367},
		{options: `{"workload": "a", "recordCount": 200, "fieldCount": 3, "dataIntegrity": true}`, ops: [NumOps]int{5042, 4958}, top: 57, tops: 409},
		{options: `{"workload": "a", "seed": 2}`, ops: [NumOps]int{4907, 5093, 0, 0, 0}, top: 144, tops: 408},
		{options: `{"workload": "a"}`, client: 7, ops: [NumOps]int{4927, 5073, 0, 0, 0}, top: 144, tops: 362},
		{options: `{"workload": "b"}`, ops: [NumOps]int{9472, 528, 0, 0, 0}, top: 144, tops: 340},
		{options: `{"workload": "c"}`, ops: [NumOps]int{10000, 0, 0, 0, 0}, top: 144, tops: 366},
		{options: `{"workload": "d"}`, ops: [NumOps]int{9522, 0, 478, 0, 0}, top: 1088, tops: 34},
		{options: `{"workload": "e"}`, ops: [NumOps]int{0, 0, 490, 9510, 0}, top: 903, tops: 386, lengths: 483207},
		{options: `{"workload": "f"}`, ops: [NumOps]int{4947, 0, 0, 0, 5053}, top: 144, tops: 367},
	} {
		w := newWorkload(t, want.options)
		c := w.Client(want.client)
		got, counts := want, map[int64]int{}
		got.ops, got.tops, got.lengths = [NumOps]int{}, 0, 0
		for range 10_000 {
			o := c.Next()
			got.ops[o.Op]++
			got.lengths += o.Length
			counts[o.Record]++
			c.Inserted(true)
		}
		for record, n := range counts {
			if n > got.tops || n == got.tops && record < got.top {
				got.top, got.tops = record, n
			}
		}
		require.Equal(t, want, got)
	}
}

func TestOperationsAreWhole(t *testing.T) {
	t.Parallel()
	w := newWorkload(t, `{"mix": {"read": 1, "update": 1, "insert": 1, "scan": 1, "readModifyWrite": 1}, "readAllFields": false, "fieldCount": 3,
		"fieldLength": 20, "minScanLength": 4, "maxScanLength": 6, "recordCount": 50}`)
	c := w.Client(0)
	lengths := map[int]int{}
	for range 5000 {
		o := c.Next()
		require.Equal(t, string(w.AppendKey(nil, o.Record)), string(o.Key))
		require.Equal(t, o.Op == Scan, o.Length > 0)
		require.Equal(t, o.Op == Read || o.Op == Scan || o.Op == ReadModifyWrite, o.Field != AllFields)
		require.Len(t, o.Write, map[Op]int{Update: 1, ReadModifyWrite: 1, Insert: 3}[o.Op])
		for _, field := range o.Write {
			require.Len(t, field.Value, 20)
		}
		if o.Op == Insert {
			require.Equal(t, w.Records(), o.Record)
		}
		c.Inserted(true)
		lengths[o.Length]++
	}
	require.Len(t, lengths, 4, "0, 4, 5, 6")
}

func TestInsertsAreReadInTheirOrder(t *testing.T) {
	t.Parallel()
	w := newWorkload(t, `{"recordCount": 10, "mix": {"insert": 1}}`)
	a, b, c := w.Client(0), w.Client(1), w.Client(2)
	for i, client := range []*Client{a, b, c} {
		require.EqualValues(t, 10+i, client.Next().Record)
	}
	b.Inserted(true)
	require.EqualValues(t, 10, w.Records())
	require.False(t, w.inserts.readable(11))
	a.Inserted(false)
	a.Inserted(true)
	require.EqualValues(t, 12, w.Records())
	require.False(t, w.inserts.readable(10), "its insert has failed")
	require.True(t, w.inserts.readable(11))
	require.EqualValues(t, 13, c.Next().Record, "an insert that nobody has ended has failed")
	require.EqualValues(t, 13, w.Records())
	require.False(t, w.inserts.readable(12))
	require.Empty(t, w.inserts.ended)
}
