package memcached

import "github.com/grafana/sobek"

// run is client.run(options): many operations, done in Go.
func (c *client) run(call sobek.FunctionCall) sobek.Value { return c.batch(c.bench.Run, call) }

// prefill is client.prefill(options): it writes a workload's keys.
func (c *client) prefill(call sobek.FunctionCall) sobek.Value { return c.batch(c.bench.Prefill, call) }

// hitRate is client.hitRate(options): accesses of the published hit-rate benchmark, done in Go.
func (c *client) hitRate(call sobek.FunctionCall) sobek.Value { return c.batch(c.bench.HitRate, call) }

func (c *client) batch(job func(sobek.FunctionCall) sobek.Value, call sobek.FunctionCall) sobek.Value {
	c.begin()
	defer c.end()
	c.store.running = true
	defer func() { c.store.running = false }()

	return job(call)
}

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
