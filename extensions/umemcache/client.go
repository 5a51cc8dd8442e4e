package umemcache

import (
	"context"
	"sync"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/workload"
	"github.com/xk6-sweep/xk6-sweep/extensions/umemcache/wire"
)

// client is the JavaScript object Client: a user of connections that all clients of the process
// with equal options share. They are opened when needed, and close with the last of these clients.
type client struct {
	*module

	config *Config
	bench  *workload.CacheBench
	store  *store // used by benchmarks
	// seat is the client's place at an event loop; nil with a cluster, whose operations wait for
	// approval.
	seat *eventloop.Seat

	calling bool // an operation is running; a script function that it calls must not start another one

	mu   sync.Mutex // the VU may end in another goroutine
	wire *wire.Client

	tasks *k6x.Tasks
	spare *task // a finished task, for its buffers
}

func (m *module) newClient(call sobek.ConstructorCall) *sobek.Object {
	var o options
	config := k6x.ParseClient(m.Module, call, &o, o.config)
	c := &client{module: m, config: config, tasks: m.NewTasks(true)}
	c.store = &store{client: c}
	c.bench = workload.NewCache(m, &m.shared.bench, config.Target.Address, c.store)
	if !config.Target.Cluster {
		c.seat = m.shared.bench.Seat()
		c.bench.TakeTurns(c.seat)
	}
	m.SetConstant(call.This, "generation", config.Target.Generation.String())
	methods.Put(m.Runtime(), call.This, c)

	return nil
}

var methods = bothForms().With(k6x.Methods[*client]{ //nolint:gochecknoglobals // a table
	"connect":    k6x.InTurn(k6x.Blocking(connect.read)),
	"close":      (*client).close,
	"asyncClose": k6x.Promising((*client).closeTask),
	"run":        (*client).run,
	"prefill":    (*client).prefill,
	"hitRate":    (*client).hitRate,
	"ycsb":       (*client).ycsb,
})

func (c *client) close(sobek.FunctionCall) sobek.Value {
	c.notCalling()
	c.disconnect()

	return sobek.Undefined()
}

var errCalling error = k6x.Misuse("the function that getOrSet calls holds the key's fill lock: it must not use the same Client")

// notCalling throws during an operation, because operations share buffers.
func (c *client) notCalling() {
	if c.calling {
		c.Throw(errCalling)
	}
}

// The caller holds c.mu.
func (c *client) perform(
	ctx context.Context, d *done, operation string, job func(context.Context, *wire.Client, *done) error,
) (*done, error) {
	if err := c.join(); err != nil {
		return nil, err
	}
	*d = done{operation: operation}
	begin := clock.Now()
	err := job(ctx, c.wire, d)
	d.took = clock.Since(begin)
	if err != nil {
		d.err, d.hits, d.misses = err, 0, 0
	}
	d.received, d.sent = c.wire.Traffic()
	d.retries, d.lostFills = c.wire.Retries()

	return d, err
}

func (c *client) join() error {
	if c.wire != nil {
		return nil
	}
	if c.VU().State() == nil {
		return k6x.ErrInit
	}
	target, err := c.shared.targets.Join(c.config.Target, func() (wire.Target, error) { return c.config.open(c.VU()) })
	if err != nil {
		return k6x.Misuse("%s", err)
	}
	c.wire = wire.NewClient(target, c.config.Timeout)
	c.wire.Use(c.seat)
	c.Closing().Add(c, c.disconnect)

	return nil
}

// Any goroutine may call it.
func (c *client) disconnect() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.wire == nil {
		return
	}
	c.wire.Close()
	c.shared.targets.Leave(c.config.Target, wire.Target.Close)
	c.wire = nil
	c.Closing().Remove(c)
}
