package nats

import (
	"context"
	"crypto/tls"
	"sync"
	"time"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/deadline"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// client is a JavaScript Client: its connection is opened by the first operation that needs it, made again by nats.go when it
// breaks, opened anew when nats.go has given it up, and closed when the VU ends.
type client struct {
	*module

	config *Config

	mu     sync.Mutex // the VU's end, and promises, come from other goroutines
	conn   *connection
	joined *sharedConnection // with pool: 'shared'

	done    []record          // of the task that the VU waits for, used again
	room    [2]record         // for done: an operation, and the connect before it
	calls   deadline.Contexts // of brief tasks that the VU waits for
	scratch []byte            // memory of data that was a string
	publish publisher
	stream  *jetStreamHandle // of the methods that ydarias/xk6-nats has

	sweep    *k6glue.Session // of which recorder is,
	op       string          // and of which operation
	recorder *measure.Recorder
	messages *measure.Counter // of the same step
}

// newClient is new Client(url, options) or new Client(options). It does not connect: that is not for the init context.
func (m *module) newClient(call sobek.ConstructorCall) *sobek.Object {
	var o options
	address, rest := "", call.Argument(0)
	if given, ok := k6glue.Text(rest); ok || k6glue.IsNullish(rest) {
		address, rest = given, call.Argument(1)
	} else if !k6glue.IsNullish(call.Argument(1)) {
		m.throw(misuse("new Client takes a url and options, or options alone"))
	}
	if err := k6glue.Options(rest, &o); err != nil {
		m.throw(misuse("new Client: %s", err))
	}
	config, err := o.config(address)
	if err != nil {
		m.throw(misuse("new Client: %s", err))
	}

	c := &client{module: m, config: config}
	c.done = c.room[:0]
	c.stream = &jetStreamHandle{client: c}
	methods.Put(m.vu.Runtime(), call.This, c)

	return nil
}

// methods are those of the JavaScript object.
var methods = bothForms(map[string]operation[*client]{ //nolint:gochecknoglobals // a table
	"connect":     (*client).connect,
	"flush":       (*client).flush,
	"drain":       (*client).drain,
	"rtt":         (*client).rtt,
	"request":     (*client).request,
	"requestMany": (*client).requestMany,
}).With(k6glue.Methods[*client]{ // those that wait for nobody
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

	"publishWithHeaders":          (*client).publishWithHeaders,
	"publishMsg":                  (*client).publishMsg,
	"jetStreamSetup":              (*client).jetStreamSetup,
	"jetStreamPublish":            (*client).jetStreamPublish,
	"jetStreamPublishWithHeaders": (*client).jetStreamPublishWithHeaders,
	"jetStreamPublishMsg":         (*client).jetStreamPublishMsg,
	"jetStreamSubscribe":          (*client).jetStreamSubscribe,
})

// connect is client.connect(): it connects now, if that was not done yet, and throws when it cannot.
func (c *client) connect(sobek.FunctionCall) (*task, error) { return &task{}, nil }

// close is client.close(): it closes the connection. The next operation opens a new one. Messages that have come already still reach
// their callbacks.
func (c *client) close(sobek.FunctionCall) sobek.Value {
	c.mu.Lock()
	conn := c.conn
	c.mu.Unlock()
	c.disconnect()
	if conn != nil {
		conn.claim(&c.instruments)
		c.instruments.meter.Emit()
	}

	return sobek.Undefined()
}

// flush is client.flush(timeout): it returns when the server has taken all that was sent before.
func (c *client) flush(call sobek.FunctionCall) (*task, error) {
	timeout, err := duration("flush: the timeout", call.Argument(0), c.config.TimeoutEach)

	return &task{operation: "flush", timeout: timeout, job: func(ctx context.Context, conn *connection, _ *record) error {
		return conn.flush(ctx)
	}}, err
}

// drain is client.drain(timeout): it ends all subscriptions, sends what is left, and closes the connection.
func (c *client) drain(call sobek.FunctionCall) (*task, error) {
	timeout, err := duration("drain: the timeout", call.Argument(0), c.config.TimeoutEach)
	if err == nil && c.config.Pool == poolShared {
		err = misuse("drain: the connection is shared, others may still use it; drain the subscriptions")
	}

	return &task{operation: "drain", timeout: timeout, job: func(ctx context.Context, conn *connection, _ *record) error {
		return conn.drain(ctx)
	}}, err
}

// rtt is client.rtt(): the milliseconds that the server takes to answer a ping.
func (c *client) rtt(sobek.FunctionCall) (*task, error) {
	var took time.Duration

	return &task{
		operation: "rtt",
		job: func(ctx context.Context, conn *connection, _ *record) error {
			begin := time.Now()
			err := conn.flush(ctx)
			took = time.Since(begin)

			return err
		},
		value: func() (sobek.Value, error) {
			return c.vu.Runtime().ToValue(float64(took) / float64(time.Millisecond)), nil
		},
	}, nil
}

// info is client.info(): what the server has said about itself; null without a connection.
func (c *client) info(sobek.FunctionCall) sobek.Value {
	c.mu.Lock()
	conn := c.conn
	c.mu.Unlock()
	if conn == nil || !conn.nc.IsConnected() {
		return sobek.Null()
	}

	return c.vu.Runtime().ToValue(map[string]any{
		"server": conn.nc.ConnectedServerName(), "version": conn.nc.ConnectedServerVersion(), "url": conn.nc.ConnectedUrlRedacted(),
		"cluster": conn.nc.ConnectedClusterName(), "maxPayload": conn.nc.MaxPayload(), "tls": conn.nc.TLSRequired(),
	})
}

// acquire returns the connection, and opens it where there is none. It may be called by any goroutine.
func (c *client) acquire(ctx context.Context, recorded *[]record) (*connection, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn != nil && c.conn.usable() {
		return c.conn, nil
	}
	if c.vu.State() == nil {
		return nil, misuse("a Client cannot be used in the init context; use it in setup() or in a scenario's function")
	}

	begin := time.Now()
	conn, opened, err := c.open(ctx)
	if err != nil || opened {
		r := record{operation: opConnect, err: err, took: time.Since(begin)}
		if err == nil {
			r.sentBytes, r.receivedBytes = conn.traffic()
		}
		*recorded = append(*recorded, r)
	}
	if err != nil {
		return nil, err
	}
	c.conn = conn
	c.opened(c)

	return conn, nil
}

// open opens a connection of the client's own, or joins the one of all.
func (c *client) open(ctx context.Context) (conn *connection, opened bool, err error) {
	var base *tls.Config
	if state := c.vu.State(); state.TLSConfig != nil {
		base = state.TLSConfig
	}
	if c.config.Pool == poolShared {
		if c.joined == nil {
			c.joined = c.shared.join(c.config)
			c.opened(c)
		}

		return c.joined.acquire(ctx, c.config, k6glue.Dial(c.vu), base)
	}
	if c.conn != nil {
		c.conn.stop()
	}
	conn, err = openConnection(ctx, c.config, k6glue.Dial(c.vu), base)

	return conn, true, err
}

// disconnect closes the connection, or leaves the one of all. It may be called by any goroutine.
func (c *client) disconnect() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.joined != nil {
		c.shared.leave(c.joined)
		c.joined = nil
	} else if c.conn != nil {
		c.conn.close()
	}
	c.conn = nil
	c.closed(c)
}

// account adds to what the sweep reports of its step.
func (c *client) account(r *record, sent, received uint64) {
	sweep := c.instruments.meter.Session()
	if sweep == nil || r.apart {
		return
	}
	if sweep != c.sweep || sweep.Op != c.op {
		c.sweep, c.op, c.recorder = sweep, sweep.Op, sweep.Client.Recorder(sweep.Op)
		c.messages = sweep.Client.Counter(measure.Messages)
	}
	messages := uint64(max(r.sent.messages, r.received.messages))
	c.messages.Add(messages)
	c.recorder.Rows(messages) // the report's key since before there were counters
	c.recorder.Bytes(sent, received)
}

// note counts a call, on the VU's goroutine. What connecting takes is not the sweep's.
func (c *client) note(r *record, conn *connection) {
	if r.operation == opConnect {
		if r.err == nil {
			c.instruments.meter.Add(c.instruments.plain[metricConnects], 1)
		}
		c.instruments.traffic(r.sentBytes, r.receivedBytes)
		c.instruments.record(r)

		return
	}
	var sent, received uint64
	if conn != nil {
		sent, received = conn.claim(&c.instruments)
	}
	c.instruments.record(r)
	c.account(r, sent, received)
}

// subject is what the metrics show of a subject.
func (c *client) subject(subject string) string {
	if subject == "" || !c.config.TagSubjects {
		return ""
	}

	return subject
}
