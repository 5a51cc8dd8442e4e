package workload

import (
	"context"
	"errors"
	"time"
)

// Store is a client's connection to a cache, for one goroutine. Its calls have their own timeouts;
// cancelling a run's context does not interrupt them.
//
// An error that wraps [ErrClosed] ends a run. The store must not keep keys and values after a call
// returns.
type Store interface {
	// Get appends the key's value to buf, which it may grow. hit is false if the key has no value.
	Get(key, buf []byte) (value []byte, hit bool, err error)
	// Set writes the key. ttl is in seconds; 0 means no expiry.
	Set(key, value []byte, ttl int) error
	// Delete removes the key. A missing key is not an error.
	Delete(key []byte) error
}

// Toucher is a Store that can renew a TTL.
type Toucher interface {
	// Touch sets the key's TTL to ttl seconds; 0 means no expiry. A missing key is not an error.
	Touch(key []byte, ttl int) error
}

// GetOrSetter is a Store that reads a key, or writes it if it is missing, in one operation. Other
// stores use Get and Set.
type GetOrSetter interface {
	// GetOrSet appends the key's value to buf, as Get does. On a miss it writes value, and hit is
	// false.
	GetOrSet(key, value, buf []byte, ttl int) (got []byte, hit bool, err error)
}

// MultiGetter is a Store that can read several keys in one request.
type MultiGetter interface {
	// GetMulti calls got with the index and the value of each key found. The value is valid until
	// got returns. Keys may repeat.
	GetMulti(keys [][]byte, got func(i int, value []byte)) error
}

// Pipeliner is a Store that can send several commands before it reads replies.
type Pipeliner interface {
	// Pipeline runs the commands and sets their outcomes. It calls got with the index and the value
	// of each get that hit, and with the text of each reply to one of the option commands, after it
	// has set the command's Reply; the value is valid until got returns. An error also fails all
	// commands that are not Answered.
	Pipeline(commands []Command, got func(i int, value []byte)) error
}

// Command is one command in a pipeline.
type Command struct {
	Op   Op     // Get, Set, Delete, Touch, or one of the option commands
	Name string // name of the operation
	// Words are set for one of the option commands. Key is then the word that has the key.
	Words [][]byte
	Key   []byte
	Value []byte // value to set
	TTL   int    // for Set and Touch, in seconds; 0 means no expiry

	Answered bool   // the server has replied
	Err      error  // why the command failed
	Reply    string // the type of the reply to one of the option commands
}

// ErrClosed is returned by a store that is closed: all later operations fail too.
var ErrClosed = errors.New("the store is closed")

// ErrRefused is returned if the server does not keep a value, for example because memcached is out
// of memory. A set then fails; a getOrSet succeeds, and Result.Refused counts it.
var ErrRefused = errors.New("the store refused to keep the value")

// ErrMissing is returned if a read does not find a prefilled key. A cache that has lost its values
// would look fast otherwise.
var ErrMissing = errors.New("a prefilled key is missing: the server has lost, evicted or expired it, or it was deleted; " +
	"option allowMisses: true counts such a read as done")

// Observer receives each operation, in the client's goroutine.
type Observer interface {
	// Next waits until one operation, or a pipeline of n, may start. An error ends the run: the
	// cause of the end of ctx, the run's context, or the failure that wraps ErrClosed.
	Next(ctx context.Context, n int) error
	// Ok reports a successful operation and its duration.
	Ok(op Op, took time.Duration)
	// Fail reports a failed operation, its error and duration. Verification errors wrap
	// ErrWrongValue.
	Fail(op Op, reason error, took time.Duration)
}

// DoGetOrSet runs a getOrSet on any store. On a miss it writes value and returns hit false. The
// error wraps ErrRefused if the store did not keep the value.
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
