package workload

import (
	"context"
	"errors"
	"time"
)

// Store is a client's connection to a cache. One goroutine uses it. Its calls have deadlines of
// their own; whoever ends the context of a run interrupts the store as well, when it should not
// wait for the operation under way.
//
// An error that is or wraps [ErrClosed] ends a run. Keys and values that the store is given are its
// own only until the call returns.
type Store interface {
	// Get reads the key's value into buf, growing it as append does, and returns it. Without a
	// value hit is false.
	Get(key, buf []byte) (value []byte, hit bool, err error)
	// Set writes the key. The time to live is in seconds; 0 is for ever.
	Set(key, value []byte, ttl int) error
	// Delete removes the key. It is no error when there was none.
	Delete(key []byte) error
}

// Toucher is a Store that can renew a time to live.
type Toucher interface {
	// Touch makes the key live for ttl more seconds; 0 is for ever. It is no error when there is no
	// such key.
	Touch(key []byte, ttl int) error
}

// GetOrSetter is a Store that reads a key and writes it when it is missing in one operation. With
// other stores it is a Get and, on a miss, a Set.
type GetOrSetter interface {
	// GetOrSet reads the key's value into buf, as Get does. On a miss it writes value, and hit is
	// false.
	GetOrSet(key, value, buf []byte, ttl int) (got []byte, hit bool, err error)
}

// MultiGetter is a Store that can read several keys at once.
type MultiGetter interface {
	// GetMulti calls got with the index and the value of each key that has one. The value is got's
	// until it returns. A key may be there more than once.
	GetMulti(keys [][]byte, got func(i int, value []byte)) error
}

// Pipeliner is a Store that can send several commands before it reads their replies.
type Pipeliner interface {
	// Pipeline does all commands and fills in their outcomes. It calls got with the index and the
	// value of each get that hit; the value is got's until it returns. It returns an error when it
	// cannot go on; commands that are not Answered by then have failed with it.
	Pipeline(commands []Command, got func(i int, value []byte)) error
}

// Command is one command of a pipeline.
type Command struct {
	Op    Op // Get, Set, Delete or Touch
	Key   []byte
	Value []byte // of a Set
	TTL   int    // of a Set and a Touch, seconds; 0 is for ever

	Answered bool  // the server's reply is here
	Err      error // it says that the command failed
}

// ErrClosed says that a store is closed for good: nothing that is asked of it later can succeed.
var ErrClosed = errors.New("the store is closed")

// ErrRefused says that a store would not keep a value, such as memcached that is out of memory for
// values of its size. As part of a getOrSet it is counted apart and is no failure: the operation
// has come to its value. A set that is refused has failed.
var ErrRefused = errors.New("the store refused to keep the value")

// ErrMissing is why a read has failed that did not find a prefilled key: a cache that has lost its
// values answers faster.
var ErrMissing = errors.New("a prefilled key is missing: the server has lost, evicted or expired it, or it was deleted; " +
	"option allowMisses: true counts such a read as done")

// Observer is told of each operation, in the client's own goroutine.
type Observer interface {
	// Next is called before each operation, or before each pipeline of n, and waits until that may
	// begin. Its error ends the run; so does ctx, that of the run, which may end meanwhile.
	Next(ctx context.Context, n int) error
	// Ok tells of an operation that succeeded, and how long it took.
	Ok(op Op, took time.Duration)
	// Fail tells of an operation that failed, why, and how long that took. Reasons of verification
	// are or wrap ErrWrongValue.
	Fail(op Op, reason error, took time.Duration)
}

// DoGetOrSet does a getOrSet on any store. On a miss hit is false and the value was written; err is
// or wraps ErrRefused when the store would not keep it.
func DoGetOrSet(store Store, key, value, buf []byte, ttl int) (got []byte, hit bool, err error) {
	if s, ok := store.(GetOrSetter); ok {
		return s.GetOrSet(key, value, buf, ttl)
	}
	got, hit, err = store.Get(key, buf)
	if err != nil || hit {
		return got, hit, err
	}

	return got, false, store.Set(key, value, ttl)
}
