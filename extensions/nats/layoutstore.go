package nats

import (
	"context"
	"errors"
	"time"

	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
	"github.com/xk6-sweep/xk6-sweep/extensions/nats/kvlayout"
)

// layoutStore is a layout in the part of a workload's store: what layout.run does. Records have no table.
type layoutStore struct {
	client *client

	task       task // used again for each operation, which is
	job        layoutJob
	key, value []byte // of these; a job that reads appends to value,
	hit        bool   // where there is one

	sent, received uint64 // bytes that nobody has asked for yet
}

// layoutJob does an operation in a store.
type layoutJob func(s *layoutStore, ctx context.Context, store *kvlayout.Store, r *record) error

// do does an operation, and counts it. Durations are the sweep's.
func (s *layoutStore) do(operation string, job layoutJob, key, value []byte) error {
	s.task.operation, s.job = operation, job
	s.key, s.value, s.hit = key, value, false
	c := s.client
	c.done = c.done[:0]
	conn, err := c.perform(c.vu.Context(), &s.task, &c.done)
	sent, received, _ := c.counted(conn)
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

// layoutHost is the module in the part of what a layout's runs are told to.
type layoutHost struct{ *module }

// VU implements cachebench.Host.
func (h layoutHost) VU() modules.VU { return h.vu }

// Emit implements cachebench.Host.
func (h layoutHost) Emit() { h.instruments.meter.Emit() }

// Elapsed implements cachebench.Host.
func (h layoutHost) Elapsed(took time.Duration) { h.instruments.meter.Elapsed(took) }

// As implements cachebench.Host.
func (h layoutHost) As(err error) k6mod.Error {
	e := asError(err)

	return k6mod.Error{Kind: e.Kind, Code: e.Code, Message: e.Message}
}

// Throw implements cachebench.Host.
func (h layoutHost) Throw(err error) { h.throw(err) }
