package memcached

import "github.com/grafana/sobek"

func (c *client) run(call sobek.FunctionCall) sobek.Value { return c.batch(c.bench.Run, call) }

func (c *client) prefill(call sobek.FunctionCall) sobek.Value { return c.batch(c.bench.Prefill, call) }

func (c *client) hitRate(call sobek.FunctionCall) sobek.Value { return c.batch(c.bench.HitRate, call) }

func (c *client) ycsb(call sobek.FunctionCall) sobek.Value { return c.batch(c.bench.YCSB, call) }

func (c *client) batch(job func(sobek.FunctionCall) sobek.Value, call sobek.FunctionCall) sobek.Value {
	c.begin()
	defer c.end()
	c.store.running = true
	defer func() { c.store.running = false }()

	return job(call)
}

// Traffic implements workload.Cache.
func (s *store) Traffic() (received, sent uint64) {
	received, sent = s.traffic.received, s.traffic.sent
	s.traffic = traffic{}

	return received, sent
}

func (s *store) addTraffic(received, sent uint64) {
	s.traffic.received += received
	s.traffic.sent += sent
}
