package machbase

import (
	"strings"

	"github.com/grafana/sobek"
)

// queryFunc runs a query on a connection: a text's or a prepared statement's.
type queryFunc func(conn Conn, args []any, read func(Rows) error) error

// query is client.query(sql, params, options): see index.d.ts.
func (c *client) query(call sobek.FunctionCall) sobek.Value {
	sql := c.sql(call, "query")

	return c.runQuery(call.Argument(1), call.Argument(2), func(conn Conn, args []any, read func(Rows) error) error {
		return conn.Query(sql, args, read)
	})
}

// exec is client.exec(sql, params): it runs a statement that returns no rows, and returns how many rows it changed.
func (c *client) exec(call sobek.FunctionCall) sobek.Value {
	sql := c.sql(call, "exec")

	return c.runExec(call.Argument(1), call.Argument(2), func(conn Conn, args []any) (int64, error) {
		return conn.Exec(sql, args)
	})
}

func (c *client) runQuery(params, options sobek.Value, query queryFunc) sobek.Value {
	args, o := c.parameters(params), c.queryOptions(options)
	r := &reader{keep: o.rows != rowsDiscard, expect: o.expect}
	err := c.do(opQuery, o.timeout, func() int64 { return r.count }, func(conn Conn) error {
		return query(conn, args, r.read)
	})
	if err != nil {
		c.throw(err)
	}
	if o.rows == rowsDiscard {
		return c.vu.Runtime().ToValue(r.count)
	}

	value, err := r.toJS(c.vu.Runtime(), o)
	if err != nil {
		c.throw(newError(KindUsage, "%s", err))
	}

	return value
}

func (c *client) runExec(params, options sobek.Value, exec func(Conn, []any) (int64, error)) sobek.Value {
	args, o := c.parameters(params), c.execOptions(options)
	var affected int64
	err := c.do(opExec, o.timeout, nil, func(conn Conn) (err error) {
		affected, err = exec(conn, args)

		return err
	})
	if err != nil {
		c.throw(err)
	}

	return c.vu.Runtime().ToValue(affected)
}

func (c *client) sql(call sobek.FunctionCall, method string) string {
	sql, ok := call.Argument(0).Export().(string)
	if !ok || strings.TrimSpace(sql) == "" {
		c.throw(newError(KindUsage, "%s(sql, params, options) takes an SQL text first, not %s", method, call.Argument(0).String()))
	}

	return sql
}

func (c *client) parameters(value sobek.Value) []any {
	args, err := c.args.of(c.vu.Runtime(), value, binds)
	if err != nil {
		c.throw(err)
	}

	return args
}

func (c *client) queryOptions(value sobek.Value) *queryOptions {
	o, err := c.options.of(c.vu.Runtime(), value, func(value sobek.Value) (*queryOptions, error) {
		return parseQueryOptions(value, c.config.Timeout, queryKeys)
	})
	if err != nil {
		c.throw(err)
	}

	return o
}

func (c *client) execOptions(value sobek.Value) *queryOptions {
	o, err := parseQueryOptions(value, c.config.Timeout, execKeys)
	if err != nil {
		c.throw(err)
	}

	return o
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
