package ycsb

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"
)

// Store stores records, for one goroutine. Arguments, and what a store passes to a callback, are
// valid only during the call.
type Store interface {
	// Read calls got with all fields of a record, or with one. found is false if the record does
	// not exist.
	Read(key []byte, field int, got func(field int, value []byte)) (found bool, err error)
	// Update writes one or more fields of a record.
	Update(key []byte, fields []Field) error
	// Insert writes a record with all its fields.
	Insert(key []byte, fields []Field) error
}

// Scanner is a Store that can read records in key order.
type Scanner interface {
	// Scan reads up to records records from a key on. For each, it calls record with the key, and
	// got with its fields.
	Scan(from []byte, records, field int, record func(key []byte), got func(field int, value []byte)) error
}

// Limited is a Store that does not support all workloads.
type Limited interface {
	// Prepare prepares the store for runs with the options, or returns an error that names the
	// unsupported one.
	Prepare(o *Options) error
}

// Observer receives each operation, in the client's goroutine.
type Observer interface {
	// Next waits until an operation may start. An error ends the run.
	Next(ctx context.Context, n int) error
	// Ok reports a successful operation and its duration.
	Ok(op Op, took time.Duration)
	// Fail reports a failed operation, its error and duration.
	Fail(op Op, reason error, took time.Duration)
	// Parts reports the durations of the read and the update in a successful read-modify-write.
	Parts(read, update time.Duration)
}

// Reasons why an operation failed without an error from the store.
var (
	ErrMissing    = errors.New("the record is missing: it was not loaded, or the server has lost, evicted or expired it")
	ErrIncomplete = errors.New("the record has not all fields that were asked for")
	ErrUnordered  = errors.New("the scan returned a key that is before the one it began at, or before the one it returned last")
	ErrTooMany    = errors.New("the scan returned more records than were asked for")
)

// Whole returns a Store that keeps each record as one value in a cache: for each field, its length
// in four bytes and its bytes.
func Whole(cache Cache) Store { return &whole{cache: cache} }

// Cache keeps values.
type Cache interface {
	// Get appends the key's value to buf, which it may grow.
	Get(key, buf []byte) (value []byte, hit bool, err error)
	Set(key, value []byte, ttl int) error
}

type whole struct {
	cache       Cache
	read, write []byte
}

// Prepare implements Limited: single fields cannot be read or written.
func (*whole) Prepare(o *Options) error {
	for _, option := range []struct {
		name string
		set  bool
	}{
		{"readAllFields", o.ReadAllFields},
		{"writeAllFields", o.WriteAllFields || o.Mix.Update == 0 && o.Mix.ReadModifyWrite == 0},
	} {
		if !option.set {
			return fmt.Errorf("option %s must be true: this store keeps a record as one value", option.name)
		}
	}

	return nil
}

// Read implements Store.
func (w *whole) Read(key []byte, _ int, got func(field int, value []byte)) (found bool, err error) {
	value, found, err := w.cache.Get(key, w.read[:0])
	if cap(value) > cap(w.read) {
		w.read = value
	}
	if err != nil || !found {
		return false, err
	}
	for field := 0; len(value) > 0; field++ {
		if len(value) < 4 || uint64(len(value)-4) < uint64(binary.BigEndian.Uint32(value)) {
			return true, fmt.Errorf("%w: the value ends within a field", ErrIncomplete)
		}
		end := 4 + int(binary.BigEndian.Uint32(value))
		got(field, value[4:end])
		value = value[end:]
	}

	return true, nil
}

// Update implements Store.
func (w *whole) Update(key []byte, fields []Field) error { return w.Insert(key, fields) }

// Insert implements Store.
func (w *whole) Insert(key []byte, fields []Field) error {
	w.write = w.write[:0]
	for i := range fields {
		w.write = binary.BigEndian.AppendUint32(w.write, uint32(len(fields[i].Value)))
		w.write = append(w.write, fields[i].Value...)
	}

	return w.cache.Set(key, w.write, 0)
}
