package resp

import (
	"context"
	"errors"
	"sync"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/workload"
	"github.com/xk6-sweep/xk6-sweep/extensions/resp/wire"
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
	"run":     bench("run", (*workload.CacheBench).Run),
	"prefill": bench("prefill", (*workload.CacheBench).Prefill),
	"ycsb":    bench("ycsb", (*workload.CacheBench).YCSB),
	"hitRate": bench("hitRate", (*workload.CacheBench).HitRate),
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

func bench(method string, do func(*workload.CacheBench, sobek.FunctionCall) sobek.Value) k6x.Method[*client] {
	return func(c *client, call sobek.FunctionCall) sobek.Value {
		if len(c.nodes) > 1 && c.cluster == nil && method != "hitRate" {
			c.Misuse("%s works with one server or, with the option cluster, with one cluster, and this Client has %d servers; "+
				"hitRate spreads its keys over several", method, len(c.nodes))
		}

		return c.during(func() sobek.Value { return do(c.bench, call) })
	}
}

// The end of the VU's context interrupts the job.
func (c *client) during(job func() sobek.Value) sobek.Value {
	c.MustRun()
	defer context.AfterFunc(c.VU().Context(), func() { c.each((*node).interrupt) })()

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

// unusable is the error of a server that k6/x/resp cannot work with. It ends the run and the test.
type unusable struct{ said *wire.Error }

// Error implements error.
func (u unusable) Error() string { return u.said.Error() }

// Unwrap returns the server's error, and workload.ErrClosed, which ends a run.
func (u unusable) Unwrap() []error { return []error{u.said, workload.ErrClosed} }

func asError(err error) k6x.Error {
	if e, is := errors.AsType[*wire.Error](err); is {
		return k6x.Error{Kind: e.Kind, Message: e.Message, Cause: err}
	}

	return k6x.Error{Kind: k6x.KindInternal, Message: err.Error(), Cause: err}
}
