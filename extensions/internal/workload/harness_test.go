package workload_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/workload"
)

// fakeStore is an in-memory cache that supports every operation. Clients share it. Overwriting a
// value with one of the same size does not allocate.
type fakeStore struct {
	// Fault, if set, runs before each operation on a key; its error fails the operation.
	Fault func(op workload.Op, key []byte) error
	// Spoil, if set, replaces the value that a read returns.
	Spoil func(key, value []byte) []byte

	mu     sync.Mutex
	values map[string][]byte
	counts [workload.NumOps]int
}

// Len returns the number of keys.
func (s *fakeStore) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()

	return len(s.values)
}

// Count returns the number of single-key operations of a kind.
func (s *fakeStore) Count(op workload.Op) int {
	s.mu.Lock()
	defer s.mu.Unlock()

	return s.counts[op]
}

// Get implements workload.Store.
func (s *fakeStore) Get(key, buf []byte) (value []byte, hit bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()

	return s.get(workload.Get, key, buf)
}

// Set implements workload.Store.
func (s *fakeStore) Set(key, value []byte, _ int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.begin(workload.Set, key); err != nil {
		return err
	}
	s.keep(key, value)

	return nil
}

// Delete implements workload.Store.
func (s *fakeStore) Delete(key []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.begin(workload.Delete, key); err != nil {
		return err
	}
	delete(s.values, string(key))

	return nil
}

// Touch implements workload.Toucher. Keys never expire.
func (s *fakeStore) Touch(key []byte, _ int) error {
	s.mu.Lock()
	defer s.mu.Unlock()

	return s.begin(workload.Touch, key)
}

// GetOrSet implements workload.GetOrSetter.
func (s *fakeStore) GetOrSet(key, value, buf []byte, _ int) (got []byte, hit bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	got, hit, err = s.get(workload.GetOrSet, key, buf)
	if err == nil && !hit {
		s.keep(key, value)
	}

	return got, hit, err
}

// GetMulti implements workload.MultiGetter.
func (s *fakeStore) GetMulti(keys [][]byte, got func(i int, value []byte)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, key := range keys {
		value, hit, err := s.get(workload.GetMulti, key, nil)
		if err != nil {
			return err
		}
		if hit {
			got(i, value)
		}
	}

	return nil
}

// Pipeline implements workload.Pipeliner. It stops when an operation fails with workload.ErrClosed.
func (s *fakeStore) Pipeline(commands []workload.Command, got func(i int, value []byte)) error {
	for i := range commands {
		c := &commands[i]
		if c.Words != nil {
			c.Answered, c.Reply, c.Err = true, "words", s.begin(c.Op, c.Key)
			got(i, bytes.Join(c.Words, []byte(" ")))

			continue
		}
		var err error
		switch c.Op { //nolint:exhaustive // pipelines hold no others
		case workload.Get:
			var value []byte
			var hit bool
			if value, hit, err = s.Get(c.Key, nil); hit {
				got(i, value)
			}
		case workload.Set:
			err = s.Set(c.Key, c.Value, c.TTL)
		case workload.Delete:
			err = s.Delete(c.Key)
		default:
			err = s.Touch(c.Key, c.TTL)
		}
		if err == workload.ErrClosed { //nolint:errorlint // the very one that a test's Fault returns
			return err
		}
		c.Answered, c.Err = true, err
	}

	return nil
}

// CheckCommand implements workload.Commander. The reply to a command is its words, of type words.
func (s *fakeStore) CheckCommand(words []string, reply string) error {
	if words[0] == "refused" || reply != "" && reply != "words" {
		return fmt.Errorf("no %s, no %s", words[0], reply)
	}

	return nil
}

func (s *fakeStore) begin(op workload.Op, key []byte) error {
	if int(op) < len(s.counts) {
		s.counts[op]++
	}
	if s.Fault != nil {
		return s.Fault(op, key)
	}

	return nil
}

func (s *fakeStore) get(op workload.Op, key, buf []byte) (value []byte, hit bool, err error) {
	if err := s.begin(op, key); err != nil {
		return nil, false, err
	}
	value, hit = s.values[string(key)]
	if !hit {
		return nil, false, nil
	}
	if s.Spoil != nil {
		value = s.Spoil(key, value)
	}

	return append(buf, value...), true, nil
}

func (s *fakeStore) keep(key, value []byte) {
	if s.values == nil {
		s.values = make(map[string][]byte)
	}
	if kept, ok := s.values[string(key)]; ok && len(kept) == len(value) {
		copy(kept, value)

		return
	}
	s.values[string(key)] = append([]byte(nil), value...)
}

// fakeObserver counts what one client reports.
type fakeObserver struct {
	Oks     [workload.NumOps]int
	Fails   [workload.NumOps]int
	Others  map[workload.Op]int // option commands that succeeded
	Reasons []error
	Took    time.Duration

	closed error
}

// Next implements workload.Observer. It never waits.
func (o *fakeObserver) Next(ctx context.Context, _ int) error {
	if o.closed != nil {
		return o.closed
	}

	return context.Cause(ctx)
}

// Ok implements workload.Observer.
func (o *fakeObserver) Ok(op workload.Op, took time.Duration) {
	if int(op) < workload.NumOps {
		o.Oks[op]++
	} else {
		if o.Others == nil {
			o.Others = map[workload.Op]int{}
		}
		o.Others[op]++
	}
	o.Took += took
}

// Fail implements workload.Observer.
func (o *fakeObserver) Fail(op workload.Op, reason error, took time.Duration) {
	if int(op) < workload.NumOps {
		o.Fails[op]++
	}
	o.Reasons = append(o.Reasons, reason)
	if errors.Is(reason, workload.ErrClosed) {
		o.closed = reason
	}
	o.Took += took
}

// add adds the counts of a concurrent client.
func add(total, r *workload.Result) {
	total.Succeeded += r.Succeeded
	total.Failed += r.Failed
	total.Wrong += r.Wrong
	total.Hits += r.Hits
	total.Misses += r.Misses
	total.Hot += r.Hot
	total.HotHits += r.HotHits
	total.Refused += r.Refused
	total.BytesReceived += r.BytesReceived
	total.BytesSent += r.BytesSent
	total.Took += r.Took
}
