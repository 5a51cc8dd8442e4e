package machbase

import "time"

// The module's metrics. Tags: op (connect, query, exec, prepare, append) and outcome (ok, or the
// error's kind).
const (
	metricOps      = "machbase_ops"         // Counter: operations
	metricDuration = "machbase_op_duration" // Trend, ms: durations of operations; not in a sweep
	metricRows     = "machbase_rows"        // Counter: rows read or appended

	// For appenders, counted when the server reports them, at sync and close.
	metricAcknowledged = "machbase_rows_acknowledged" // Counter: rows in the table
	metricRejected     = "machbase_rows_rejected"     // Counter: rejected rows; tag reason is the server's code
)

const (
	opConnect = "connect"
	opQuery   = "query"
	opExec    = "exec"
	opPrepare = "prepare"
	opAppend  = "append"
)

type record struct {
	operation      string
	err            error
	took           time.Duration
	rows           int64
	received, sent uint64
}

// A step does not count connecting.
func (m *module) record(r *record) {
	m.Count(r.operation, r.err, int(r.rows))
	m.Traffic(r.received, r.sent)
	m.EmitDuration(r.operation, r.err, r.took)
	if r.operation != opConnect {
		m.Step(uint64(r.rows), r.received, r.sent)
	}
}
