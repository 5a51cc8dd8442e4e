package memcached

import (
	"errors"
	"time"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/cachebench"
	"github.com/xk6-sweep/xk6-sweep/extensions/memcached/wire"
)

// run is client.run(options): many operations, done in Go.
func (c *client) run(call sobek.FunctionCall) sobek.Value { return c.batch(c.bench.Run, call) }

// hitRate is client.hitRate(options): accesses of the published hit-rate benchmark, done in Go.
func (c *client) hitRate(call sobek.FunctionCall) sobek.Value { return c.batch(c.bench.HitRate, call) }

func (c *client) batch(job func(sobek.FunctionCall) sobek.Value, call sobek.FunctionCall) sobek.Value {
	c.begin()
	defer c.end()
	c.store.running = true
	defer func() { c.store.running = false }()

	return job(call)
}

// Throw implements cachebench.Cache.
func (s *store) Throw(err error) {
	var e *wire.Error
	switch {
	case errors.Is(err, cachebench.ErrEnded):
		err = wire.Errorf(wire.KindCancelled, "%s", err)
	case errors.As(err, &e):
		err = wire.Errorf(e.Kind, "%s", err) // with what has been said around it
	}
	s.client.throw(err)
}

// Misuse implements cachebench.Cache.
func (s *store) Misuse(format string, args ...any) { s.client.misuse(format, args...) }

// Emit implements cachebench.Cache.
func (s *store) Emit() { s.client.instruments.Emit() }

// Elapsed implements cachebench.Cache.
func (s *store) Elapsed(took time.Duration) { s.client.instruments.Elapsed(took) }

// Traffic implements cachebench.Cache.
func (s *store) Traffic() (received, sent uint64) {
	received, sent = s.traffic.received, s.traffic.sent
	s.traffic = traffic{}

	return received, sent
}

// moved counts bytes for Traffic.
func (s *store) moved(received, sent uint64) {
	s.traffic.received += received
	s.traffic.sent += sent
}
