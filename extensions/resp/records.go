package resp

import (
	"errors"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/workload/ycsb"
	"github.com/xk6-sweep/xk6-sweep/extensions/resp/wire"
)

type hashes struct {
	index []byte // the sorted set of all keys; nil without scans
	names [][]byte
	pairs []wire.Pair
	into  []byte

	got   func(field int, value []byte)
	named func(name, value []byte) // adapter that calls got
}

const keysOfRecords = "usertable:keys"

// Limits implements ycsb.Limited. The keys of all records have one slot.
func (s *store) Limits(o *ycsb.Options) error {
	if s.cluster != nil && o.Mix.Scan > 0 {
		return errors.New("option mix must have no scan: a cluster has no order of all its keys")
	}

	return nil
}

// Index implements ycsb.Indexer.
func (s *store) Index(scans bool) {
	if s.hashes.index = nil; scans {
		s.hashes.index = []byte(keysOfRecords)
	}
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
