package nats

import (
	"context"
	"errors"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/cachebench"
	"github.com/xk6-sweep/xk6-sweep/extensions/nats/kvlayout"
)

// layoutStore is a layout in the part of a workload's store: what layout.run does. Records have no table.
type layoutStore struct {
	layout *layout

	sent, received uint64 // bytes that nobody has asked for yet
}

// do does an operation, and counts it. Durations are the sweep's.
func (s *layoutStore) do(operation string, job func(ctx context.Context, store *kvlayout.Store, r *record) error) error {
	c := s.layout.handle.client
	c.done = c.done[:0]
	t := s.layout.task(operation, job)
	t.brief = true
	conn, err := c.perform(c.vu.Context(), t, &c.done)
	sent, received, _ := c.counted(conn)
	s.sent, s.received = s.sent+sent, s.received+received

	return err
}

// Get implements workload.Store.
func (s *layoutStore) Get(key, buf []byte) (value []byte, hit bool, err error) {
	err = s.do("get", func(ctx context.Context, store *kvlayout.Store, r *record) error {
		record, err := store.Get(ctx, "", string(key))
		if errors.Is(err, kvlayout.ErrNotFound) {
			return nil
		}
		if err == nil {
			hit = true
			buf = append(buf, record.Value...)
			value = buf
			r.received.add(record.Value)
		}

		return err
	})

	return value, hit, err
}

// Set implements workload.Store. A bucket has no time to live for a key.
func (s *layoutStore) Set(key, value []byte, _ int) error {
	return s.do("put", func(ctx context.Context, store *kvlayout.Store, r *record) error {
		err := store.Put(ctx, kvlayout.Record{Key: string(key), Value: value})
		if err == nil {
			r.sent.add(value)
		}

		return err
	})
}

// Delete implements workload.Store.
func (s *layoutStore) Delete(key []byte) error {
	return s.do("delete", func(ctx context.Context, store *kvlayout.Store, _ *record) error {
		return store.Delete(ctx, "", string(key))
	})
}

// Traffic implements cachebench.Cache.
func (s *layoutStore) Traffic() (received, sent uint64) {
	received, sent = s.received, s.sent
	s.received, s.sent = 0, 0

	return received, sent
}

// Emit implements cachebench.Cache.
func (s *layoutStore) Emit() { s.layout.handle.client.instruments.meter.Emit() }

// Throw implements cachebench.Cache.
func (s *layoutStore) Throw(err error) {
	if errors.Is(err, cachebench.ErrEnded) {
		err = newError(KindCancelled, "%s", err)
	}
	var own *Error
	if errors.As(err, &own) {
		err = &Error{Kind: own.Kind, Code: own.Code, Message: err.Error()} // with what has been said around it
	}
	s.layout.handle.client.throw(err)
}

// Misuse implements cachebench.Cache.
func (s *layoutStore) Misuse(format string, args ...any) {
	s.layout.handle.client.throw(misuse(format, args...))
}
