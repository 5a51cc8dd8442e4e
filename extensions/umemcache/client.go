package umemcache

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/common"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/cachebench"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/umemcache/wire"
)

// client is a JavaScript Client: one user of connections that all clients of the process with the same options share. They
// are opened as they are needed, and closed when the last of these clients, or its VU, has no more use for them.
type client struct {
	*module

	config *Config
	bench  *cachebench.Bench
	store  *store // of the bench

	calling bool // an operation is under way: a function of the script's that it calls must not begin another one

	mu   sync.Mutex   // held for each operation: the end of the VU may come from another goroutine while one still runs
	wire *wire.Client // nil while it has no share

	key, into, value []byte // memory that operations use again
	done             done   // what the last one came to
}

// newClient is new Client(address, options) or new Client(options). It does not connect: that is not for the init
// context.
func (m *module) newClient(call sobek.ConstructorCall) *sobek.Object {
	var o options
	rest := call.Argument(0)
	text, isText := k6glue.Text(rest)
	if isText || k6glue.IsNullish(rest) {
		rest = call.Argument(1)
	} else if !k6glue.IsNullish(call.Argument(1)) {
		m.throw(misuse("new Client takes an address and options, or options alone"))
	}
	if err := k6glue.Options(rest, &o); err != nil {
		m.throw(misuse("new Client: %s", err))
	}
	if isText {
		o.Address = text
	}
	config, err := o.config()
	if err != nil {
		m.throw(misuse("new Client: %s", err))
	}

	c := &client{module: m, config: config}
	c.store = &store{client: c}
	c.bench = cachebench.New(m.vu, m.benches, config.Target.Address, c.store)
	if err := call.This.DefineDataProperty("generation", m.vu.Runtime().ToValue(config.Target.Generation.String()),
		sobek.FLAG_FALSE, sobek.FLAG_FALSE, sobek.FLAG_TRUE); err != nil {
		m.throw(misuse("new Client: %s", err))
	}
	methods.Put(m.vu.Runtime(), call.This, c)

	return nil
}

// methods are those of the JavaScript object.
var methods = k6glue.Methods[*client]{ //nolint:gochecknoglobals // a table
	"connect":  (*client).connect,
	"get":      (*client).get,
	"getOrSet": (*client).getOrSet,
	"set":      (*client).set,
	"del":      (*client).del,
	"close":    (*client).close,
	"run":      (*client).run,
	"hitRate":  (*client).hitRate,
}

// connect is client.connect(): it opens a connection to each thread for this client, as far as there may be more.
func (c *client) connect(sobek.FunctionCall) sobek.Value {
	c.do(opConnect, func(ctx context.Context, w *wire.Client, _ *done) error { return w.Connect(ctx) })

	return sobek.Undefined()
}

// close is client.close(). The next operation opens what it needs.
func (c *client) close(sobek.FunctionCall) sobek.Value {
	c.notCalling()
	c.disconnect()

	return sobek.Undefined()
}

// notCalling throws when an operation is under way: what it works with must stay as it is.
func (c *client) notCalling() {
	if c.calling {
		c.throw(misuse("the function that getOrSet calls holds the key's fill lock: it must not use the same Client"))
	}
}

// do runs one operation and records it. What it throws is the operation's error.
func (c *client) do(operation string, job func(context.Context, *wire.Client, *done) error) {
	c.notCalling()
	c.calling = true
	defer func() { c.calling = false }()
	if err := c.locked(operation, job); err != nil {
		c.fail(err)
	}
}

func (c *client) locked(operation string, job func(context.Context, *wire.Client, *done) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	d, err := c.perform(operation, job)
	if d != nil {
		c.instruments.record(d)
		c.step.Bytes(d.received, d.sent)
	}

	return err
}

// perform runs one operation, and returns what it came to: nil if it could not begin. The caller holds c.mu.
func (c *client) perform(operation string, job func(context.Context, *wire.Client, *done) error) (*done, error) {
	if err := c.join(); err != nil {
		return nil, err
	}
	d := &c.done
	*d = done{operation: operation, outcome: k6glue.OutcomeOK}
	begin := time.Now()
	err := job(c.vu.Context(), c.wire, d)
	d.took = time.Since(begin)
	if e := asError(err); e != nil {
		d.outcome, d.hits, d.misses = string(e.Kind), 0, 0
	}
	d.received, d.sent = c.wire.Traffic()
	d.retries, d.lostFills = c.wire.Retries()

	return d, err
}

var errInit = misuse("a Client cannot be used in the init context; use it in setup() or in a scenario's function")

// join makes sure that the client has its share in the connections. The caller holds c.mu.
func (c *client) join() error {
	if c.wire != nil {
		return nil
	}
	if c.vu.State() == nil {
		return errInit
	}
	target, err := c.targets.Join(c.config.Target, func() (wire.Target, error) { return c.config.open(c.vu) })
	if err != nil {
		return misuse("%s", err)
	}
	c.wire = wire.NewClient(target, c.config.Timeout)
	c.closing.Add(c, c.disconnect)

	return nil
}

// disconnect gives up the client's share in the connections. Any goroutine may call it.
func (c *client) disconnect() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.wire == nil {
		return
	}
	c.wire.Close()
	c.targets.Leave(c.config.Target, wire.Target.Close)
	c.wire = nil
	c.closing.Remove(c)
}

// fail throws an operation's error: what a function of the script's has thrown, as it is.
func (c *client) fail(err error) {
	var thrown *sobek.Exception
	var interrupted *sobek.InterruptedError
	if errors.As(err, &thrown) {
		panic(thrown)
	}
	if errors.As(err, &interrupted) {
		common.Throw(c.vu.Runtime(), interrupted)
	}
	c.throw(asError(err))
}
