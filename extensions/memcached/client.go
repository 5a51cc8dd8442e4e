package memcached

import (
	"sync"
	"time"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/cachebench"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/deadline"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
	"github.com/xk6-sweep/xk6-sweep/extensions/memcached/wire"
	"github.com/xk6-sweep/xk6-sweep/extensions/memcached/wire/hashing"
)

// client is a JavaScript Client: its connections are opened by the first operation that needs them,
// opened anew by the next one after they broke, and closed when the VU ends.
type client struct {
	*module

	config *Config
	picker hashing.Picker // nil when there is one server

	watch *deadline.Watch[*wire.Conn]

	mu    sync.Mutex   // the VU's end may come from another goroutine
	conns []*wire.Conn // of each server, unless they are shared
	pools []*pool      // of each server, if they are

	dialling time.Duration // that the operation under way has spent on connecting

	// greets makes connections that are opened wait for the server's first answer.
	greets bool

	calling bool // a call is under way: what follows is in use
	batches []batch
	tags    k6mod.Tags // of the calls of which single ones are a part

	// tasks are the calls that have promises. They are ordered: a connection does one thing at a
	// time.
	tasks *k6mod.Tasks
	// effects are those of the task under way; nil while a call that the VU waits for counts by
	// itself.
	effects *effects

	bench *cachebench.Bench
	store *store // of the bench
	// seat is the client's at the event loops; nil where connections are shared.
	seat *eventloop.Seat
}

// newClient is new Client(url, options) or new Client(options).
func (m *module) newClient(call sobek.ConstructorCall) *sobek.Object {
	var o options
	config := k6mod.ParseClient(m.Module, call, &o, o.config)
	c := &client{
		module: m, config: config, pools: make([]*pool, len(config.Servers)), conns: make([]*wire.Conn, len(config.Servers)),
		batches: make([]batch, len(config.Servers)),
		tasks:   m.NewTasks(true),
		watch:   deadline.New(func(conn *wire.Conn, _ deadline.Outcome) { conn.Interrupt() }),
	}
	c.picker = newPicker(config)
	c.store = newStore(c)
	c.bench = cachebench.New(m, &m.shared.bench, config.target(), c.store)
	if !config.Shared {
		c.seat = m.shared.bench.Seat()
		c.bench.TakeTurns(c.seat)
	}
	methods.Put(m.Runtime(), call.This, c)
	m.SetConstant(call.This, "meta", metaMethods.Object(m.Runtime(), c))
	m.SetConstant(call.This, "protocol", protocolName(config.Protocol))

	return nil
}

func newPicker(config *Config) hashing.Picker {
	switch {
	case len(config.Servers) == 1:
		return nil
	case config.Hashing == hashingJump:
		return hashing.NewJump(len(config.Servers))
	}
	servers := make([]hashing.Server, len(config.Servers))
	for i, address := range config.Servers {
		servers[i] = hashing.Server{Address: address, Weight: 1}
	}

	return hashing.NewKetama(servers)
}

func protocolName(p wire.Protocol) string {
	if p == wire.Meta {
		return protocolMeta
	}

	return protocolText
}

// methods are those of the JavaScript object.
var methods = commandMethods(false).With(k6glue.Methods[*client]{ //nolint:gochecknoglobals // a table
	"connect":      k6mod.InTurn((*client).connect),
	"asyncConnect": (*client).asyncConnect,
	"close":        (*client).close,
	"asyncClose":   (*client).asyncClose,
	"getMulti":     (*client).getMulti,
	"setMulti":     (*client).setMulti,
	"deleteMulti":  (*client).deleteMulti,
	"getOrSet":     (*client).getOrSet,
	"pipeline":     (*client).pipeline,
	"flushAll":     (*client).flushAll,
	"stats":        (*client).stats,
	"version":      (*client).version,
	"run":          (*client).run,
	"prefill":      (*client).prefill,
	"hitRate":      (*client).hitRate,
})

// metaMethods are those of its property meta.
var metaMethods = commandMethods(true).With(k6glue.Methods[*client]{"noop": (*client).noop}) //nolint:gochecknoglobals // a table

// connect is client.connect(): it connects to all servers now, where that was not done yet.
func (c *client) connect(call sobek.FunctionCall) sobek.Value {
	c.ready()
	defer c.tagged("connect", call.Argument(0))()
	c.check(c.connectAll())

	return sobek.Undefined()
}

func (c *client) connectAll() error {
	c.greets = true
	defer func() { c.greets = false }()
	for server := range c.config.Servers {
		l, err := c.acquire(server)
		if err != nil {
			return err
		}
		c.release(l)
	}

	return nil
}

// ready makes a call wait for the tasks that were begun before. It throws in the init context.
func (c *client) ready() {
	c.MustRun()
	c.tasks.Wait()
}

// tagged reads the options { tags } of a method, for all that it does until done is called.
func (c *client) tagged(method string, options sobek.Value) (done func()) {
	e := entry{}
	c.check(tagsOnly.Read(method, options, &e))

	return c.tagAll(e.tags)
}

func (c *client) tagAll(tags k6mod.Tags) (done func()) {
	c.tags = tags
	c.Tag(tags)

	return func() {
		c.tags = k6mod.Tags{}
		c.Tag(c.tags)
	}
}

// close is client.close(): it closes the connections. The next operation opens new ones.
func (c *client) close(sobek.FunctionCall) sobek.Value {
	c.disconnect()

	return sobek.Undefined()
}

// server is that of a key.
func (c *client) server(key []byte) int {
	if c.picker == nil {
		return 0
	}

	return c.picker.Pick(key)
}

// begin guards what is used again from call to call: a getter in an argument could call another
// method.
func (c *client) begin() {
	c.ready()
	if c.calling {
		c.Misuse("a method of a Client cannot be called while another one of it reads its arguments")
	}
	c.calling = true
}

func (c *client) end() { c.calling = false }

// do does one request, counts it and emits its samples.
func (c *client) do(operation string, server int, q *wire.Request, a *wire.Reply) error {
	var err error
	took := c.timed(func() { err = c.request(operation, server, q, a) })
	c.EmitDuration(operation, err, took)

	return err
}

// request does one request and counts it.
func (c *client) request(operation string, server int, q *wire.Request, a *wire.Reply) error {
	err := c.exchange(server, func(conn *wire.Conn) error { return conn.Do(q, a) })

	var h hits
	if err == nil && asks(q.Verb) {
		h.of(a.Status)
	}
	c.Count(operation, err, h.found, h.missed)

	return err
}

// timed does an operation and returns how long that took: with the waiting for a connection of a
// shared pool, and without connecting, which is an operation of its own.
func (c *client) timed(operation func()) time.Duration {
	c.dialling = 0
	begin := clock.Now()
	operation()

	return clock.Since(begin) - c.dialling
}

// exchange does a job on a connection to a server.
func (c *client) exchange(server int, job func(*wire.Conn) error) error {
	l, err := c.acquire(server)
	if err != nil {
		return err
	}
	before := trafficOf(l.Conn)
	err = job(l.Conn)
	c.account(l.Conn, before)
	c.release(l)

	return err
}

// account counts what has gone over a connection since before, for k6 and for the sweep's step.
func (c *client) account(conn *wire.Conn, before traffic) {
	now := trafficOf(conn)
	received, sent := now.received-before.received, now.sent-before.sent
	if c.effects != nil {
		c.effects.traffic.received += received
		c.effects.traffic.sent += sent

		return
	}
	c.Traffic(received, sent)
	if c.store.running {
		c.store.moved(received, sent)

		return
	}
	c.Step(0, received, sent)
}
