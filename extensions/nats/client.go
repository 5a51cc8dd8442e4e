package nats

import (
	"context"
	"crypto/tls"
	"sync"
	"sync/atomic"
	"time"

	"github.com/grafana/sobek"

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
	callTags  k6x.Frozen[*k6x.Tags]
	scratch   []byte
	publish   publisher
	callbacks atomic.Int32
}

func (m *module) newClient(call sobek.ConstructorCall) *sobek.Object {
	o := options{open: m.read}
	methods.Put(m.Runtime(), call.This, m.clientOf(k6x.ParseClient(m.Module, call, &o, o.config)))

	return nil
}

func (m *module) read(path string) ([]byte, error) { return k6x.ReadFile(m.VU(), path) }

func (m *module) clientOf(config *Config) *client {
	return &client{module: m, config: config, tasks: m.NewTasks(false)}
}

// Tasks implements k6x.Tasker.
func (c *client) Tasks() *k6x.Tasks { return c.tasks }

var methods = k6x.BothForms(map[string]operation[*client]{ //nolint:gochecknoglobals // a table
	"connect":     (*client).connect,
	"flush":       tagged("flush", 1, (*client).flush),
	"drain":       tagged("drain", 1, (*client).drain),
	"rtt":         tagged("rtt", 0, (*client).rtt),
	"request":     (*client).request,
	"requestMany": (*client).requestMany,
}).With(k6x.Methods[*client]{
	"connect": k6x.InTurn(k6x.Blocking((*client).connect)),
}).With(k6x.Methods[*client]{
	"close":        (*client).close,
	"publish":      (*client).publishOne,
	"publishBatch": (*client).publishBatch,
	"subscribe":    (*client).subscribe,
	"respond":      (*client).respond,
	"jetStream":    (*client).jetStream,
	"layout":       (*client).newLayout,
	"natsjsRow":    (*client).newNatsjsRow,
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

func (c *client) connect(call sobek.FunctionCall) (*task, error) {
	var o connectOptions
	err := connecting.Read("connect", call.Argument(0), &o)

	return &task{client: c, runs: o.runs, tags: o.tags}, err
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

func (c *client) flush(call sobek.FunctionCall) (*task, error) {
	timeout, err := k6x.Duration("flush", "the timeout", call.Argument(0), c.config.TimeoutEach)

	return &task{client: c, operation: "flush", timeout: timeout, job: func(ctx context.Context, conn *connection, _ *record) error {
		return conn.flush(ctx)
	}}, err
}

func (c *client) drain(call sobek.FunctionCall) (*task, error) {
	timeout, err := k6x.Duration("drain", "the timeout", call.Argument(0), c.config.TimeoutEach)
	if err == nil && c.config.Connection == k6x.ConnectionShared {
		err = k6x.Misuse("drain: the connection is shared, others may still use it; drain the subscriptions")
	}

	return &task{client: c, operation: "drain", timeout: timeout, job: func(ctx context.Context, conn *connection, _ *record) error {
		return conn.drain(ctx)
	}}, err
}

func (c *client) rtt(sobek.FunctionCall) (*task, error) {
	var took time.Duration

	return &task{
		client: c, operation: "rtt",
		job: func(ctx context.Context, conn *connection, _ *record) error {
			begin := clock.Now()
			err := conn.flush(ctx)
			took = clock.Since(begin)

			return err
		},
		value: func() (sobek.Value, error) {
			return c.Runtime().ToValue(float64(took) / float64(time.Millisecond)), nil
		},
	}, nil
}

func (c *client) info(sobek.FunctionCall) sobek.Value {
	c.mu.Lock()
	conn := c.conn
	c.mu.Unlock()
	if conn == nil || !conn.nc.IsConnected() {
		return sobek.Null()
	}

	return k6x.Plain(c.Runtime(), map[string]any{
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
	dial, secure := k6x.Dial(c.VU()), c.config.secrets.Config(c.VU(), "", tls.VersionTLS12)
	if c.config.Connection == k6x.ConnectionShared {
		if c.joined == nil {
			c.joined, _ = c.shared.connections.Join(c.config.key(), func() (*sharedConnection, error) { return &sharedConnection{}, nil })
			c.Closing().Add(c, c.disconnect)
		}

		return c.joined.acquire(ctx, c.config, dial, secure)
	}
	if c.conn != nil {
		c.conn.stop()
	}
	conn, err = openConnection(ctx, c.config, dial, secure)

	return conn, true, err
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
			c.Add(c.instruments.connects, 1)
		}
		c.Traffic(r.bytesIn, r.bytesOut)
		c.instruments.record(r)

		return
	}
	var sent, received uint64
	if conn != nil {
		sent, received = conn.claim(c.module)
	}
	c.instruments.record(r)
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
