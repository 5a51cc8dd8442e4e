package machbase

import (
	"sync"
	"time"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// client is a JavaScript Client: one connection of one VU, opened by the first operation that needs it, opened anew
// by the next one after it broke, and closed when the VU ends.
type client struct {
	*module

	config *Config

	mu      sync.Mutex // held for each operation: the end of the VU may come from another goroutine while one still runs
	session *session

	args    frozen[[]any]
	options frozen[*queryOptions]

	sweep    *k6glue.Session // of which recorder is,
	op       string          // and of which operation
	recorder *measure.Recorder
}

// newClient is new Client(url, options) or new Client(options). It does not connect: that is not for the init context.
func (m *module) newClient(call sobek.ConstructorCall) *sobek.Object {
	var o options
	rest := call.Argument(0)
	if text, ok := rest.Export().(string); ok || isNullish(rest) {
		o.URL = text
		rest = call.Argument(1)
	} else if !isNullish(call.Argument(1)) {
		m.throw(newError(KindUsage, "new Client takes a url and options, or options alone"))
	}
	if err := k6glue.Options(rest, &o); err != nil {
		m.throw(newError(KindUsage, "new Client: %s", err))
	}
	config, err := o.config()
	if err != nil {
		m.throw(newError(KindUsage, "new Client: %s", err))
	}

	c := &client{module: m, config: config}
	for name, value := range map[string]string{"driver": m.driver.Name(), "statementCache": config.StatementCache} {
		if err := call.This.DefineDataProperty(name, m.vu.Runtime().ToValue(value),
			sobek.FLAG_FALSE, sobek.FLAG_FALSE, sobek.FLAG_TRUE); err != nil {
			m.throw(newError(KindUsage, "new Client: %s", err))
		}
	}
	k6glue.Methods(m.vu.Runtime(), call.This, map[string]k6glue.Function{
		"connect":  c.connect,
		"query":    c.query,
		"exec":     c.exec,
		"prepare":  c.prepare,
		"appender": c.appender,
		"close":    c.close,
	})

	return nil
}

// connect is client.connect(): it connects now, if that was not done yet, and throws when it cannot.
func (c *client) connect(sobek.FunctionCall) sobek.Value {
	if err := c.open(); err != nil {
		c.throw(err)
	}

	return sobek.Undefined()
}

func (c *client) open() error {
	c.mu.Lock()
	defer c.mu.Unlock()

	return c.ensure()
}

// close is client.close(): it closes the connection. The next operation opens a new one.
func (c *client) close(sobek.FunctionCall) sobek.Value {
	c.disconnect()

	return sobek.Undefined()
}

// ensure makes sure that there is a connection. The caller holds c.mu, as that of lost.
func (c *client) ensure() error {
	if c.session != nil {
		return nil
	}
	if c.vu.State() == nil {
		return newError(KindUsage, "a Client cannot be used in the init context; use it in setup() or in a scenario's function")
	}

	begin := time.Now()
	s, err := openSession(c.vu.Context(), c.driver, c.config)
	if err != nil {
		c.instruments.record(opConnect, asError(err).Kind, time.Since(begin), 0, 0, 0)

		return err
	}
	c.session = s
	received, sent := s.traffic()
	c.instruments.record(opConnect, outcomeOK, time.Since(begin), 0, received, sent)
	c.opened(c)

	return nil
}

func (c *client) disconnect() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lost()
}

// lost gives up the connection.
func (c *client) lost() {
	if c.session != nil {
		c.session.close()
		c.session = nil
		c.closed(c)
	}
}

// current is the session at this moment, or nil.
func (c *client) current() *session {
	c.mu.Lock()
	defer c.mu.Unlock()

	return c.session
}

// do runs one operation on the connection and records it. rows tells how many rows it came to.
func (c *client) do(operation string, timeout time.Duration, rows func() int64, job func(Conn) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.ensure(); err != nil {
		return err
	}

	begin := time.Now()
	err := c.session.do(c.vu.Context(), timeout, job)
	took := time.Since(begin)

	outcome, count := outcomeOK, int64(0)
	if err != nil {
		outcome = err.Kind
	} else if rows != nil {
		count = rows()
	}
	received, sent := c.session.traffic()
	c.instruments.record(operation, outcome, took, count, received, sent)
	c.account(count, received, sent)

	if c.session.broken {
		c.lost()
	}
	if err == nil {
		return nil
	}

	return err
}

// account adds to what the sweep reports of its step.
func (c *client) account(rows int64, received, sent uint64) {
	sweep := k6glue.SessionOf(c.vu)
	if sweep == nil {
		return
	}
	if sweep != c.sweep || sweep.Op != c.op {
		c.sweep, c.op, c.recorder = sweep, sweep.Op, sweep.Client.Recorder(sweep.Op)
	}
	c.recorder.Rows(uint64(rows))
	c.recorder.Bytes(sent, received)
}
