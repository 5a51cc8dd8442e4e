package resp

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/workload"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/workload/ycsb"
	"github.com/xk6-sweep/xk6-sweep/extensions/resp/wire"
)

type store struct {
	node // in a cluster, only the fields that do not belong to a connection are used

	cluster *cluster
	values  []byte
	batch   batch
	hashes  hashes
}

func (s *store) do(key []byte, job func(*wire.Conn) error) error {
	if s.cluster != nil {
		return s.cluster.do(wire.Slot(key), job)
	}

	return s.node.do(job)
}

// Get implements workload.Store.
func (s *store) Get(key, buf []byte) (value []byte, hit bool, err error) {
	value = buf[:0]
	err = s.do(key, func(conn *wire.Conn) (err error) {
		value, hit, err = conn.Get(key, buf)

		return err
	})
	s.counted("get", err, hit)

	return value, hit, err
}

// Set implements workload.Store.
func (s *store) Set(key, value []byte, ttl int) error {
	return refused(s.command("set", &wire.Request{Verb: wire.Set, Key: key, Value: value, TTL: ttl}))
}

// Delete implements workload.Store.
func (s *store) Delete(key []byte) error {
	return s.command("delete", &wire.Request{Verb: wire.Delete, Key: key})
}

// Touch implements workload.Toucher.
func (s *store) Touch(key []byte, ttl int) error {
	return s.command("touch", &wire.Request{Verb: wire.Touch, Key: key, TTL: ttl})
}

func (s *store) command(operation string, q *wire.Request) error {
	err := s.do(q.Key, func(conn *wire.Conn) error { return conn.Do(q) })
	s.counts.Count(operation, err)

	return err
}

func refused(err error) error {
	if said, is := errors.AsType[*wire.Error](err); is && said.Kind == wire.KindFull {
		return fmt.Errorf("%w: %w", workload.ErrRefused, err)
	}

	return err
}

// CheckCommand implements workload.Commander. It rejects commands that change the connection, or
// the meaning or number of replies.
func (s *store) CheckCommand(words []string, reply string) error {
	stateful := []string{
		"AUTH", "ASKING", "CLIENT", "DISCARD", "EXEC", "HELLO", "MONITOR", "MULTI", "PSUBSCRIBE", "PSYNC", "QUIT", "RESET", "SELECT",
		"SSUBSCRIBE", "SUBSCRIBE", "SYNC", "WATCH",
	}
	switch {
	case slices.Contains(stateful, strings.ToUpper(words[0])):
		return fmt.Errorf("args: %s changes the connection, which only the module does", words[0])
	case reply != "" && !slices.Contains(wire.Types(), reply):
		return fmt.Errorf("reply.type must be %s, not %q", strings.Join(wire.Types(), ", "), reply)
	}

	return nil
}

// GetMulti implements workload.MultiGetter. In a cluster, all keys must have the same slot.
func (s *store) GetMulti(keys [][]byte, got func(i int, value []byte)) error {
	hits := 0
	err := s.do(keys[0], func(conn *wire.Conn) (err error) {
		s.values, err = conn.GetMulti(keys, s.values, func(i int, value []byte) {
			hits++
			got(i, value)
		})

		return err
	})
	misses := len(keys) - hits
	if err != nil {
		hits, misses = 0, 0
	}
	s.counts.Count("getMulti", err, hits, misses)

	return err
}

type batch struct {
	store    *store
	commands []workload.Command
	got      func(i int, value []byte)
	done     [workload.NumOps]struct{ all, hits int }
}

// Pipeline implements workload.Pipeliner.
func (s *store) Pipeline(commands []workload.Command, got func(i int, value []byte)) error {
	b := &s.batch
	*b = batch{store: s, commands: commands, got: got}
	var err error
	if s.cluster != nil {
		s.cluster.pipeline(b)
	} else if err = s.node.do(func(conn *wire.Conn) (err error) {
		s.values, err = conn.Pipeline(len(commands), b, s.values)

		return err
	}); err != nil {
		for i := range commands {
			if !commands[i].Answered {
				b.fail(i, err)
			}
		}
	}
	for op := range b.done {
		switch done := &b.done[op]; {
		case done.all == 0:
		case workload.Op(op) == workload.Get:
			s.counts.CountAll("get", done.all, done.hits, done.all-done.hits)
		default:
			s.counts.CountAll(workload.Op(op).String(), done.all)
		}
	}

	return err
}

var verbs = [workload.NumOps]wire.Verb{ //nolint:gochecknoglobals // a table
	workload.Get: wire.Get, workload.Set: wire.Set, workload.Delete: wire.Delete, workload.Touch: wire.Touch,
}

// Request implements wire.Pipeline.
func (b *batch) Request(i int) wire.Request {
	c := &b.commands[i]
	if c.Words != nil {
		return wire.Request{Verb: wire.Any, Words: c.Words}
	}

	return wire.Request{Verb: verbs[c.Op], Key: c.Key, Value: c.Value, TTL: c.TTL}
}

// Answered implements wire.Pipeline.
func (b *batch) Answered(i int, answer wire.Reply, err error) {
	if err != nil {
		b.fail(i, final(refused(err)))

		return
	}
	c := &b.commands[i]
	c.Answered, c.Err = true, nil
	if c.Words != nil {
		b.store.counts.Count(c.Name, nil)
		c.Reply = answer.Type
		b.got(i, answer.Text)

		return
	}
	done := &b.done[c.Op]
	done.all++
	if answer.Type == wire.TypeString {
		done.hits++
		b.got(i, answer.Text)
	}
}

func (b *batch) fail(i int, err error) {
	c := &b.commands[i]
	c.Answered, c.Err = true, err
	b.store.counts.Count(c.Name, err)
}

func (s *store) counted(operation string, err error, hit bool) {
	switch {
	case err != nil:
		s.counts.Count(operation, err)
	case hit:
		s.counts.Count(operation, nil, 1, 0)
	default:
		s.counts.Count(operation, nil, 0, 1)
	}
}

// Traffic implements workload.Cache. It returns the bytes of all servers.
func (s *store) Traffic() (received, sent uint64) {
	for _, n := range s.client.nodes {
		r, w := n.traffic()
		received, sent = received+r, sent+w
	}
	s.counts.Traffic(received, sent)

	return received, sent
}

type hashes struct {
	index []byte // the sorted set of all keys; nil without scans
	names [][]byte
	pairs []wire.Pair
	into  []byte

	got   func(field int, value []byte)
	named func(name, value []byte) // adapter that calls got
}

const keysOfRecords = "usertable:keys"

// Prepare implements ycsb.Limited. The keys of all records have one slot.
func (s *store) Prepare(o *ycsb.Options) error {
	scans := o.Mix.Scan > 0
	if s.cluster != nil && scans {
		return errors.New("option mix must have no scan: a cluster has no order of all its keys")
	}
	if s.hashes.index = nil; scans {
		s.hashes.index = []byte(keysOfRecords)
	}

	return nil
}

func (h *hashes) name(field int) []byte {
	for len(h.names) <= field {
		h.names = append(h.names, []byte(ycsb.FieldName(len(h.names))))
	}

	return h.names[field]
}

// asked returns the names of the fields to read (none: all), and passes what is read to got.
func (h *hashes) asked(field int, got func(field int, value []byte)) [][]byte {
	h.got = got
	if h.named == nil {
		h.named = func(name, value []byte) { h.got(ycsb.FieldIndex(name), value) }
	}
	if field == ycsb.AllFields {
		return nil
	}
	h.name(field)

	return h.names[field : field+1]
}

// Read implements ycsb.Store.
func (s *store) Read(key []byte, field int, got func(field int, value []byte)) (found bool, err error) {
	h := &s.hashes
	names := h.asked(field, func(field int, value []byte) {
		found = true
		got(field, value)
	})
	err = s.do(key, func(conn *wire.Conn) (err error) {
		h.into, err = conn.GetHash(key, names, h.into, h.named)

		return err
	})
	s.counted("read", err, found)

	return found, err
}

// Update implements ycsb.Store.
func (s *store) Update(key []byte, fields []ycsb.Field) error {
	return s.write("update", key, fields, nil)
}

// Insert implements ycsb.Store.
func (s *store) Insert(key []byte, fields []ycsb.Field) error {
	return s.write("insert", key, fields, s.hashes.index)
}

func (s *store) write(operation string, key []byte, fields []ycsb.Field, index []byte) error {
	h := &s.hashes
	h.pairs = h.pairs[:0]
	for i := range fields {
		h.pairs = append(h.pairs, wire.Pair{Field: h.name(fields[i].Index), Value: fields[i].Value})
	}
	err := s.do(key, func(conn *wire.Conn) error { return conn.SetHash(key, h.pairs, index) })
	s.counts.Count(operation, err)

	return err
}

// Scan implements ycsb.Scanner.
func (s *store) Scan(from []byte, records, field int, record func(key []byte), got func(field int, value []byte)) error {
	h := &s.hashes
	names := h.asked(field, got)
	err := s.do(h.index, func(conn *wire.Conn) (err error) {
		h.into, err = conn.ScanHashes(h.index, from, records, names, h.into, record, h.named)

		return err
	})
	s.counts.Count("scan", err)

	return err
}
