package memcached

import (
	"sync"
	"time"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/workload"
	"github.com/xk6-sweep/xk6-sweep/extensions/memcached/wire"
)

// client is the JavaScript object Client. An operation opens its connection if it is missing
// or broken.
type client struct {
	*module

	config *Config
	picker wire.Picker

	watch *clock.Watch[*wire.Conn]

	mu    sync.Mutex // the VU may end in another goroutine
	conns []*wire.Conn
	pools []*pool

	dialling time.Duration

	greets bool

	calling bool
	batches []batch
	tags    k6x.Tags

	// tasks run in order, as a connection serves one at a time.
	tasks   *k6x.Tasks
	effects *effects

	bench *workload.CacheBench
	store *store // used by benchmarks
	seat  *eventloop.Seat
}

func (m *module) newClient(call sobek.ConstructorCall) *sobek.Object {
	var o options
	config := k6x.ParseClient(m.Module, call, &o, o.config)
	c := &client{
		module: m, config: config, pools: make([]*pool, len(config.Servers)), conns: make([]*wire.Conn, len(config.Servers)),
		batches: make([]batch, len(config.Servers)),
		tasks:   m.NewTasks(true),
		watch:   clock.NewWatch(func(conn *wire.Conn, _ clock.Outcome) { conn.Interrupt() }),
	}
	c.picker = newPicker(config)
	c.store = newStore(c)
	c.bench = workload.NewCache(m, &m.shared.bench, config.target(), c.store)
	if !config.Shared {
		c.seat = m.shared.bench.Seat()
		c.bench.TakeTurns(c.seat)
	}
	methods.Put(m.Runtime(), call.This, c)
	m.SetConstant(call.This, "meta", metaMethods.Object(m.Runtime(), c))
	m.SetConstant(call.This, "protocol", protocolName(config.Protocol))

	return nil
}

func newPicker(config *Config) wire.Picker {
	switch {
	case len(config.Servers) == 1:
		return nil
	case config.Hashing == hashingJump:
		return wire.NewJump(len(config.Servers))
	}
	servers := make([]wire.Server, len(config.Servers))
	for i, address := range config.Servers {
		servers[i] = wire.Server{Address: address, Weight: 1}
	}

	return wire.NewKetama(servers)
}

func protocolName(p wire.Protocol) string {
	if p == wire.Meta {
		return protocolMeta
	}

	return protocolText
}

var methods = commandMethods(false).With(k6x.Methods[*client]{ //nolint:gochecknoglobals // a table
	"connect":      k6x.InTurn((*client).connect),
	"asyncConnect": (*client).asyncConnect,
	"close":        (*client).close,
	"asyncClose":   (*client).asyncClose,
	"getMulti":     (*client).getMulti,
	"getOrSet":     (*client).getOrSet,
	"pipeline":     (*client).pipeline,
	"flushAll":     (*client).flushAll,
	"stats":        (*client).stats,
	"version":      (*client).version,
	"run":          (*client).run,
	"prefill":      (*client).prefill,
	"hitRate":      (*client).hitRate,
	"ycsb":         (*client).ycsb,
})

var metaMethods = commandMethods(true).With(k6x.Methods[*client]{"noop": (*client).noop}) //nolint:gochecknoglobals // a table

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

func (c *client) ready() {
	c.MustRun()
	c.tasks.Wait()
}

// The metrics carry the tags until done is called.
func (c *client) tagged(method string, options sobek.Value) (done func()) {
	e := entry{}
	c.check(tagsOnly.Read(method, options, &e))

	return c.tagAll(e.tags)
}

func (c *client) tagAll(tags k6x.Tags) (done func()) {
	c.tags = tags
	c.Tag(tags)

	return func() {
		c.tags = k6x.Tags{}
		c.Tag(c.tags)
	}
}

func (c *client) close(sobek.FunctionCall) sobek.Value {
	c.disconnect()

	return sobek.Undefined()
}

func (c *client) server(key []byte) int {
	if c.picker == nil {
		return 0
	}

	return c.picker.Pick(key)
}

// begin forbids nested calls, such as from a getter in an argument: calls share buffers.
func (c *client) begin() {
	c.ready()
	if c.calling {
		c.Misuse("a method of a Client cannot be called while another method of it reads its arguments")
	}
	c.calling = true
}

func (c *client) end() { c.calling = false }

func (c *client) do(operation string, server int, q *wire.Request, a *wire.Reply) error {
	var err error
	took := c.timed(func() { err = c.request(operation, server, q, a) })
	c.EmitDuration(operation, err, took)

	return err
}

func (c *client) request(operation string, server int, q *wire.Request, a *wire.Reply) error {
	err := c.exchange(server, func(conn *wire.Conn) error { return conn.Do(q, a) })

	var h hits
	if err == nil && readsValue(q.Verb) {
		h.of(a.Status)
	}
	c.Count(operation, err, h.found, h.missed)

	return err
}

// timed includes the wait for a connection of a shared pool, but not connecting, which counts
// as an operation.
func (c *client) timed(operation func()) time.Duration {
	c.dialling = 0
	begin := clock.Now()
	operation()

	return clock.Since(begin) - c.dialling
}

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
		c.store.addTraffic(received, sent)

		return
	}
	c.Step(0, received, sent)
}
