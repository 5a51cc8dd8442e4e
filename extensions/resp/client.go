package resp

import (
	"context"
	"errors"
	"time"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/cachebench"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/workload"
)

// client is a JavaScript Client: one connection to each server, opened by the first operation that needs it, opened anew by
// the next one after it broke, and closed when the VU ends.
type client struct {
	*module

	nodes []*node
	bench *cachebench.Bench
}

// newClient is new Client(url, options). It does not connect: that is not for the init context.
func (m *module) newClient(call sobek.ConstructorCall) *sobek.Object {
	c := &client{module: m}
	url := call.Argument(0)
	text, ok := k6glue.Text(url)
	if !ok && !k6glue.IsNullish(url) {
		c.Misuse("new Client takes a url and options")
	}
	var o options
	if err := k6glue.Options(call.Argument(1), &o); err != nil {
		c.Misuse("new Client: %s", err)
	}
	config, err := o.config(text)
	if err != nil {
		c.Misuse("new Client: %s", err)
	}

	stores := make([]workload.Store, len(config.Servers))
	for i := range config.Servers {
		n := &node{client: c, server: &config.Servers[i], config: config}
		c.nodes = append(c.nodes, n)
		stores[i] = n
	}
	c.bench = cachebench.New(m.vu, m.shared, config.target(), &cache{node: c.nodes[0], client: c}, stores...)
	methods.Put(m.vu.Runtime(), call.This, c)

	return nil
}

// methods are those of the JavaScript object.
var methods = k6glue.Methods[*client]{ //nolint:gochecknoglobals // a table
	"connect": (*client).connect,
	"close":   (*client).close,
	"run":     (*client).run,
	"hitRate": (*client).hitRate,
	"info":    (*client).info,
}

// connect is client.connect(): it connects to all servers now, where that was not done yet.
func (c *client) connect(sobek.FunctionCall) sobek.Value {
	return c.during(func() sobek.Value {
		for _, n := range c.nodes {
			if _, err := n.ready(); err != nil {
				c.throw(err)
			}
		}
		c.instruments.Emit()

		return sobek.Undefined()
	})
}

// close is client.close(): it closes the connections. The next operation opens new ones.
func (c *client) close(sobek.FunctionCall) sobek.Value {
	c.disconnect()

	return sobek.Undefined()
}

// run is client.run(options): many operations, done in Go.
func (c *client) run(call sobek.FunctionCall) sobek.Value {
	if len(c.nodes) > 1 {
		c.Misuse("run works with one server, and this Client has %d; hitRate spreads its keys over several", len(c.nodes))
	}

	return c.during(func() sobek.Value { return c.bench.Run(call) })
}

// hitRate is client.hitRate(options): accesses of the published hit-rate benchmark, done in Go.
func (c *client) hitRate(call sobek.FunctionCall) sobek.Value {
	return c.during(func() sobek.Value { return c.bench.HitRate(call) })
}

// during does a job that the end of the VU's context interrupts.
func (c *client) during(job func() sobek.Value) sobek.Value {
	if c.vu.State() == nil {
		c.Misuse("a Client cannot be used in the init context; use it in setup() or in a scenario's function")
	}
	defer context.AfterFunc(c.vu.Context(), func() {
		defer crash.Contain("interrupting an operation")
		for _, n := range c.nodes {
			n.interrupt()
		}
	})()

	return job()
}

// disconnect closes all connections. It may be called by any goroutine.
func (c *client) disconnect() {
	for _, n := range c.nodes {
		n.close()
	}
	c.closing.Remove(c)
}

// Misuse implements cachebench.Cache: it throws an error of kind usage, in one line.
func (c *client) Misuse(format string, args ...any) {
	c.throw(errorf(kindUsage, "%s", k6glue.OneLine(format, args...)))
}

// cache is the client in the part of a cache: its first server, and what all have in common.
type cache struct {
	*node
	*client
}

// Throw implements cachebench.Cache.
func (c *cache) Throw(err error) {
	if errors.Is(err, cachebench.ErrEnded) {
		c.throw(errorf(kindCancelled, "%s", err))
	}
	c.throw(errorf(asError(err).Kind, "%s", err)) // with what has been said around it
}

// Emit implements cachebench.Cache.
func (c *cache) Emit() { c.instruments.Emit() }

// Elapsed implements cachebench.Cache.
func (c *cache) Elapsed(took time.Duration) { c.instruments.Elapsed(took) }

// Traffic implements cachebench.Cache.
func (c *cache) Traffic() (received, sent uint64) {
	for _, n := range c.nodes {
		r, s := n.traffic()
		received, sent = received+r, sent+s
	}
	c.instruments.Traffic(received, sent)

	return received, sent
}
