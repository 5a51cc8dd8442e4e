package machbase

import (
	"context"
	"sync"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/runs"
)

// client is a JavaScript Client: one connection of one VU, opened by the first operation that needs
// it, opened anew by the next one after it broke, and closed when the VU ends.
type client struct {
	*module

	config *Config
	driver Driver
	tasks  *k6mod.Tasks

	// mu is held for each operation, and for a run: the end of the VU may come from another goroutine
	// while one is under way.
	mu         sync.Mutex
	connection *connection
	// appenders are those on the connection that are not closed. mu guards them.
	appenders []*appender

	// idle is a call that is used again; nil while it is under way.
	idle *queryCall

	args    k6glue.Frozen[[]any]
	options k6glue.Frozen[*queryOptions]
	// spoken is the last SQL text as the script has it, and text as Go does.
	spoken sobek.Value
	text   string
	// stock is the source of the appenders: one table's load goes on where another appender's has
	// ended.
	stock *stockSource

	runs *runs.Runs
	// seat is where they take turns with those of other clients; nil with drivers whose connections
	// cannot be used there.
	seat *eventloop.Seat
	// drawn is what the operations of runs draw, by its seed.
	drawn map[uint64]*draws
	// work is that of the last run.
	work *work
}

// newClient is new Client(url, options) or new Client(options). It does not connect: that is not
// for the init context.
func (m *module) newClient(call sobek.ConstructorCall) *sobek.Object {
	var o options
	config := k6mod.ParseClient(m.Module, call, &o, o.config)
	driver, err := m.driverNamed(config.Driver)
	if err != nil {
		m.Misuse("new Client: %s", err)
	}
	c := &client{module: m, config: config, driver: driver, tasks: m.NewTasks(true), drawn: map[uint64]*draws{}}
	c.runs = runs.New(m, m.shared, moving{c})
	if _, native := driver.(nativeDriver); native {
		c.seat = m.shared.Seat()
		c.runs.TakeTurns(c.seat)
	}
	m.SetConstant(call.This, "driver", driver.Name())
	m.SetConstant(call.This, "statementCache", config.StatementCache)
	methods.Put(m.Runtime(), call.This, c)

	return nil
}

// methods are those of the JavaScript object.
var methods = k6mod.BothForms(map[string]operation[*client]{ //nolint:gochecknoglobals // a table
	"connect":  (*client).connect,
	"query":    (*client).query,
	"exec":     (*client).exec,
	"prepare":  (*client).prepare,
	"appender": (*client).appender,
}).With(k6glue.Methods[*client]{
	"connect": k6mod.InTurn(k6mod.Blocking((*client).connect)),
	"rollup":  (*client).rollup,
	"run":     (*client).run,
	"close":   (*client).close,
})

// Tasks implements k6mod.Tasker.
func (c *client) Tasks() *k6mod.Tasks { return c.tasks }

// connect is client.connect(): it connects now, if that was not done yet, and throws when it
// cannot.
func (c *client) connect(call sobek.FunctionCall) (*task, error) {
	t := &task{client: c}

	return t, connectOptions.Read("connect", call.Argument(0), t)
}

// close is client.close(): it closes the appenders that are open, and the connection. The next
// operation opens a new one.
func (c *client) close(sobek.FunctionCall) sobek.Value {
	c.tasks.Wait()
	var failed error
	for _, l := range c.closed() {
		c.record(&record{operation: opAppend, err: l.err, took: l.took})
		if l.err == nil {
			l.count(l.receipt)
		} else if failed == nil {
			failed = l.err
		}
	}
	if failed != nil {
		c.Throw(failed)
	}

	return sobek.Undefined()
}

// ensure makes sure that there is a connection. The caller holds c.mu, as that of lost.
func (c *client) ensure(ctx context.Context, t *task) error {
	if c.connection != nil {
		return nil
	}
	begin := clock.Now()
	var made *connection
	var err error
	dial := k6glue.Dial(c.VU())
	c.seat.Away(func() { made, err = connect(ctx, c.driver, c.config, dial) })
	r := record{operation: opConnect, err: err, took: clock.Since(begin)}
	if err == nil {
		made.use(c.seat)
		c.connection = made
		r.received, r.sent = made.traffic()
		c.Closing().Add(c, c.disconnect)
	}
	t.recorded = append(t.recorded, r)

	return err
}

// disconnect is for the end of the VU.
func (c *client) disconnect() {
	for _, l := range c.closed() {
		l.fail()
	}
}

// closed closes the connection, and returns the appenders that were open on it.
func (c *client) closed() []leftAppender {
	c.mu.Lock()
	defer c.mu.Unlock()
	left := c.closeLeft()
	c.lost()

	return left
}

// lost gives up the connection.
func (c *client) lost() {
	for _, a := range c.appenders {
		if a.unacknowledged > 0 && c.lostRows.CompareAndSwap(false, true) {
			a.log.Warnf("the connection of an appender on %s broke: nobody knows which of the last %d rows that it was given "+
				"are in the table", a.table, a.unacknowledged)
		}
	}
	if c.connection != nil {
		c.connection.close()
		c.connection, c.appenders = nil, nil
		c.Closing().Remove(c)
	}
}

// current is the connection at this moment, or nil.
func (c *client) current() *connection {
	c.mu.Lock()
	defer c.mu.Unlock()

	return c.connection
}
