package resp

import (
	"context"
	"errors"
	"sync"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/workload"
)

// client is the JavaScript object Client, with one connection to each server.
type client struct {
	*module

	config  *Config
	mu      sync.Mutex
	nodes   []*node
	cluster *cluster
	bench   *workload.CacheBench
	seat    *eventloop.Seat
}

func (m *module) newClient(call sobek.ConstructorCall) *sobek.Object {
	var o options
	config := k6x.ParseClient(m.Module, call, &o, o.config)
	c := &client{module: m, config: config, seat: m.shared.Seat()}
	stores := make([]workload.Store, len(config.Servers))
	for i := range config.Servers {
		s := &store{node: c.newNode(&config.Servers[i])}
		c.nodes = append(c.nodes, &s.node)
		stores[i] = s
	}
	first := stores[0].(*store) //nolint:forcetypeassert // see above
	if config.Cluster {
		c.cluster = &cluster{client: c, topology: m.shared.topology(config)}
		first.cluster, stores = c.cluster, stores[:1]
	}
	c.bench = workload.NewCache(m, &m.shared.CacheShared, config.target(), first, stores...)
	c.bench.TakeTurns(c.seat)
	methods.Put(m.Runtime(), call.This, c)

	return nil
}

func (c *client) newNode(s *server) node {
	return node{counts: c.Instruments, seat: c.seat, client: c, server: s}
}

// In a cluster, primaries returns only servers that have slots.
func (c *client) primaries() []*node {
	if c.cluster == nil {
		return c.nodes
	}
	nodes, err := c.cluster.primaries()
	if err != nil {
		c.throw(err)
	}

	return nodes
}

// throw ends the test if the script's client cannot work with the server.
func (c *client) throw(err error) {
	if errors.Is(err, workload.ErrClosed) {
		c.Abort(err)
	}
	c.Throw(err)
}

var methods = k6x.Methods[*client]{ //nolint:gochecknoglobals // a table
	"connect": k6x.InTurn((*client).connect),
	"close":   (*client).close,
	"run":     (*client).run,
	"prefill": (*client).prefill,
	"hitRate": (*client).hitRate,
	"ycsb":    (*client).ycsb,
	"info":    (*client).info,
}

func (c *client) connect(call sobek.FunctionCall) sobek.Value {
	defer c.tagged("connect", call.Argument(0))()

	return c.during(func() sobek.Value {
		for _, n := range c.primaries() {
			if _, err := n.usable(); err != nil {
				c.throw(err)
			}
		}
		c.Emit()

		return sobek.Undefined()
	})
}

// The metrics carry the tags until done is called.
func (c *client) tagged(method string, options sobek.Value) (done func()) {
	var tags k6x.Tags
	if err := callOptions.Read(method, options, &tags); err != nil {
		c.Throw(err)
	}
	c.Tag(tags)

	return func() { c.Tag(k6x.Tags{}) }
}

var callOptions = k6x.Options[k6x.Tags]{ //nolint:gochecknoglobals // a table
	k6x.TagsOption(func(t *k6x.Tags) *k6x.Tags { return t }),
}

func (c *client) close(sobek.FunctionCall) sobek.Value {
	c.disconnect()

	return sobek.Undefined()
}

func (c *client) run(call sobek.FunctionCall) sobek.Value {
	c.one("run")

	return c.during(func() sobek.Value { return c.bench.Run(call) })
}

func (c *client) prefill(call sobek.FunctionCall) sobek.Value {
	c.one("prefill")

	return c.during(func() sobek.Value { return c.bench.Prefill(call) })
}

func (c *client) ycsb(call sobek.FunctionCall) sobek.Value {
	c.one("ycsb")

	return c.during(func() sobek.Value { return c.bench.YCSB(call) })
}

func (c *client) one(method string) {
	if len(c.nodes) > 1 && c.cluster == nil {
		c.Misuse("%s works with one server or, with the option cluster, with one cluster, and this Client has %d servers; "+
			"hitRate spreads its keys over several", method, len(c.nodes))
	}
}

func (c *client) hitRate(call sobek.FunctionCall) sobek.Value {
	return c.during(func() sobek.Value { return c.bench.HitRate(call) })
}

// The end of the VU's context interrupts the job.
func (c *client) during(job func() sobek.Value) sobek.Value {
	c.MustRun()
	defer context.AfterFunc(c.VU().Context(), func() {
		defer crash.Contain("interrupting an operation")
		c.each((*node).interrupt)
	})()

	return job()
}

// Any goroutine may call it.
func (c *client) disconnect() {
	c.each((*node).close)
	c.Closing().Remove(c)
}

func (c *client) each(job func(*node)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.nodes {
		job(n)
	}
}
