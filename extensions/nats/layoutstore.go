package nats

import (
	"context"
	"errors"

	"github.com/xk6-sweep/xk6-sweep/extensions/nats/kvlayout"
)

// layoutStore is a layout in the part of a workload's store: what layout.run does. Records have no
// table.
type layoutStore struct {
	// task is used again for each operation.
	task task
	// job is the operation, key and value are its arguments. A job that reads appends to value, and
	// sets hit where there is one.
	job        layoutJob
	key, value []byte
	hit        bool

	// sent and received are bytes that nobody has asked for yet.
	sent, received uint64
}

// layoutJob does an operation in a store.
type layoutJob func(s *layoutStore, ctx context.Context, store *kvlayout.Store, r *record) error

// do does an operation, and counts it. Durations are the sweep's.
func (s *layoutStore) do(operation string, job layoutJob, key, value []byte) error {
	s.task.operation, s.job = operation, job
	s.key, s.value, s.hit = key, value, false
	err := s.task.Do(s.task.client.VU().Context(), true)
	sent, received, _ := s.task.counted()
	s.sent, s.received = s.sent+sent, s.received+received

	return err
}

// Get implements workload.Store.
func (s *layoutStore) Get(key, buf []byte) (value []byte, hit bool, err error) {
	err = s.do("layout.get", (*layoutStore).get, key, buf)
	if err != nil || !s.hit {
		return nil, false, err
	}

	return s.value, true, nil
}

func (s *layoutStore) get(ctx context.Context, store *kvlayout.Store, r *record) error {
	record, err := store.Get(ctx, "", string(s.key))
	if errors.Is(err, kvlayout.ErrNotFound) {
		return nil
	}
	if err == nil {
		s.hit = true
		s.value = append(s.value, record.Value...)
		r.received.add(record.Value)
	}

	return err
}

// Set implements workload.Store. A bucket has no time to live for a key.
func (s *layoutStore) Set(key, value []byte, _ int) error {
	return s.do("layout.put", (*layoutStore).put, key, value)
}

func (s *layoutStore) put(ctx context.Context, store *kvlayout.Store, r *record) error {
	err := store.Put(ctx, kvlayout.Record{Key: string(s.key), Value: s.value})
	if err == nil {
		r.sent.add(s.value)
	}

	return err
}

// Delete implements workload.Store.
func (s *layoutStore) Delete(key []byte) error {
	return s.do("layout.delete", (*layoutStore).remove, key, nil)
}

func (s *layoutStore) remove(ctx context.Context, store *kvlayout.Store, _ *record) error {
	return store.Delete(ctx, "", string(s.key))
}

// Traffic implements cachebench.Cache.
func (s *layoutStore) Traffic() (received, sent uint64) {
	received, sent = s.received, s.sent
	s.received, s.sent = 0, 0

	return received, sent
}
