package workload

import (
	"errors"
	"time"
)

// Result counts what a client did in a run.
type Result struct {
	Succeeded uint64 // successful operations
	Failed    uint64 // failed operations
	Wrong     uint64 // failed operations that read a wrong value

	Hits    uint64 // keys that reads found
	Misses  uint64 // keys that reads did not find, failed reads of prefilled keys included
	Hot     uint64 // hits and misses of hot keys (hotcold and zipf); in hitRate, failed accesses too
	HotHits uint64
	Refused uint64 // values of getOrSet operations that the store did not keep

	BytesReceived uint64 // bytes of values
	BytesSent     uint64

	Took time.Duration // from the first operation's start to the last one's end
}

// tally counts a run's operations and reports them to the observer.
type tally struct {
	observer Observer
	result   Result
}

func (t *tally) count(hot bool, size int, hit bool) {
	r := &t.result
	if hot {
		r.Hot++
	}
	if !hit {
		r.Misses++

		return
	}
	r.Hits++
	r.BytesReceived += uint64(size)
	if hot {
		r.HotHits++
	}
}

func (t *tally) tell(op Op, err error, took time.Duration) {
	if err == nil {
		t.result.Succeeded++
		t.observer.Ok(op, took)

		return
	}
	t.result.Failed++
	t.observer.Fail(op, err, took)
}

// gotOrSet counts the value that a getOrSet has written, if any, and returns why the operation
// failed.
func (t *tally) gotOrSet(hit bool, value []byte, err error) error {
	if errors.Is(err, ErrRefused) {
		t.result.Refused++

		return nil
	}
	if err == nil && !hit {
		t.result.BytesSent += uint64(len(value))
	}

	return err
}
