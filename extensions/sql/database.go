package sql

import (
	"database/sql"
	"strings"
	"time"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/workload"
)

type database struct {
	*module

	pool    *sql.DB
	driver  string
	timeout time.Duration
	tags    k6x.Tags
	// leave gives up the share of a shared pool; nil for the database's own pool.
	leave   func()
	source  string
	records *records
	bench   *workload.YCSBBench
	// waited is how long the last call waited for a connection of a shared pool.
	call      dbCall
	waited    time.Duration
	connected bool
}

var databaseMethods = k6x.Methods[*database]{ //nolint:gochecknoglobals // a table
	"query": (*database).query, "queryWithTimeout": (*database).queryWithTimeout,
	"exec": (*database).exec, "execWithTimeout": (*database).execWithTimeout,
	"close": (*database).close, "ycsb": (*database).ycsb,
}

func (d *database) query(call sobek.FunctionCall) sobek.Value {
	return d.queryFor("query", d.timeout, call.Arguments)
}

func (d *database) queryWithTimeout(call sobek.FunctionCall) sobek.Value {
	const method = "queryWithTimeout"
	timeout, rest := d.timeoutAndRest(method, call)

	return d.queryFor(method, timeout, rest)
}

func (d *database) exec(call sobek.FunctionCall) sobek.Value {
	return d.execFor("exec", d.timeout, call.Arguments)
}

func (d *database) execWithTimeout(call sobek.FunctionCall) sobek.Value {
	const method = "execWithTimeout"
	timeout, rest := d.timeoutAndRest(method, call)

	return d.execFor(method, timeout, rest)
}

func (d *database) close(sobek.FunctionCall) sobek.Value {
	d.calls.Stop()
	if d.leave != nil {
		d.leave()

		return sobek.Undefined()
	}
	if err := d.pool.Close(); err != nil {
		d.Throw(err)
	}

	return sobek.Undefined()
}

func (d *database) timeoutAndRest(method string, call sobek.FunctionCall) (time.Duration, []sobek.Value) {
	timeout, err := timeoutOf(method, "the timeout", call.Argument(0))
	if err != nil {
		d.Throw(err)
	}

	return timeout, call.Arguments[1:]
}

func (d *database) queryFor(method string, timeout time.Duration, arguments []sobek.Value) sobek.Value {
	var found result
	d.do(opQuery, method, timeout, arguments, func(on runner, text string, values []any) error {
		rows, err := on.QueryContext(&d.call, text, values...)
		if err != nil {
			return err
		}

		return found.read(method, rows)
	})
	objects, err := found.objects(d.Runtime(), d.driver)
	if err != nil {
		d.Throw(err)
	}

	return objects
}

func (d *database) execFor(method string, timeout time.Duration, arguments []sobek.Value) sobek.Value {
	var done sql.Result
	d.do(opExec, method, timeout, arguments, func(on runner, text string, values []any) (err error) {
		done, err = on.ExecContext(&d.call, text, values...)

		return err
	})

	return d.Runtime().ToValue(done)
}

// A call with wrong arguments is not counted.
func (d *database) do(
	op, method string, timeout time.Duration, arguments []sobek.Value, work func(on runner, text string, values []any) error,
) {
	text, values, err := d.read(method, arguments)
	if err == nil {
		err = d.checkShared(method, text)
	}
	if err != nil {
		d.Throw(err)
	}
	begin := clock.Now()
	d.call = dbCall{Context: d.calls.Begin(d.VU().Context(), time.Now(), timeout), Shared: d.leave != nil}
	d.waited, d.connected = 0, d.leave == nil
	err = crash.Guard(func() error {
		return d.on(func(on runner) error { return work(on, text, values) })
	})
	took := clock.Since(begin)
	d.calls.End()
	if err != nil {
		err = d.cutOff(err, timeout, took)
	}
	if d.VU().State() != nil && (err == nil || d.As(err).Kind != k6x.KindUsage) {
		d.Tag(d.tags)
		d.Count(op, err)
		d.EmitDuration(op, err, took)
		d.countWait(op)
	}
	if err != nil {
		d.Throw(err)
	}
}

// cutOff is needed because each driver words such an error differently.
func (d *database) cutOff(err error, timeout, took time.Duration) error {
	switch kind := d.As(err).Kind; {
	case kind != k6x.KindTimeout && kind != k6x.KindCancelled:
		return err
	case d.VU().Context().Err() != nil:
		return k6x.TestEnded()
	case took >= timeout && !d.connected:
		return k6x.Errorf(k6x.KindTimeout, "no connection of the shared pool was free within timeout (%s)", timeout)
	case took >= timeout:
		return k6x.Errorf(k6x.KindTimeout, "no answer within timeout (%s)", timeout)
	default:
		return err
	}
}

func (d *database) read(method string, arguments []sobek.Value) (text string, values []any, err error) {
	var first sobek.Value
	if len(arguments) > 0 {
		first, arguments = arguments[0], arguments[1:]
	}
	if text, err = k6x.Name(method, "the SQL", first); err != nil {
		return "", nil, err
	}
	if strings.Contains(text, "\x00") {
		return "", nil, k6x.Misuse("%s: the SQL has a NUL character, which would end it", method)
	}
	values = make([]any, len(arguments))
	for i, argument := range arguments {
		if values[i], err = valueFor(d.driver, argument); err != nil {
			return "", nil, k6x.Misuse("%s: value %d %s", method, i+1, err)
		}
	}

	return text, values, nil
}
