package sql

import (
	"database/sql"
	"slices"
	"sync"

	"github.com/grafana/sobek"
	xk6sql "github.com/grafana/xk6-sql/sql"
	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/workload"
)

// ImportPath is the name under which scripts import the module.
const ImportPath = xk6sql.ImportPath

// The module's metrics. Tags: op and outcome (ok, or the error's kind).
const (
	metricOps      = "sql_ops"         // Counter: queries and statements
	metricDuration = "sql_op_duration" // Trend, ms: durations of operations; not in a sweep
	metricWait     = "sql_wait"        // Trend, ms: the part that waited for a connection of a shared pool
)

// counterWait is the step's counter for the sum of these waits in a sweep.
const (
	counterWait = "sqlWaitMicroseconds"
	waitInSweep = "the counter " + counterWait + " in extra.counters of each step sums them up"
)

const (
	opQuery = "query"
	opExec  = "exec"
)

// New returns the JavaScript module: xk6-sql's functions with metrics, timeouts, kinds of errors,
// and rows whose columns keep their order.
func New() modules.Module {
	var shared k6x.Shared[poolKey, *sql.DB]
	var records workload.YCSBShared

	return k6x.New(k6x.Definition{
		ErrorName: "SqlError", AsError: asError,
		Metrics: k6x.Metrics{Ops: metricOps, Duration: metricDuration},
		Exports: func(in *k6x.Module) map[string]any {
			m := &module{Module: in, shared: &shared, records: &records, waits: map[string]k6x.Series{}}
			var err error
			if m.wait, err = k6x.NewTimes(in.VU().InitEnv().Registry, metricWait, waitInSweep); err != nil {
				m.Throw(err)
			}

			return map[string]any{"open": m.open}
		},
	})
}

type module struct {
	*k6x.Module

	records *workload.YCSBShared
	calls   clock.Contexts
	shared  *k6x.Shared[poolKey, *sql.DB]
	wait    *metrics.Metric
	waits   map[string]k6x.Series
}

// poolKey holds the settings that must be equal for databases to share a pool.
type poolKey struct{ driver, source, limits string }

func (m *module) open(call sobek.FunctionCall) sobek.Value {
	driver := driverName(call.Argument(0))
	if driver == "" {
		m.Throw(k6x.Wrong("open", "the driver", "the default export of a driver's module, such as k6/x/sql/driver/postgres",
			call.Argument(0)))
	}
	source, err := k6x.Text("open", "the name of the database", call.Argument(1))
	if err != nil {
		m.Throw(err)
	}
	o := options{timeout: defaultTimeout}
	if err := openOptions.Read("open", call.Argument(2), &o); err != nil {
		m.Throw(err)
	}
	d := &database{module: m, driver: driver, source: source, timeout: o.timeout, tags: o.tags}
	if o.shared {
		key := poolKey{driver, source, o.limited}
		d.pool, err = m.shared.Join(key, func() (*sql.DB, error) { return m.newPool(driver, source, &o) })
		d.leave = sync.OnceFunc(func() { m.shared.Leave(key, func(pool *sql.DB) { _ = pool.Close() }) })
	} else {
		d.pool, err = m.newPool(driver, source, &o)
	}
	if err != nil {
		m.Throw(err)
	}

	return databaseMethods.Object(m.Runtime(), d)
}

// A shared pool keeps all idle connections; database/sql's default is two.
func (m *module) newPool(driver, source string, o *options) (pool *sql.DB, err error) {
	open := func(source string) (err error) {
		pool, err = sql.Open(driver, source)

		return err
	}
	if driver == driverPostgres {
		err = withFiles(source, func(path string) ([]byte, error) { return k6x.ReadFile(m.VU(), path) }, open)
	} else {
		err = open(source)
	}
	if err != nil {
		return nil, err
	}
	if o.shared {
		pool.SetMaxIdleConns(k6x.MaxElements)
	}
	for _, limit := range o.limits {
		limit(pool)
	}

	return pool, nil
}

// driverName accepts the symbol that a driver's module exports, or an object with it.
func driverName(value sobek.Value) string {
	if object, is := value.(*sobek.Object); is {
		valueOf, is := sobek.AssertFunction(object.Get("valueOf"))
		if !is {
			return ""
		}
		var err error
		if value, err = valueOf(object); err != nil {
			return ""
		}
	}
	if symbol, is := value.(*sobek.Symbol); is && slices.Contains(sql.Drivers(), symbol.String()) {
		return symbol.String()
	}

	return ""
}

// Throw throws err as an exception of the module. Its code is a string if the server's code is.
func (m *module) Throw(err error) {
	if state := postgresCode(err); state != "" {
		panic(m.NewError(err, k6x.Property{Name: "code", Value: state}))
	}
	m.Module.Throw(err)
}
