package machbase

import (
	"context"

	"github.com/grafana/sobek"
)

// queryCall is a query that is under way. A client uses it again when it is over.
type queryCall struct {
	task

	// statement is nil for a query of text.
	statement *statement
	text      string
	args      []any
	options   *queryOptions
	answer    queryAnswer
	// read is the answer's.
	read func(Rows) error
}

func newQueryCall(c *client) *queryCall {
	q := &queryCall{}
	q.read = q.answer.read
	q.task = task{client: c, operation: opQuery, rows: &q.answer.count, job: q.run, value: q.result, over: q.release}

	return q
}

// queryTask is a query of a text or, if it is not nil, of a prepared statement.
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
	if q == nil { // the first call, or others are under way, which have promises
		q = newQueryCall(c)
	}
	c.idle = nil
	q.text, q.statement, q.args, q.options = text, prepared, args, o
	q.answer = queryAnswer{keep: o.rows != rowsDiscard, expect: o.expect}
	q.timeout = c.limit(o.timeout)

	return &q.task, nil
}

func (q *queryCall) run(ctx context.Context, conn Conn) error {
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

// release lets the answer go, and makes the call the client's next one.
func (q *queryCall) release() {
	q.args, q.answer = nil, queryAnswer{}
	q.client.idle = q
}
