package machbase

import (
	"context"
	"regexp"
	"strings"
	"time"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/lib/types"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

type rollup struct {
	*client

	name string
}

// identifier matches SQL names without quotes, which Machbase's rollup_force requires.
var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_$]*$`)

func (c *client) rollup(call sobek.FunctionCall) sobek.Value {
	name, ok := k6x.TextOf(call.Argument(0))
	if !ok || !identifier.MatchString(name) {
		c.Throw(k6x.Wrong("rollup", "the name", "one such as rollup_stock_1m", call.Argument(0)))
	}

	return rollupMethods.Object(c.Runtime(), &rollup{client: c, name: strings.ToUpper(name)})
}

var rollupMethods = k6x.BothForms(map[string]operation[*rollup]{ //nolint:gochecknoglobals // a table
	"force": (*rollup).force, "info": (*rollup).info, "gap": (*rollup).gap, "wait": (*rollup).wait,
})

func (r *rollup) force(call sobek.FunctionCall) (*task, error) {
	t, err := r.execTask("force", sobek.Undefined(), call.Argument(0), func(ctx context.Context, conn Conn, args []any) (int64, error) {
		return conn.Exec(ctx, "exec rollup_force("+r.name+")", args)
	})
	if err != nil {
		return nil, err
	}
	t.value = nil

	return t, nil
}

const infoQuery = "select * from v$rollup where rollup_name = ? order by source_table"

func (r *rollup) info(call sobek.FunctionCall) (*task, error) {
	rows := &queryAnswer{keep: true}
	t := &task{
		client: r.client, operation: opQuery, timeout: r.config.Timeout, rows: &rows.count,
		job: func(ctx context.Context, conn Conn) error {
			if err := conn.Query(ctx, infoQuery, []any{r.name}, rows.read); err != nil {
				return err
			}

			return r.found(rows.count)
		},
		value: func() (sobek.Value, error) {
			return rows.rowToJS(r.Runtime(), rows.rows[0], &queryOptions{rows: rowsObjects})
		},
	}

	return r.within(t, "info", call)
}

func (r *rollup) within(t *task, method string, call sobek.FunctionCall) (*task, error) {
	if err := execOptions.Read(method, call.Argument(0), t); err != nil {
		return nil, err
	}
	t.timeout = r.limit(t.timeout)

	return t, nil
}

// Both numbers count rows from the table's beginning.
const gapQuery = `select t.table_end_rid - r.end_rid from v$rollup r, m$sys_tables m, v$storage_tag_tables t
	where r.rollup_name = ? and r.source_table = m.name and r.user_id = m.user_id and m.id = t.id`

func (r *rollup) asking(gap *int64) *task {
	var rows queryAnswer

	return &task{
		client: r.client, operation: opQuery, timeout: r.limit(r.config.Timeout), rows: &rows.count,
		job: func(ctx context.Context, conn Conn) error {
			rows, *gap = queryAnswer{keep: true}, 0
			if err := conn.Query(ctx, gapQuery, []any{r.name}, rows.read); err != nil {
				return err
			}
			for _, row := range rows.rows {
				behind, _ := cmi.AsInteger(row[0])
				*gap += behind
			}

			return r.found(rows.count)
		},
	}
}

func (r *rollup) gap(call sobek.FunctionCall) (*task, error) {
	var gap int64
	t := r.asking(&gap)
	t.value = func() (sobek.Value, error) { return r.Runtime().ToValue(gap), nil }

	return r.within(t, "gap", call)
}

func (r *rollup) found(rows int64) error {
	if rows == 0 {
		return k6x.Errorf(cmi.KindNotFound, "there is no roll-up %s", r.name)
	}

	return nil
}

type waitOptions struct {
	Timeout  types.NullDuration `json:"timeout"`
	Interval types.NullDuration `json:"interval"`
	Tags     k6x.Tags           `json:"tags"`
}

const (
	defaultInterval = 100 * time.Millisecond // interval of wait
	waitGrace       = time.Second
)

func (r *rollup) wait(call sobek.FunctionCall) (*task, error) {
	o := waitOptions{Timeout: types.NullDurationFrom(r.config.Timeout), Interval: types.NullDurationFrom(defaultInterval)}
	if err := k6x.ReadOptions(call.Argument(0), &o); err != nil {
		return nil, k6x.Misuse("wait: %s", err)
	}
	if o.Timeout.Duration <= 0 || o.Interval.Duration <= 0 {
		return nil, k6x.Misuse("wait: timeout and interval must be more than 0; they are %s and %s",
			o.Timeout.Duration, o.Interval.Duration)
	}

	var gap int64
	t := r.asking(&gap)
	t.tags = o.Tags
	limit := t.timeout
	end := time.Now().Add(o.Timeout.TimeDuration())
	t.timeout = min(limit, o.Timeout.TimeDuration()+waitGrace)
	t.again = func() (time.Duration, bool, error) {
		left := time.Until(end)
		switch {
		case gap <= 0:
			return 0, false, nil
		case left <= 0:
			return 0, false, k6x.Errorf(k6x.KindTimeout, "roll-up %s is still %d rows behind after %s", r.name, gap, o.Timeout.Duration)
		}
		t.timeout = min(limit, left+waitGrace)

		return min(left, o.Interval.TimeDuration()), true, nil
	}

	return t, nil
}
