package machbase

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/grafana/sobek"
	"github.com/sirupsen/logrus"
	"go.k6.io/k6/v2/errext/exitcodes"
	"go.k6.io/k6/v2/lib/types"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

type appender struct {
	*client

	table string
	// connection is the appender's connection; nil after close. The client's lock guards it.
	connection *connection
	appender   Appender
	tags       k6x.Tags
	log        logrus.FieldLogger
	// unacknowledged is the number of rows since the last receipt. The client's lock guards it.
	unacknowledged int64
	// counted is the part of the receipt that the metrics have counted.
	counted cmi.Receipt
}

type appenderOptions struct {
	Columns    []string           `json:"columns"`
	BatchRows  int                `json:"batchRows"`
	BatchBytes int                `json:"batchBytes"`
	BatchTime  types.NullDuration `json:"batchTime"`
	Tags       k6x.Tags           `json:"tags"`
}

const maxBatchBytes = 64 << 10

func (o *appenderOptions) check() error {
	switch {
	case o.BatchRows < 0:
		return k6x.Misuse("appender: batchRows must be at least 1, not %d", o.BatchRows)
	case o.BatchBytes < 0 || o.BatchBytes > maxBatchBytes:
		return k6x.Misuse("appender: batchBytes must be from 1 to %d, not %d", maxBatchBytes, o.BatchBytes)
	case o.BatchTime.Valid && o.BatchTime.Duration <= 0:
		return k6x.Misuse("appender: batchTime must be more than 0, not %s", o.BatchTime.Duration)
	}

	return nil
}

func (c *client) appender(call sobek.FunctionCall) (*task, error) {
	table, err := k6x.Name("appender", "the table's name", call.Argument(0))
	if err != nil {
		return nil, err
	}
	var o appenderOptions
	if err := k6x.ReadOptions(call.Argument(1), &o); err != nil {
		return nil, k6x.Misuse("appender: %s", err)
	}
	if err := o.check(); err != nil {
		return nil, err
	}

	a := &appender{client: c, table: table, tags: o.Tags}
	options := cmi.AppendOptions{
		Columns: o.Columns,
		Batch:   cmi.Batch{Rows: o.BatchRows, Bytes: o.BatchBytes, Age: o.BatchTime.TimeDuration()},
	}

	return &task{
		client: c, operation: opAppend, timeout: c.config.Timeout, tags: a.tags,
		job: func(ctx context.Context, conn Conn) (err error) {
			a.connection = c.connection
			if a.appender, err = conn.Append(ctx, table, options); err == nil {
				c.appenders = append(c.appenders, a)
			}

			return err
		},
		value: func() (sobek.Value, error) {
			a.log = c.VU().State().Logger

			return appenderMethods.Object(a.Runtime(), a), nil
		},
	}, nil
}

var appenderMethods = k6x.BothForms(map[string]operation[*appender]{ //nolint:gochecknoglobals // a table
	"append":        (*appender).append,
	"appendColumns": (*appender).appendColumns,
	"generate":      (*appender).generate,
	"flush":         (*appender).flush,
	"sync":          (*appender).sync,
	"close":         (*appender).close,
})

// An appender ends with its connection: if it were reopened, the accepted rows would be
// unknown.
func (a *appender) writing(job func(context.Context) error) *task {
	return &task{
		client: a.client, operation: opAppend, timeout: a.config.Timeout, tags: a.tags,
		requires: func(now *connection) error {
			if a.connection == nil || a.connection != now {
				return k6x.Errorf(k6x.KindConnection, "the appender on %s is closed, or its connection broke; open a new one", a.table)
			}

			return nil
		},
		job: func(ctx context.Context, _ Conn) error { return job(ctx) },
	}
}

func (a *appender) append(call sobek.FunctionCall) (*task, error) {
	rows := make([][]any, len(call.Arguments))
	for i, argument := range call.Arguments {
		row, err := binds(argument)
		if _, isObject := argument.(*sobek.Object); !isObject {
			return nil, k6x.Misuse("append: row %d must be an array of values, such as append(['name', new Date(), 1.5])", i+1)
		}
		if err != nil {
			return nil, k6x.Misuse("append: row %d: %s", i+1, err)
		}
		rows[i] = row
	}

	t := a.writing(func(ctx context.Context) error {
		for _, row := range rows {
			if err := a.appender.Append(ctx, row...); err != nil {
				return err
			}
			a.unacknowledged++
		}

		return nil
	})
	count := int64(len(rows))
	t.rows = &count

	return t, nil
}

func (a *appender) appendColumns(call sobek.FunctionCall) (*task, error) {
	columns, err := columnsOf(call.Argument(0))
	if err != nil {
		return nil, k6x.Misuse("appendColumns: %s", err)
	}
	var count int64
	t := a.writing(func(ctx context.Context) error {
		rows, err := a.appender.AppendColumns(ctx, columns...)
		count = int64(rows)
		a.unacknowledged += count

		return err
	})
	t.rows = &count
	t.value = func() (sobek.Value, error) { return a.Runtime().ToValue(count), nil }

	return t, nil
}

func (a *appender) generate(call sobek.FunctionCall) (*task, error) {
	batches, err := a.generator(k6x.Show(call.Argument(0)), call.Argument(1))
	if err != nil {
		return nil, k6x.Misuse("generate: %s", err)
	}
	var count int64
	t := a.writing(func(ctx context.Context) error {
		var sending error
		err := batches(func(columns ...any) error {
			a.connection.restart() // the timeout applies to each batch
			rows, err := a.appender.AppendColumns(ctx, columns...)
			count += int64(rows)
			a.unacknowledged += int64(rows)
			sending = err

			return err
		})
		if err != nil && sending == nil { // an error of the generator: the range is wrong
			return k6x.Misuse("generate: %s", err)
		}

		return err
	})
	t.rows = &count
	t.value = func() (sobek.Value, error) { return a.Runtime().ToValue(count), nil }

	return t, nil
}

type leftAppender struct {
	*appender

	rows    int64
	receipt cmi.Receipt
	err     error
	took    time.Duration
}

// closeLeft sends the rows of appenders that the script has not closed. The caller holds c.mu.
func (c *client) closeLeft() []leftAppender {
	left := make([]leftAppender, len(c.appenders))
	for i, a := range c.appenders {
		l := &left[i]
		l.appender, l.rows = a, a.unacknowledged
		if c.connection.broken {
			l.err = left[i-1].err

			continue
		}
		begin := clock.Now()
		err := c.connection.do(context.Background(), min(c.config.Timeout, leftTimeout), func(ctx context.Context, _ Conn) (err error) {
			l.receipt, err = a.appender.Close(ctx)

			return err
		})
		if err != nil {
			e := c.As(err)
			l.err = &e
			c.connection.broken = c.connection.broken || breaks(&e)
		}
		l.took = clock.Since(begin)
		a.connection, a.unacknowledged = nil, 0
	}
	c.appenders = nil

	return left
}

const leftTimeout = 10 * time.Second

// fail logs lost rows, since k6 accepts no more samples. The log entry makes k6 exit with an
// error.
func (l *leftAppender) fail() {
	rejected := l.receipt.Rejected - l.counted.Rejected
	switch {
	case l.err != nil && l.rows > 0:
		l.log.Errorf("an appender on %s was not closed, and closing it failed (%v): "+
			"its last %d rows may not be in the table; call its close()", l.table, l.err, l.rows)
	case rejected > 0:
		l.log.Errorf("an appender on %s was not closed, and the server rejected %d of its rows; call its close()", l.table, rejected)
	default:
		return
	}
	k6x.FailExit(exitcodes.MarkedAsFailed)
}

func (a *appender) flush(sobek.FunctionCall) (*task, error) {
	return a.writing(func(ctx context.Context) error {
		return a.appender.Flush(ctx)
	}), nil
}

func (a *appender) sync(sobek.FunctionCall) (*task, error) {
	return a.asking(func(ctx context.Context) (cmi.Receipt, error) {
		receipt, err := a.appender.Sync(ctx)
		if err == nil {
			a.unacknowledged = 0
		}

		return receipt, err
	}), nil
}

func (a *appender) close(sobek.FunctionCall) (*task, error) {
	return a.asking(func(ctx context.Context) (cmi.Receipt, error) {
		a.connection, a.unacknowledged = nil, 0
		a.appenders = slices.DeleteFunc(a.appenders, func(open *appender) bool { return open == a })

		return a.appender.Close(ctx)
	}), nil
}

// asking counts the receipt even if a later part of the call fails.
func (a *appender) asking(ask func(context.Context) (cmi.Receipt, error)) *task {
	var answer *cmi.Receipt
	t := a.writing(func(ctx context.Context) error {
		receipt, err := ask(ctx)
		answer = &receipt

		return err
	})
	t.settled = func() {
		if answer != nil {
			a.count(*answer)
		}
	}
	t.value = func() (sobek.Value, error) { return receiptToJS(a.Runtime(), *answer), nil }

	return t
}

const otherReason = "other"

func (a *appender) count(receipt cmi.Receipt) {
	a.Add(a.accepted, float64(receipt.Accepted-a.counted.Accepted))
	rejected := reasonsOf(receipt)
	for reason, rows := range reasonsOf(a.counted) {
		rejected[reason] -= rows
	}
	for reason, rows := range rejected {
		series, known := a.rejected[reason]
		if !known {
			series = a.Counter(metricRejected, [2]string{"reason", reason})
			a.rejected[reason] = series
		}
		a.Add(series, float64(rows))
	}
	a.Emit()
	a.counted = receipt
}

func reasonsOf(receipt cmi.Receipt) map[string]int64 {
	rows := map[string]int64{}
	for _, reason := range receipt.Reasons {
		rows[strconv.Itoa(reason.Code)] += reason.Rows
	}
	if receipt.Other > 0 {
		rows[otherReason] = receipt.Other
	}

	return rows
}

func receiptToJS(rt *sobek.Runtime, receipt cmi.Receipt) sobek.Value {
	reasons := make([]any, len(receipt.Reasons))
	for i, reason := range receipt.Reasons {
		reasons[i] = map[string]any{"code": reason.Code, "message": reason.Message, "rows": reason.Rows}
	}

	return k6x.Plain(rt, map[string]any{
		"accepted": receipt.Accepted, "rejected": receipt.Rejected, "reasons": reasons, otherReason: receipt.Other,
	})
}
