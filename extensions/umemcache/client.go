package umemcache

import (
	"context"
	"errors"
	"sync"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/common"

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

	key, into, value []byte // reusable buffers
	done             done

	tasks *k6x.Tasks
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

var methods = k6x.Methods[*client]{ //nolint:gochecknoglobals // a table
	"connect":       k6x.InTurn((*client).connect),
	"asyncConnect":  k6x.Promising((*client).connectTask),
	"get":           (*client).get,
	"asyncGet":      k6x.Promising((*client).getTask),
	"getOrSet":      (*client).getOrSet,
	"asyncGetOrSet": k6x.Promising((*client).getOrSetTask),
	"set":           (*client).set,
	"asyncSet":      k6x.Promising((*client).setTask),
	"delete":        (*client).remove,
	"asyncDelete":   k6x.Promising((*client).deleteTask),
	"close":         (*client).close,
	"asyncClose":    k6x.Promising((*client).closeTask),
	"run":           (*client).run,
	"prefill":       (*client).prefill,
	"hitRate":       (*client).hitRate,
	"ycsb":          (*client).ycsb,
}

func (c *client) connect(call sobek.FunctionCall) sobek.Value {
	defer c.tagged("connect", call.Argument(0))()
	c.do("connect", func(ctx context.Context, w *wire.Client, _ *done) error { return w.Connect(ctx) })

	return sobek.Undefined()
}

// The metrics carry the tags until done is called.
func (c *client) tagged(method string, options sobek.Value) (done func()) {
	if k6x.IsNullish(options) {
		return untagged
	}
	var tags k6x.Tags
	if err := callOptions.Read(method, options, &tags); err != nil {
		c.Throw(err)
	}
	c.Tag(tags)

	return func() { c.Tag(k6x.Tags{}) }
}

func untagged() {}

var callOptions = k6x.Options[k6x.Tags]{ //nolint:gochecknoglobals // a table
	k6x.TagsOption(func(t *k6x.Tags) *k6x.Tags { return t }),
}

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

func (c *client) do(operation string, job func(context.Context, *wire.Client, *done) error) {
	c.notCalling()
	c.tasks.Wait()
	c.calling = true
	defer func() { c.calling = false }()
	if err := c.locked(operation, job); err != nil {
		c.fail(err)
	}
}

func (c *client) locked(operation string, job func(context.Context, *wire.Client, *done) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	d, err := c.perform(c.VU().Context(), &c.done, operation, job)
	if d != nil {
		c.record(d)
		c.Step(0, d.received, d.sent)
	}

	return err
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

// fail throws err. An exception of the script's function is thrown unchanged.
func (c *client) fail(err error) {
	var thrown *sobek.Exception
	var interrupted *sobek.InterruptedError
	if errors.As(err, &thrown) {
		panic(thrown)
	}
	if errors.As(err, &interrupted) {
		common.Throw(c.Runtime(), interrupted)
	}
	c.Throw(err)
}
