package machbase

import (
	"strings"
	"time"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
)

// query is client.query(sql, params, options): see index.d.ts.
func (c *client) query(call sobek.FunctionCall) (*task, error) {
	sql, err := c.textOf(call, "query")
	if err != nil {
		return nil, err
	}

	return c.queryTask(call.Argument(1), call.Argument(2), sql, nil)
}

// exec is client.exec(sql, params): it runs a statement that returns no rows, and returns how many rows it changed.
func (c *client) exec(call sobek.FunctionCall) (*task, error) {
	sql, err := c.textOf(call, "exec")
	if err != nil {
		return nil, err
	}

	return c.execTask(call.Argument(1), call.Argument(2), func(conn Conn, args []any) (int64, error) {
		return conn.Exec(sql, args)
	})
}

func (c *client) execTask(params, options sobek.Value, exec func(Conn, []any) (int64, error)) (*task, error) {
	args, err := c.parameters(params)
	if err != nil {
		return nil, err
	}
	o, err := parseQueryOptions(options, c.config.Timeout, execKeys)
	if err != nil {
		return nil, err
	}

	var affected int64

	return &task{
		operation: opExec, timeout: c.limit(o.timeout),
		job: func(conn Conn) (err error) {
			affected, err = exec(conn, args)

			return err
		},
		value: func() (sobek.Value, error) { return c.vu.Runtime().ToValue(affected), nil },
	}, nil
}

// lateness is how much longer than queryTimeout a busy server, which looks each second, may take to end a statement.
const lateness = 5 * time.Second

// limit is how long a statement may take: no longer than a server needs that ends it at queryTimeout.
func (c *client) limit(timeout time.Duration) time.Duration {
	if c.config.QueryTimeout == 0 {
		return timeout
	}

	return min(timeout, roundUp(c.config.QueryTimeout, time.Second)+lateness)
}

// textOf is the SQL text that a call begins with.
func (c *client) textOf(call sobek.FunctionCall, method string) (string, error) {
	value := call.Argument(0)
	if c.spoken != nil && value.StrictEquals(c.spoken) {
		return c.text, nil
	}
	text, ok := k6glue.Text(value)
	if !ok || strings.TrimSpace(text) == "" {
		return "", newError(KindUsage, "%s(sql, params, options) takes an SQL text first, not %s", method, k6glue.Show(value))
	}
	c.spoken, c.text = value, text

	return text, nil
}

func (c *client) parameters(value sobek.Value) ([]any, error) {
	return c.args.Of(c.vu.Runtime(), value, binds)
}

func (c *client) queryOptions(value sobek.Value) (*queryOptions, error) {
	return c.options.Of(c.vu.Runtime(), value, func(value sobek.Value) (*queryOptions, error) {
		return parseQueryOptions(value, c.config.Timeout, queryKeys)
	})
}

// toJS turns the rows into an array of objects or of arrays, with a property columns.
func (r *reader) toJS(rt *sobek.Runtime, o *queryOptions) (sobek.Value, error) {
	rows := make([]any, len(r.rows))
	for i, values := range r.rows {
		row, err := r.rowToJS(rt, values, o)
		if err != nil {
			return nil, err
		}
		rows[i] = row
	}
	array := rt.NewArray(rows...)

	columns := make([]any, len(r.columns))
	for i, c := range r.columns {
		column := rt.NewObject()
		if err := column.Set("name", c.Name); err != nil {
			return nil, err
		}
		if err := column.Set("type", c.Type); err != nil {
			return nil, err
		}
		columns[i] = column
	}

	return array, array.DefineDataProperty("columns", rt.NewArray(columns...),
		sobek.FLAG_FALSE, sobek.FLAG_FALSE, sobek.FLAG_FALSE)
}

func (r *reader) rowToJS(rt *sobek.Runtime, values []any, o *queryOptions) (sobek.Value, error) {
	converted := make([]any, len(values))
	for i, value := range values {
		v, err := toJS(rt, value, o.ns)
		if err != nil {
			return nil, err
		}
		converted[i] = v
	}
	if o.rows == rowsArrays {
		return rt.NewArray(converted...), nil
	}

	object := rt.NewObject()
	for i, c := range r.columns {
		if err := object.Set(c.Name, converted[i]); err != nil {
			return nil, err
		}
	}

	return object, nil
}
