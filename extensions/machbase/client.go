package machbase

import (
	"context"
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
	driver Driver

	mu      sync.Mutex // held for each operation: the end of the VU may come from another goroutine while one still runs
	session *session

	queued chan struct{} // closed when the last task that has a promise is done; nil when there was none
	done   []record      // of the task that the VU waits for, used again
	idle   *queryCall    // used again; nil while it is under way

	args    k6glue.Frozen[[]any]
	options k6glue.Frozen[*queryOptions]
	spoken  sobek.Value  // the last SQL text as the script has it,
	text    string       // and as Go does
	stock   *stockSource // of the appenders: one table's load goes on where another appender's has ended

	sweep    *k6glue.Session // of which recorder is,
	op       string          // and of which operation
	recorder *measure.Recorder
}

// newClient is new Client(url, options) or new Client(options). It does not connect: that is not for the init context.
func (m *module) newClient(call sobek.ConstructorCall) *sobek.Object {
	var o options
	rest := call.Argument(0)
	if text, ok := k6glue.Text(rest); ok || k6glue.IsNullish(rest) {
		o.URL = text
		rest = call.Argument(1)
	} else if !k6glue.IsNullish(call.Argument(1)) {
		m.throw(newError(KindUsage, "new Client takes a url and options, or options alone"))
	}
	if err := k6glue.Options(rest, &o); err != nil {
		m.throw(newError(KindUsage, "new Client: %s", err))
	}
	config, err := o.config()
	if err != nil {
		m.throw(newError(KindUsage, "new Client: %s", err))
	}

	driver, err := m.driverNamed(config.Driver)
	if err != nil {
		m.throw(newError(KindUsage, "new Client: %s", err))
	}

	c := &client{module: m, config: config, driver: driver}
	for name, value := range map[string]string{"driver": driver.Name(), "statementCache": config.StatementCache} {
		if err := call.This.DefineDataProperty(name, m.vu.Runtime().ToValue(value),
			sobek.FLAG_FALSE, sobek.FLAG_FALSE, sobek.FLAG_TRUE); err != nil {
			m.throw(newError(KindUsage, "new Client: %s", err))
		}
	}
	methods.Put(m.vu.Runtime(), call.This, c)

	return nil
}

// methods are those of the JavaScript object.
var methods = bothForms(map[string]operation[*client]{ //nolint:gochecknoglobals // a table
	"connect":  (*client).connect,
	"query":    (*client).query,
	"exec":     (*client).exec,
	"prepare":  (*client).prepare,
	"appender": (*client).appender,
}).With(k6glue.Methods[*client]{
	"rollup": (*client).rollup,
	"close":  (*client).close,
})

// connect is client.connect(): it connects now, if that was not done yet, and throws when it cannot.
func (c *client) connect(sobek.FunctionCall) (*task, error) { return &task{}, nil }

// close is client.close(): it closes the connection. The next operation opens a new one.
func (c *client) close(sobek.FunctionCall) sobek.Value {
	c.wait()
	c.disconnect()

	return sobek.Undefined()
}

// ensure makes sure that there is a connection. The caller holds c.mu, as that of lost.
func (c *client) ensure(ctx context.Context, recorded *[]record) error {
	if c.session != nil {
		return nil
	}
	if c.vu.State() == nil {
		return newError(KindUsage, "a Client cannot be used in the init context; use it in setup() or in a scenario's function")
	}

	begin := time.Now()
	s, err := openSession(ctx, c.driver, c.config, k6glue.Dial(c.vu))
	if err != nil {
		*recorded = append(*recorded, record{operation: opConnect, outcome: asError(err).Kind, took: time.Since(begin)})

		return err
	}
	c.session = s
	r := record{operation: opConnect, outcome: outcomeOK, took: time.Since(begin)}
	r.received, r.sent = s.traffic()
	*recorded = append(*recorded, r)
	c.closing.Add(c, c.disconnect)

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
		c.closing.Remove(c)
	}
}

// current is the session at this moment, or nil.
func (c *client) current() *session {
	c.mu.Lock()
	defer c.mu.Unlock()

	return c.session
}

// account adds to what the sweep reports of its step. What connecting takes is not the step's.
func (c *client) account(r *record) {
	sweep := c.instruments.meter.Session()
	if sweep == nil || r.operation == opConnect {
		return
	}
	if sweep != c.sweep || sweep.Op != c.op {
		c.sweep, c.op, c.recorder = sweep, sweep.Op, sweep.Client.Recorder(sweep.Op)
	}
	c.recorder.Rows(uint64(r.rows))
	c.recorder.Bytes(r.sent, r.received)
}
