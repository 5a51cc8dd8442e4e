package rows

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/xk6-sweep/xk6-sweep/extensions/nats/kvlayout"
)

// Options are options of a Run.
type Options struct {
	// Database holds only the row's records. Default: "default".
	Database string
	// Tables and Keys (per table) of the rows that list. Defaults: 100 and 1,000.
	Tables, Keys int
	// Replicas of the buckets. Default: 1.
	Replicas int
}

// Run is a row over one connection, for one client at a time. Several clients, each with a Run and
// a connection, may share the database that one of them has filled.
type Run struct {
	row                  Row
	store                *kvlayout.Store
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
func (row Row) Open(ctx context.Context, js jetstream.JetStream, options Options) (*Run, error) {
	if options.Tables < 0 || options.Keys < 0 {
		return nil, fmt.Errorf("tables and keys are %d and %d: they must be at least 1, or 0 for 100 and 1000", options.Tables, options.Keys)
	}
	store, err := kvlayout.Open(ctx, js, kvlayout.Options{Layout: row.Layout, Database: options.Database, Replicas: options.Replicas})
	if err != nil {
		return nil, err
	}
	run := &Run{row: row, store: store, conn: js.Conn(), tables: options.Tables, keys: options.Keys}
	if run.tables == 0 {
		run.tables = 100
	}
	if run.keys == 0 {
		run.keys = 1000
	}
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
		return r.store.Put(ctx, kvlayout.Record{Key: r.row.Key, Value: r.oneValue()})
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
			record := kvlayout.Record{Table: tableName(tableOf(table, key)), Key: r.key(uint64(key)), Value: r.value(uint64(key))}
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

	return r.store.Put(ctx, kvlayout.Record{Key: key, Value: value})
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
	keys, err := r.store.List(ctx, kvlayout.ListOptions{Table: table, Limit: r.row.Limit, Offset: r.row.Offset})
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
