package umemcache

import (
	"context"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/umemcache/wire"
)

func (c *client) run(call sobek.FunctionCall) sobek.Value { return c.batch(c.bench.Run, call) }

func (c *client) prefill(call sobek.FunctionCall) sobek.Value { return c.batch(c.bench.Prefill, call) }

func (c *client) hitRate(call sobek.FunctionCall) sobek.Value { return c.batch(c.bench.HitRate, call) }

func (c *client) ycsb(call sobek.FunctionCall) sobek.Value { return c.batch(c.bench.YCSB, call) }

func (c *client) batch(job func(sobek.FunctionCall) sobek.Value, call sobek.FunctionCall) sobek.Value {
	c.notCalling()
	c.MustRun()
	c.tasks.Wait()
	c.calling = true
	defer func() { c.calling = false }()

	return job(call)
}

type store struct {
	client *client
	done   done

	received, sent uint64

	value []byte
	fill  func() ([]byte, error) // returns the field value
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

var errTTL error = k6x.Misuse("umem-cache has no time to live: option ttl must be 0")

// GetOrSet implements workload.GetOrSetter. A value that the server rejects is a failure, not
// workload.ErrRefused: another client may have taken the fill lock and stored a different value, or
// none.
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
		got = buf // got must be in the caller's memory, unlike value
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
	d, err := c.perform(c.VU().Context(), &s.done, operation, job)
	if d != nil {
		c.count(d)
		s.received += d.received
		s.sent += d.sent
	}

	return err
}

// Traffic implements workload.Cache.
func (s *store) Traffic() (received, sent uint64) {
	received, sent = s.received, s.sent
	s.received, s.sent = 0, 0

	return received, sent
}
