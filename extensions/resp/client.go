package resp

import (
	"context"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/cachebench"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
	"github.com/xk6-sweep/xk6-sweep/extensions/workload"
)

// client is the JavaScript object Client, with one connection to each server. An operation opens
// the connection if it is missing or broken.
type client struct {
	*module

	nodes []*node
	bench *cachebench.Bench
	// seat lets the clients' runs take turns.
	seat *eventloop.Seat
}

func (m *module) newClient(call sobek.ConstructorCall) *sobek.Object {
	var o options
	config := k6mod.ParseClient(m.Module, call, &o, o.config)
	c := &client{module: m, seat: m.shared.Seat()}
	stores := make([]workload.Store, len(config.Servers))
	for i := range config.Servers {
		n := &node{counts: m.Instruments, seat: c.seat, client: c, server: &config.Servers[i], config: config}
		c.nodes = append(c.nodes, n)
		stores[i] = n
	}
	c.nodes[0].others = c.nodes[1:]
	c.bench = cachebench.New(m, &m.shared.Shared, config.target(), c.nodes[0], stores...)
	c.bench.TakeTurns(c.seat)
	methods.Put(m.Runtime(), call.This, c)

	return nil
}

var methods = k6glue.Methods[*client]{ //nolint:gochecknoglobals // a table
	"connect": k6mod.InTurn((*client).connect),
	"close":   (*client).close,
	"run":     (*client).run,
	"prefill": (*client).prefill,
	"hitRate": (*client).hitRate,
	"info":    (*client).info,
}

func (c *client) connect(call sobek.FunctionCall) sobek.Value {
	defer c.tagged("connect", call.Argument(0))()

	return c.during(func() sobek.Value {
		for _, n := range c.nodes {
			if _, err := n.ready(); err != nil {
				c.Throw(err)
			}
		}
		c.Emit()

		return sobek.Undefined()
	})
}

// tagged reads the option tags of a method. The metrics carry the tags until done is called.
func (c *client) tagged(method string, options sobek.Value) (done func()) {
	var tags k6mod.Tags
	if err := callOptions.Read(method, options, &tags); err != nil {
		c.Throw(err)
	}
	c.Tag(tags)

	return func() { c.Tag(k6mod.Tags{}) }
}

var callOptions = k6mod.Options[k6mod.Tags]{ //nolint:gochecknoglobals // a table
	k6mod.TagsOption(func(t *k6mod.Tags) *k6mod.Tags { return t }),
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

// one throws if there are several servers: the method does not spread keys.
func (c *client) one(method string) {
	if len(c.nodes) > 1 {
		c.Misuse("%s works with one server, and this Client has %d; hitRate spreads its keys over several", method, len(c.nodes))
	}
}

func (c *client) hitRate(call sobek.FunctionCall) sobek.Value {
	return c.during(func() sobek.Value { return c.bench.HitRate(call) })
}

// during runs job. The end of the VU's context interrupts it.
func (c *client) during(job func() sobek.Value) sobek.Value {
	c.MustRun()
	defer context.AfterFunc(c.VU().Context(), func() {
		defer crash.Contain("interrupting an operation")
		for _, n := range c.nodes {
			n.interrupt()
		}
	})()

	return job()
}

// disconnect closes all connections. Any goroutine may call it.
func (c *client) disconnect() {
	for _, n := range c.nodes {
		n.close()
	}
	c.Closing().Remove(c)
}
