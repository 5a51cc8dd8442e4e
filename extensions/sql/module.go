package sql

import (
	"context"
	"strings"

	"github.com/grafana/sobek"
	xk6sql "github.com/grafana/xk6-sql/sql"
	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/deadline"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
	"github.com/xk6-sweep/xk6-sweep/extensions/sql/postgres"
	"github.com/xk6-sweep/xk6-sweep/extensions/sql/wholerows"
)

// ImportPath is the name under which scripts import the module.
const ImportPath = xk6sql.ImportPath

// The module's metrics. Tags: op and outcome (ok, or the error's kind).
const (
	metricOps      = "sql_ops"         // Counter: queries and statements
	metricDuration = "sql_op_duration" // Trend, ms: their durations; not in a sweep, which has its own
)

// Operations, the values of the tag op.
const (
	opQuery = "query"
	opExec  = "exec"
)

// New returns the JavaScript module: xk6-sql, with metrics, a timeout and kinds of errors.
func New() modules.Module {
	grafanas := xk6sql.New()

	return k6mod.New(k6mod.Definition{
		ErrorName: "SqlError", AsError: asError,
		Metrics: k6mod.Metrics{Ops: metricOps, Duration: metricDuration},
		Exports: func(in *k6mod.Module) map[string]any {
			m := &module{Module: in}
			open := grafanas.NewModuleInstance(calling{in.VU(), m}).Exports().Named["open"]
			m.grafanas, _ = sobek.AssertFunction(in.Runtime().ToValue(open))

			return map[string]any{"open": m.open}
		},
	})
}

// module is the module in one VU.
type module struct {
	*k6mod.Module

	// grafanas is sql.open of xk6-sql.
	grafanas sobek.Callable
	// calls makes the contexts of calls, which end at their timeout.
	calls deadline.Contexts
	// underWay is the context of the call under way as database/sql sees it.
	underWay *wholerows.Call
}

// calling is the VU as xk6-sql sees it, whose context is that of the call under way.
type calling struct {
	modules.VU

	module *module
}

// Context is the context in which xk6-sql calls database/sql.
func (c calling) Context() context.Context { return c.module.underWay }

// open is sql.open(driver, source, options).
func (m *module) open(call sobek.FunctionCall) sobek.Value {
	source, err := k6mod.Text("open", "the name of the database", call.Argument(1))
	if err != nil {
		m.Throw(err)
	}
	o := options{timeout: defaultTimeout, grafanas: m.Runtime().NewObject()}
	if err := openOptions.Read("open", call.Argument(2), &o); err != nil {
		m.Throw(err)
	}
	opened, err := m.grafanas(sobek.Undefined(), call.Argument(0), m.Runtime().ToValue(source), o.grafanas)
	if err != nil && strings.Contains(err.Error(), unsupported) {
		m.Throw(k6mod.Wrong("open", "the driver", "the default export of a driver's module, such as k6/x/sql/driver/postgres",
			call.Argument(0)))
	}
	if err != nil {
		m.Throw(err)
	}
	d := &database{module: m, timeout: o.timeout, tags: o.tags}
	d.db, _ = opened.Export().(*xk6sql.Database)

	return databaseMethods.Object(m.Runtime(), d)
}

// unsupported is how xk6-sql says that it does not know the driver.
const unsupported = "unsupported database"

// Throw throws an error as the module's own exception. Its code is a string where the server's is.
func (m *module) Throw(err error) {
	if state := postgres.Code(err); state != "" {
		panic(m.NewError(err, k6mod.Property{Name: "code", Value: state}))
	}
	m.Module.Throw(err)
}
