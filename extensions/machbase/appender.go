package machbase

import (
	"time"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
)

// appender is a JavaScript Appender: many rows, one answer at the end. It has the client's connection to itself until
// it is closed.
type appender struct {
	*client

	table    string
	session  *session // on which the appender was opened
	appender Appender
	stock    *stockSource
}

// appender is client.appender(table, { columns }).
func (c *client) appender(call sobek.FunctionCall) sobek.Value {
	table, ok := call.Argument(0).Export().(string)
	if !ok || table == "" {
		c.throw(newError(KindUsage, "appender(table, options) takes the table's name first"))
	}
	var o struct {
		Columns []string `json:"columns"`
	}
	if err := k6glue.Options(call.Argument(1), &o); err != nil {
		c.throw(newError(KindUsage, "appender: %s", err))
	}

	a := &appender{client: c, table: table}
	var opened Appender
	err := c.do(opAppend, c.config.Timeout, nil, func(conn Conn) (err error) {
		opened, err = conn.Append(table, o.Columns)

		return err
	})
	if err != nil {
		c.throw(err)
	}
	a.session, a.appender = c.current(), opened

	object := c.vu.Runtime().NewObject()
	k6glue.Methods(c.vu.Runtime(), object, map[string]k6glue.Function{
		"append":   a.append,
		"generate": a.generate,
		"flush":    a.flush,
		"close":    a.close,
	})

	return object
}

// append is appender.append(row, row...): it appends rows, each an array of values in the order of the columns.
func (a *appender) append(call sobek.FunctionCall) sobek.Value {
	rows := make([][]any, len(call.Arguments))
	for i, argument := range call.Arguments {
		row, err := binds(argument)
		if _, isObject := argument.(*sobek.Object); !isObject {
			a.throw(newError(KindUsage, "append: row %d must be an array of values", i+1))
		}
		if err != nil {
			a.throw(newError(KindUsage, "append: row %d: %s", i+1, err))
		}
		rows[i] = row
	}

	a.write(func() int64 { return int64(len(rows)) }, func() error {
		for _, row := range rows {
			if err := a.appender.Append(row); err != nil {
				return err
			}
		}

		return nil
	})

	return sobek.Undefined()
}

// generate is appender.generate(name, { from, to, seed, tps }): it appends rows that are made in Go, so that loading
// is not bound by JavaScript, and returns how many. See index.d.ts for the names.
func (a *appender) generate(call sobek.FunctionCall) sobek.Value {
	o := stockOptions{TPS: defaultTPS}
	if err := k6glue.Options(call.Argument(1), &o); err != nil {
		a.throw(newError(KindUsage, "generate: %s", err))
	}
	if a.stock == nil || a.stock.seed != o.Seed || a.stock.tps != o.TPS {
		source, err := newStockSource(o.Seed, o.TPS)
		if err != nil {
			a.throw(newError(KindUsage, "generate: %s", err))
		}
		a.stock = source
	}

	var count int64
	name := call.Argument(0).String()
	a.write(func() int64 { return count }, func() error {
		return a.stock.rows(name, o.From, o.To, func(row ...any) error {
			count++

			return a.appender.Append(row)
		})
	})

	return a.vu.Runtime().ToValue(count)
}

// flush is appender.flush(): it sends what is buffered.
func (a *appender) flush(sobek.FunctionCall) sobek.Value {
	a.write(nil, a.appender.Flush)

	return sobek.Undefined()
}

// close is appender.close(): it sends what is left, and returns { accepted, rejected } rows as the server counted them.
func (a *appender) close(sobek.FunctionCall) sobek.Value {
	var accepted, rejected int64
	a.write(nil, func() (err error) {
		accepted, rejected, err = a.appender.Close()

		return err
	})
	a.session = nil

	return a.vu.Runtime().ToValue(map[string]any{"accepted": accepted, "rejected": rejected})
}

// write runs one operation of the appender. An appender ends with its connection: what the server had accepted is
// known to the server alone then, so that it is not opened anew silently.
func (a *appender) write(rows func() int64, job func() error) {
	if a.session == nil || a.session != a.current() {
		a.throw(newError(KindConnection, "the appender on %s is closed, or its connection broke; open a new one", a.table))
	}
	if err := a.do(opAppend, a.config.Timeout, rows, func(Conn) error { return job() }); err != nil {
		a.throw(err)
	}
}

// stockOptions are the second argument of generate.
type stockOptions struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
	Seed uint64    `json:"seed"`
	TPS  float64   `json:"tps"`
}
