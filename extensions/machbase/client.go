package machbase

import (
	"context"
	"sync"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/workload"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/generate"
)

// client is the JavaScript object Client. An operation opens its connection if it is missing
// or broken.
type client struct {
	*module

	config *Config
	driver Driver
	tasks  *k6x.Tasks

	// mu is held during each operation: the VU may end in another goroutine.
	mu         sync.Mutex
	connection *connection
	appenders  []*appender

	idle *queryCall

	args    k6x.Frozen[[]any]
	options k6x.Frozen[*queryOptions]
	// spoken caches the last SQL text as a JavaScript value, and text as a Go string.
	spoken sobek.Value
	text   string
	// stock continues one appender's load where another's ended.
	stock *generate.Stock

	runs  *workload.Runs
	seat  *eventloop.Seat
	drawn map[uint64]*draws
	work  *work
}

func (m *module) newClient(call sobek.ConstructorCall) *sobek.Object {
	var o options
	config := k6x.ParseClient(m.Module, call, &o, o.config)
	driver, err := m.driverNamed(config.Driver)
	if err != nil {
		m.Misuse("new Client: %s", err)
	}
	c := &client{module: m, config: config, driver: driver, tasks: m.NewTasks(true), drawn: map[uint64]*draws{}}
	c.runs = workload.NewRuns(m, m.shared, runTraffic{c})
	if _, native := driver.(nativeDriver); native {
		c.seat = m.shared.Seat()
		c.runs.TakeTurns(c.seat)
	}
	m.SetConstant(call.This, "driver", driver.Name())
	m.SetConstant(call.This, "statementCache", string(config.StatementCache))
	methods.Put(m.Runtime(), call.This, c)

	return nil
}

var methods = k6x.BothForms(map[string]operation[*client]{ //nolint:gochecknoglobals // a table
	"connect":  (*client).connect,
	"query":    (*client).query,
	"exec":     (*client).exec,
	"prepare":  (*client).prepare,
	"appender": (*client).appender,
}).With(k6x.Methods[*client]{
	"connect": k6x.InTurn(k6x.Blocking((*client).connect)),
	"run":     (*client).run,
	"close":   (*client).close,
})

// Tasks implements k6x.Tasker.
func (c *client) Tasks() *k6x.Tasks { return c.tasks }

func (c *client) connect(call sobek.FunctionCall) (*task, error) {
	t := &task{client: c}

	return t, connectOptions.Read("connect", call.Argument(0), t)
}

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

func (c *client) ensure(ctx context.Context, t *task) error {
	if c.connection != nil {
		return nil
	}
	begin := clock.Now()
	var made *connection
	var err error
	dial := k6x.Dial(c.VU())
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

func (c *client) disconnect() {
	for _, l := range c.closed() {
		l.fail()
	}
}

func (c *client) closed() []leftAppender {
	c.mu.Lock()
	defer c.mu.Unlock()
	left := c.closeLeft()
	c.discard()

	return left
}

func (c *client) discard() {
	for _, a := range c.appenders {
		if a.unacknowledged > 0 && c.lostRows.CompareAndSwap(false, true) {
			a.log.Warnf("the connection of an appender on %s broke: its last %d rows may not be in the table", a.table, a.unacknowledged)
		}
	}
	if c.connection != nil {
		c.connection.close()
		c.connection, c.appenders = nil, nil
		c.Closing().Remove(c)
	}
}

func (c *client) current() *connection {
	c.mu.Lock()
	defer c.mu.Unlock()

	return c.connection
}
