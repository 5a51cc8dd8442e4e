package ycsb

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/workload"
)

// Store keeps records. One goroutine uses it. An error that is or wraps [workload.ErrClosed] ends a
// run. What a store is given is its own only until the call returns, and so is what it gives.
type Store interface {
	// Read calls got with the fields of a record: with all, or with one. It is not found where
	// there is none.
	Read(key []byte, field int, got func(field int, value []byte)) (found bool, err error)
	// Update writes some fields of a record, or all.
	Update(key []byte, fields []Field) error
	// Insert writes a record with all its fields.
	Insert(key []byte, fields []Field) error
}

// Scanner is a Store whose records can be read in the order of their keys.
type Scanner interface {
	// Scan reads so many records from a key on, and calls record with the key of each and got with
	// its fields.
	Scan(from []byte, records, field int, record func(key []byte), got func(field int, value []byte)) error
}

// Limited is a Store that some workloads are refused by.
type Limited interface {
	// Limits returns an error that names the option.
	Limits(o *Options) error
}

// Indexer is a Store that has to know before each run whether the workload scans.
type Indexer interface {
	Index(scans bool)
}

// Observer is told of each operation, in the client's own goroutine.
type Observer interface {
	// Next is called before each operation and waits until that may begin. Its error ends the run.
	Next(ctx context.Context, n int) error
	// Ok reports an operation that succeeded, and how long it took.
	Ok(op Op, took time.Duration)
	// Fail reports an operation that failed, why, and how long that took.
	Fail(op Op, reason error, took time.Duration)
	// Parts reports how long the read and the update of a read-modify-write took that succeeded.
	Parts(read, update time.Duration)
}

// Why an operation has failed to which the store had no error.
var (
	ErrMissing    = errors.New("the record is missing: it was not loaded, or the server has lost, evicted or expired it")
	ErrIncomplete = errors.New("the record has not all fields that were asked for")
	ErrUnordered  = errors.New("the scan returned a key that is before the one it began at, or before the one it returned last")
	ErrTooMany    = errors.New("the scan returned more records than were asked for")
)

// Whole returns a Store that keeps a record as one value of a cache: each field's length in four
// bytes, and the field.
func Whole(cache workload.Store) Store { return &whole{cache: cache} }

type whole struct {
	cache       workload.Store
	read, write []byte
}

// Limits implements Limited: no single field can be read or written.
func (*whole) Limits(o *Options) error {
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
