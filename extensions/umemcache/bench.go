package umemcache

import (
	"context"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
	"github.com/xk6-sweep/xk6-sweep/extensions/umemcache/wire"
)

// run is client.run(options): many operations, done in Go.
func (c *client) run(call sobek.FunctionCall) sobek.Value { return c.batch(c.bench.Run, call) }

// prefill is client.prefill(options): it writes a workload's keys.
func (c *client) prefill(call sobek.FunctionCall) sobek.Value { return c.batch(c.bench.Prefill, call) }

// hitRate is client.hitRate(options): accesses of the published hit-rate benchmark, done in Go.
func (c *client) hitRate(call sobek.FunctionCall) sobek.Value { return c.batch(c.bench.HitRate, call) }

func (c *client) batch(job func(sobek.FunctionCall) sobek.Value, call sobek.FunctionCall) sobek.Value {
	c.notCalling()
	c.MustRun()
	c.tasks.Wait()
	c.calling = true
	defer func() { c.calling = false }()

	return job(call)
}

// store is a client in the part of a workload.Store that reads and writes a key in one operation.
type store struct {
	client *client

	received, sent uint64 // that nobody has asked for yet

	value []byte
	fill  func() ([]byte, error) // value
}

// Get implements workload.Store.
func (s *store) Get(key, buf []byte) (value []byte, hit bool, err error) {
	err = s.do("get", func(ctx context.Context, w *wire.Client, d *done) (err error) {
		value, hit, err = w.Get(ctx, key, buf)
		d.asked(hit)

		return err
	})

	return value, hit, err
}

// errTTL is why nothing is stored for a time.
var errTTL error = k6mod.Misuse("umem-cache knows no time to live: option ttl must be 0")

// GetOrSet implements workload.GetOrSetter. A value that the server has not taken is a failure, and
// not workload.ErrRefused: who took the fill lock may have stored another one, or nothing.
func (s *store) GetOrSet(key, value, buf []byte, ttl int) (got []byte, hit bool, err error) {
	if ttl != 0 {
		return buf, false, errTTL
	}
	s.value = value
	if s.fill == nil {
		s.fill = func() ([]byte, error) { return s.value, nil }
	}
	err = s.do("getOrSet", func(ctx context.Context, w *wire.Client, d *done) (err error) {
		got, hit, err = w.GetOrSet(ctx, key, buf, s.fill)
		d.asked(hit)

		return err
	})
	if !hit {
		got = buf // and not the value, whose memory is not the reader's
	}

	return got, hit, err
}

// Set implements workload.Store.
func (s *store) Set(key, value []byte, ttl int) error {
	if ttl != 0 {
		return errTTL
	}

	return s.do("set", func(ctx context.Context, w *wire.Client, _ *done) error { return w.Set(ctx, key, value) })
}

// Delete implements workload.Store.
func (s *store) Delete(key []byte) error {
	return s.do("delete", func(ctx context.Context, w *wire.Client, _ *done) error { return w.Del(ctx, key) })
}

func (s *store) do(operation string, job func(context.Context, *wire.Client, *done) error) error {
	c := s.client
	c.seat.Begin()
	c.mu.Lock()
	defer c.mu.Unlock()
	d, err := c.perform(c.VU().Context(), &c.done, operation, job)
	if d != nil {
		c.count(d)
		s.received += d.received
		s.sent += d.sent
	}

	return err
}

// Traffic implements cachebench.Cache.
func (s *store) Traffic() (received, sent uint64) {
	received, sent = s.received, s.sent
	s.received, s.sent = 0, 0

	return received, sent
}
