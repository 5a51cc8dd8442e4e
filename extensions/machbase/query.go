package machbase

import (
	"context"
	"strings"
	"time"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

func (c *client) query(call sobek.FunctionCall) (*task, error) {
	sql, err := c.textOf(call, "query")
	if err != nil {
		return nil, err
	}

	return c.queryTask(call.Argument(1), call.Argument(2), sql, nil)
}

type queryCall struct {
	task

	statement *statement
	text      string
	args      []any
	options   *queryOptions
	answer    queryAnswer
	read      func(Rows) error
}

func newQueryCall(c *client) *queryCall {
	q := &queryCall{}
	q.read = q.answer.read
	q.task = task{client: c, operation: opQuery, rows: &q.answer.count, job: q.run, value: q.result, over: q.release}

	return q
}

func (c *client) queryTask(params, options sobek.Value, text string, prepared *statement) (*task, error) {
	args, err := c.parameters(params)
	if err != nil {
		return nil, err
	}
	o, err := c.queryOptions(options)
	if err != nil {
		return nil, err
	}

	q := c.idle
	if q == nil {
		q = newQueryCall(c)
	}
	c.idle = nil
	q.text, q.statement, q.args, q.options = text, prepared, args, o
	q.answer.begin(o.rows != rowsDiscard, o.expect)
	q.timeout, q.tags = c.limit(o.timeout), o.tags

	return &q.task, nil
}

func (q *queryCall) run(ctx context.Context, conn Conn) error {
	if err := q.ask(ctx, conn); err != nil {
		return err
	}

	return q.options.minRows.check(q.answer.count)
}

func (q *queryCall) ask(ctx context.Context, conn Conn) error {
	if q.statement == nil {
		return conn.Query(ctx, q.text, q.args, q.read)
	}
	p, err := q.statement.on(ctx, conn)
	if err != nil {
		return err
	}

	return p.Query(ctx, q.args, q.read)
}

func (q *queryCall) result() (sobek.Value, error) {
	rt := q.client.Runtime()
	if q.options.rows == rowsDiscard {
		return rt.ToValue(q.answer.count), nil
	}

	return q.answer.toJS(rt, q.options)
}

func (q *queryCall) release() {
	q.args = nil
	q.answer.begin(false, nil)
	q.client.idle = q
}

func (c *client) exec(call sobek.FunctionCall) (*task, error) {
	sql, err := c.textOf(call, "exec")
	if err != nil {
		return nil, err
	}

	return c.execTask("exec", call.Argument(1), call.Argument(2), func(ctx context.Context, conn Conn, args []any) (int64, error) {
		return conn.Exec(ctx, sql, args)
	})
}

func (c *client) execTask(
	method string, params, options sobek.Value, exec func(context.Context, Conn, []any) (int64, error),
) (*task, error) {
	args, err := c.parameters(params)
	if err != nil {
		return nil, err
	}
	t := &task{client: c, operation: opExec, timeout: c.config.Timeout}
	if err := execOptions.Read(method, options, t); err != nil {
		return nil, err
	}
	t.timeout = c.limit(t.timeout)
	var affected int64
	t.job = func(ctx context.Context, conn Conn) (err error) {
		affected, err = exec(ctx, conn, args)

		return err
	}
	t.value = func() (sobek.Value, error) { return c.Runtime().ToValue(affected), nil }

	return t, nil
}

// queryTimeoutGrace is how much longer than queryTimeout a statement may take: the server checks
// once a second, and may be busy.
const queryTimeoutGrace = 5 * time.Second

func (c *client) limit(timeout time.Duration) time.Duration {
	if c.config.QueryTimeout == 0 {
		return timeout
	}

	return min(timeout, c.config.QueryTimeout+queryTimeoutGrace)
}

func (c *client) textOf(call sobek.FunctionCall, method string) (string, error) {
	value := call.Argument(0)
	if c.spoken != nil && value.StrictEquals(c.spoken) {
		return c.text, nil
	}
	text, ok := k6x.TextOf(value)
	if !ok || strings.TrimSpace(text) == "" {
		return "", k6x.Wrong(method, "the SQL", "a string that is not blank", value)
	}
	c.spoken, c.text = value, text

	return text, nil
}

func (c *client) parameters(value sobek.Value) ([]any, error) {
	return c.args.Of(c.Runtime(), value, binds)
}

func (c *client) queryOptions(value sobek.Value) (*queryOptions, error) {
	return c.options.Of(c.Runtime(), value, func(value sobek.Value) (*queryOptions, error) {
		o := &queryOptions{rows: rowsObjects, timeout: c.config.Timeout}

		err := allQueryOptions.Read("query", value, o)
		o.minRows = o.minRows.withExpect(o.expect)

		return o, err
	})
}
