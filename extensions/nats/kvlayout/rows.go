package kvlayout

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Loop is the work of one iteration of a row.
type Loop string

// The loops.
const (
	Put       Loop = "put"        // writes a record with a new key
	PutGet    Loop = "put+get"    // writes a record with a new key, then reads it
	Get       Loop = "get"        // reads the same record each time
	PutDelete Loop = "put+delete" // writes a record with a new key, then deletes it
	ListTable Loop = "list table" // lists the keys of a random table
	ListAll   Loop = "list all"   // lists the keys of the database
)

// Fill is the content of the database before the first iteration.
type Fill string

// The fills.
const (
	Nothing   Fill = "nothing"
	OneRecord Fill = "one record"
	// Tables: 100 tables table-<t> with the same 1,000 keys key-<i>.
	Tables Fill = "tables"
	// TableOfEachKey: 1,000 records key-<i> in table-<i>, written 100 times each.
	TableOfEachKey Fill = "a table of each key"
)

// Row is one row of the published benchmark of the key-value stores of go-orb and go-micro
// (github.com/go-orb/plugins, kvstore/natsjs_micro_tests).
//
// Two of the published comparisons are unfair. OrbList lists one table of 1,000 keys, but MicroList
// all 100,000 keys of the database. MicroListPagination pages through 1,000 keys that were written
// 100 times each. LikeForLike returns two fair rows.
//
// The authors used one goroutine and one connection, with a new server for each row in the same
// process, streams in files, and messages of up to 8 MiB. Their bytes and allocations include the
// server's.
type Row struct {
	// Name is the name of the Go benchmark, without Benchmark.
	Name string `json:"name"`
	// Pair names the two rows that belong together.
	Pair   string `json:"pair"`
	Layout Layout `json:"layout"`
	Loop   Loop   `json:"loop"`
	Fill   Fill   `json:"fill"`
	// Key is the key of loop Get and fill OneRecord, and the prefix of all other keys.
	Key string `json:"-"`
	// Large values have 1 MiB; byte i is i modulo 256. Other values are value-<i>, and test-value
	// in the fill OneRecord.
	Large bool `json:"large"`
	// Limit and Offset of a list; both 0: all keys.
	Limit  uint32 `json:"limit"`
	Offset uint32 `json:"offset"`
	// Published is the authors' result; nil for the rows of LikeForLike.
	Published *Published `json:"published"`
}

// Published is a result in Go's benchmark format.
type Published struct {
	Iterations int `json:"iterations"`
	// Figures per operation.
	Nanoseconds int `json:"nanoseconds"`
	Bytes       int `json:"bytes"`
	Allocations int `json:"allocations"`
}

// Rows returns the 18 published rows, in order.
func Rows() []Row {
	return []Row{
		{"OrbSet", "Set", Orb, Put, Nothing, "key-", false, 0, 0, &Published{26001, 46239, 2786, 56}},
		{"MicroWrite", "Set", Micro, Put, Nothing, "key-", false, 0, 0, &Published{25856, 45857, 2900, 57}},
		{"OrbSetGet", "SetGet", Orb, PutGet, Nothing, "key-", false, 0, 0, &Published{12591, 93330, 7084, 130}},
		{"MicroWriteRead", "SetGet", Micro, PutGet, Nothing, "key-", false, 0, 0, &Published{12084, 96749, 8358, 140}},
		{"OrbGet", "Get", Orb, Get, OneRecord, "test-key", false, 0, 0, &Published{28144, 42355, 3721, 68}},
		{"MicroRead", "Get", Micro, Get, OneRecord, "test-key", false, 0, 0, &Published{26840, 44827, 4310, 76}},
		{"OrbList", "List", Orb, ListTable, Tables, "key-", false, 0, 0, &Published{410, 2620050, 2418802, 27796}},
		{"MicroList", "List", Micro, ListAll, Tables, "key-", false, 0, 0, &Published{6, 194777617, 231174128, 2910016}},
		{"OrbListPagination", "ListPagination", Orb, ListTable, Tables, "key-", false, 100, 100, &Published{421, 2460378, 2344519, 25997}},
		{"MicroListPagination", "ListPagination", Micro, ListAll, TableOfEachKey, "key-", false, 100, 100,
			&Published{482, 2471308, 2371703, 28785}},
		{"OrbSetLarge", "SetLarge", Orb, Put, Nothing, "large-key-", true, 0, 0, &Published{1200, 919767, 2113711, 67}},
		{"MicroWriteLarge", "SetLarge", Micro, Put, Nothing, "large-key-", true, 0, 0, &Published{530, 2139809, 5312348, 76}},
		{"OrbGetLarge", "GetLarge", Orb, Get, OneRecord, "large-test-key", true, 0, 0, &Published{2284, 487448, 3190474, 81}},
		{"MicroReadLarge", "GetLarge", Micro, Get, OneRecord, "large-test-key", true, 0, 0, &Published{183, 6572089, 5315176, 96}},
		{"OrbSetGetLarge", "SetGetLarge", Orb, PutGet, Nothing, "large-key-", true, 0, 0, &Published{750, 1444972, 6979392, 149}},
		{"MicroWriteReadLarge", "SetGetLarge", Micro, PutGet, Nothing, "large-key-", true, 0, 0, &Published{134, 8717133, 12316065, 175}},
		{"OrbDeleteLarge", "DeleteLarge", Orb, PutDelete, Nothing, "large-key-", true, 0, 0, &Published{939, 1168799, 4837791, 132}},
		{"MicroDeleteLarge", "DeleteLarge", Micro, PutDelete, Nothing, "large-key-", true, 0, 0, &Published{453, 2387964, 8422971, 122}},
	}
}

// LikeForLike returns the fair counterparts of OrbList and OrbListPagination: go-micro's list of
// one table out of the same 100.
func LikeForLike() []Row {
	return []Row{
		{"MicroListTable", "List", Micro, ListTable, Tables, "key-", false, 0, 0, nil},
		{"MicroListPaginationTable", "ListPagination", Micro, ListTable, Tables, "key-", false, 100, 100, nil},
	}
}

// Compatible returns rows of go-orb in its compatible mode, without published results. There all
// tables of a database share their keys.
func Compatible() []Row {
	var all []Row
	for _, row := range Rows() {
		if row.Layout == Orb {
			row.Name, row.Layout, row.Published = "OrbCompat"+strings.TrimPrefix(row.Name, "Orb"), OrbCompat, nil
			all = append(all, row)
		}
	}

	return all
}

// RunOptions are options of a Run.
type RunOptions struct {
	// Database holds only the row's records. Default: "default".
	Database string `json:"database"`
	// Tables and Keys (per table) of the rows that list. Defaults: 100 and 1,000.
	Tables int `json:"tables"`
	Keys   int `json:"keys"`
	// Replicas of the buckets. Default: 1.
	Replicas int `json:"replicas"`
}

// Run is a row over one connection, for one client at a time. Several clients, each with a Run and
// a connection, may share the database that one of them has filled.
type Run struct {
	row                  Row
	store                *Store
	conn                 *nats.Conn
	tables, keys, listed int
	large                []byte
	small                []byte
	work                 Work
}

// Work counts what an iteration has transferred.
type Work struct {
	// Keys that a list returned.
	Keys int
	// Written and Read are bytes of values.
	Written, Read int
	// Sent and Received are bytes of all messages on the connection: headers and data.
	Sent, Received uint64
}

// Open returns a Run over the connection of js.
func (row Row) Open(ctx context.Context, js jetstream.JetStream, options RunOptions) (*Run, error) {
	if options.Tables < 0 || options.Keys < 0 {
		return nil, fmt.Errorf("tables and keys are %d and %d: they must be at least 1, or 0 for 100 and 1000", options.Tables, options.Keys)
	}
	store, err := Open(ctx, js, Options{Layout: row.Layout, Database: options.Database, Replicas: options.Replicas})
	if err != nil {
		return nil, err
	}
	run := &Run{row: row, store: store, conn: js.Conn(), tables: cmp.Or(options.Tables, 100), keys: cmp.Or(options.Keys, 1000)}
	run.listed = run.expected()
	if row.Large {
		run.large = largeValue()
	}

	return run, nil
}

func (r *Run) expected() int {
	listed := r.keys
	if r.row.Loop == ListAll && r.row.Fill == Tables {
		listed *= r.tables
	}
	listed = max(0, listed-int(r.row.Offset))
	if r.row.Limit > 0 {
		listed = min(listed, int(r.row.Limit))
	}

	return listed
}

// Drop deletes the row's database.
func (r *Run) Drop(ctx context.Context) error { return r.store.Drop(ctx) }

// Fill writes the content that the row needs before its first iteration.
func (r *Run) Fill(ctx context.Context) error {
	switch r.row.Fill {
	case OneRecord:
		return r.store.Put(ctx, Record{Key: r.row.Key, Value: r.oneValue()})
	case Tables:
		return r.fill(ctx, func(table, _ int) int { return table })
	case TableOfEachKey:
		return r.fill(ctx, func(_, key int) int { return key })
	case Nothing:
	}

	return nil
}

func (r *Run) fill(ctx context.Context, tableOf func(table, key int) int) error {
	for table := range r.tables {
		for key := range r.keys {
			record := Record{Table: tableName(tableOf(table, key)), Key: r.key(uint64(key)), Value: r.value(uint64(key))}
			if err := r.store.Put(ctx, record); err != nil {
				return err
			}
		}
	}

	return nil
}

// Do runs iteration i. Clients that share a database must use different numbers, which are part of
// the keys. Do checks what it reads: a small value, the length of a large one, or the number of
// keys.
func (r *Run) Do(ctx context.Context, i uint64) (Work, error) {
	r.work = Work{}
	before := r.conn.Stats()
	err := r.iteration(ctx, i)
	after := r.conn.Stats()
	r.work.Sent, r.work.Received = after.OutBytes-before.OutBytes, after.InBytes-before.InBytes

	return r.work, err
}

func (r *Run) iteration(ctx context.Context, i uint64) error {
	switch r.row.Loop {
	case Put:
		return r.put(ctx, r.key(i), i)
	case PutGet:
		key := r.key(i)
		if err := r.put(ctx, key, i); err != nil {
			return err
		}

		return r.get(ctx, key, r.value(i))
	case Get:
		return r.get(ctx, r.row.Key, r.oneValue())
	case PutDelete:
		key := r.key(i)
		if err := r.put(ctx, key, i); err != nil {
			return err
		}

		return r.store.Delete(ctx, "", key)
	case ListTable:
		return r.list(ctx, tableName(rand.IntN(r.tables)))
	case ListAll:
		return r.list(ctx, "")
	}

	return fmt.Errorf("row %s: there is no loop %q", r.row.Name, r.row.Loop)
}

func (r *Run) put(ctx context.Context, key string, i uint64) error {
	value := r.value(i)
	r.work.Written += len(value)

	return r.store.Put(ctx, Record{Key: key, Value: value})
}

func (r *Run) get(ctx context.Context, key string, want []byte) error {
	record, err := r.store.Get(ctx, "", key)
	if err != nil {
		return err
	}
	r.work.Read += len(record.Value)
	if len(record.Value) != len(want) || !r.row.Large && !bytes.Equal(record.Value, want) {
		return fmt.Errorf("row %s: key %q has a value of %d bytes that was not written", r.row.Name, key, len(record.Value))
	}

	return nil
}

func (r *Run) list(ctx context.Context, table string) error {
	keys, err := r.store.List(ctx, ListOptions{Table: table, Limit: r.row.Limit, Offset: r.row.Offset})
	if err == nil && len(keys) != r.listed {
		err = fmt.Errorf("row %s: a list of %d keys, it should be %d: is the database filled?", r.row.Name, len(keys), r.listed)
	}

	r.work.Keys = len(keys)

	return err
}

func (r *Run) key(i uint64) string { return r.row.Key + strconv.FormatUint(i, 10) }

// value is valid until the next call.
func (r *Run) value(i uint64) []byte {
	if r.row.Large {
		return r.large
	}
	r.small = strconv.AppendUint(append(r.small[:0], "value-"...), i, 10)

	return r.small
}

// oneValue is valid until the next call.
func (r *Run) oneValue() []byte {
	if r.row.Large {
		return r.large
	}
	r.small = append(r.small[:0], "test-value"...)

	return r.small
}

func tableName(table int) string { return "table-" + strconv.Itoa(table) }

// All clients share largeValue; do not change it.
var largeValue = sync.OnceValue(func() []byte { //nolint:gochecknoglobals // a constant
	value := make([]byte, 1<<20)
	for i := range value {
		value[i] = byte(i)
	}

	return value
})
