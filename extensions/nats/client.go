package nats

import (
	"context"
	"crypto/tls"
	"sync"
	"sync/atomic"
	"time"

	"github.com/grafana/sobek"
	natsio "github.com/nats-io/nats.go"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

// client is the JavaScript object Client. The first operation opens its connection. nats.go
// restores a broken one; when it has given up, the next operation opens a new one. Runs in Go
// use another connection: see runConnection.
type client struct {
	*module

	config *Config
	tasks  *k6x.Tasks

	// mu guards conn, joined and running: promises, and the end of the VU, run in other goroutines.
	mu      sync.Mutex
	conn    *connection
	joined  *sharedConnection
	running *runConnection

	room      [2]record
	calls     clock.Contexts
	callbacks atomic.Int32

	usual    messageOptions // without options
	frozen   [numTables]k6x.Frozen[*messageOptions]
	batches  k6x.Frozen[[][]byte]
	callTags k6x.Frozen[*k6x.Tags]
	scratch  []byte
	outbox   natsio.Msg
}

func (m *module) newClient(call sobek.ConstructorCall) *sobek.Object {
	o := m.defaults()
	methods.Put(m.Runtime(), call.This, m.clientOf(k6x.ParseClient(m.Module, call, &o, o.config)))

	return nil
}

func (m *module) clientOf(config *Config) *client {
	return &client{module: m, config: config, tasks: m.NewTasks(false), usual: messageOptions{timeout: config.timeout}}
}

// Tasks implements k6x.Tasker.
func (c *client) Tasks() *k6x.Tasks { return c.tasks }

func (c *client) owner() *client { return c }

var methods = calls("", map[string]func(*client, *task){ //nolint:gochecknoglobals // a table
	"connect": (*client).connect,
	"flush":   (*client).flush,
	"drain":   (*client).drain,
	"rtt":     (*client).rtt,
	"request": (*client).request,
}).With(k6x.Methods[*client]{
	"connect":      k6x.InTurn(k6x.Blocking(called("", "connect", (*client).connect))),
	"close":        (*client).close,
	"publish":      (*client).publish,
	"publishBatch": (*client).publishBatch,
	"subscribe":    (*client).subscribe,
	"respond":      (*client).respond,
	"jetStream":    (*client).jetStream,
	"layout":       (*client).layout,
	"natsjsRow":    (*client).natsjsRow,
	"requestBatch": (*client).requestBatch,
	"info":         (*client).info,
})

type connectOptions struct {
	runs bool
	tags *k6x.Tags
}

var connecting = k6x.Options[connectOptions]{ //nolint:gochecknoglobals // a table
	k6x.Into("runs", func(o *connectOptions) *bool { return &o.runs }, truth),
	k6x.Into("tags", func(o *connectOptions) **k6x.Tags { return &o.tags }, readTags),
}

func (c *client) connect(t *task) {
	var o connectOptions
	readOptions(&t.args, connecting, &o)
	t.runs, t.tags = o.runs, o.tags
}

func (c *client) close(sobek.FunctionCall) sobek.Value {
	c.mu.Lock()
	conn := c.conn
	c.mu.Unlock()
	c.disconnect()
	if conn != nil {
		conn.claim(c.module)
		c.Emit()
	}

	return sobek.Undefined()
}

func (c *client) flush(t *task) {
	t.timeout = t.duration("the timeout", c.config.timeout)
	t.job = flush
}

func flush(ctx context.Context, conn *connection, _ *record) error { return conn.flush(ctx) }

func (c *client) drain(t *task) {
	t.timeout = t.duration("the timeout", c.config.timeout)
	if c.config.Connection == k6x.ConnectionShared {
		t.refuse("the connection is shared, others may still use it; drain the subscriptions")
	}
	t.job = func(ctx context.Context, conn *connection, _ *record) error { return conn.drain(ctx) }
}

func (c *client) rtt(t *task) {
	t.job = flush
	t.value = func() (sobek.Value, error) {
		took := t.recorded[len(t.recorded)-1].took

		return c.Runtime().ToValue(float64(took) / float64(time.Millisecond)), nil
	}
}

func (c *client) info(sobek.FunctionCall) sobek.Value {
	c.mu.Lock()
	conn := c.conn
	c.mu.Unlock()
	if conn == nil || !conn.nc.IsConnected() {
		return sobek.Null()
	}

	return c.plainObject(map[string]any{
		"server": conn.nc.ConnectedServerName(), "version": conn.nc.ConnectedServerVersion(), "url": conn.nc.ConnectedUrlRedacted(),
		"cluster": conn.nc.ConnectedClusterName(), "maxPayload": conn.nc.MaxPayload(), "tls": conn.nc.TLSRequired(),
	})
}

// Any goroutine may call it.
func (c *client) acquire(ctx context.Context, recorded *[]record) (*connection, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn != nil && c.conn.usable() {
		return c.conn, nil
	}
	if c.VU().State() == nil {
		return nil, k6x.ErrInit
	}

	begin := clock.Now()
	conn, opened, err := c.open(ctx)
	if err != nil || opened {
		r := record{operation: opConnect, err: err, took: clock.Since(begin)}
		if err == nil {
			r.bytesOut, r.bytesIn = conn.traffic()
		}
		*recorded = append(*recorded, r)
	}
	if err != nil {
		return nil, err
	}
	c.conn = conn
	c.Closing().Add(c, c.disconnect)

	return conn, nil
}

func (c *client) connected() *connection {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn == nil || !c.conn.usable() {
		return nil
	}

	return c.conn
}

func (c *client) open(ctx context.Context) (conn *connection, opened bool, err error) {
	if c.config.Connection == k6x.ConnectionShared {
		if c.joined == nil {
			c.joined, _ = c.shared.connections.Join(c.config.key(), func() (*sharedConnection, error) { return &sharedConnection{}, nil })
			c.Closing().Add(c, c.disconnect)
		}

		return c.joined.acquire(func() (*connection, error) { return c.dial(ctx) })
	}
	if c.conn != nil {
		c.conn.stop()
	}
	conn, err = c.dial(ctx)

	return conn, true, err
}

func (c *client) dial(ctx context.Context) (*connection, error) {
	return openConnection(ctx, c.config, k6x.Dial(c.VU()), c.config.secrets.Config(c.VU(), "", tls.VersionTLS12))
}

// Any goroutine may call it.
func (c *client) disconnect() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.joined != nil {
		c.shared.connections.Leave(c.config.key(), (*sharedConnection).close)
		c.joined = nil
	} else if c.conn != nil {
		c.conn.close()
	}
	if c.running != nil {
		c.running.close()
	}
	c.conn = nil
	c.Closing().Remove(c)
}

func (c *client) note(r *record, conn *connection) {
	if r.operation == opConnect {
		if r.err == nil {
			c.Add(c.connects, 1)
		}
		c.Traffic(r.bytesIn, r.bytesOut)
		c.record(r)

		return
	}
	var sent, received uint64
	if conn != nil {
		sent, received = conn.claim(c.module)
	}
	c.record(r)
	if !r.apart {
		c.account(uint64(r.sent.messages), uint64(r.received.messages), received, sent)
	}
}

func (c *client) noteAll(recorded []record, conn *connection) {
	for i := range recorded {
		c.note(&recorded[i], conn)
	}
}

func (c *client) subject(subject string) string {
	if subject == "" || !c.config.TagSubjects {
		return ""
	}

	return subject
}
