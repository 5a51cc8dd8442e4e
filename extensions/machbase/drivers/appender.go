package main

import (
	"context"
	"reflect"
	"strings"
	"time"

	"github.com/machbase/neo-client/api"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

const appendedAtOnce = 256

// appender arranges the values in the table's order: machgo's own mapping panics on an unknown
// column, and fails on log tables.
type appender struct {
	conn     *conn
	appender clientAppender
	columns  api.Columns
	receipt  cmi.Receipt
	table    string
	places   []int
	pending  [][]any
}

type clientAppender interface {
	api.Appender
	api.Flusher
}

// Append implements machbase.Conn.
func (c *conn) Append(ctx context.Context, table string, options cmi.AppendOptions) (machbase.Appender, error) {
	if options.Batch != (cmi.Batch{}) {
		return nil, usage("Machbase's clients do not support the batch options; driver native does")
	}
	a := &appender{conn: c, table: table}
	if err := a.open(ctx); err != nil {
		return nil, err
	}
	var misplaced error
	if a.places, misplaced = cmi.AppendPlaces(table, a.columns.Names(), options.Columns); misplaced != nil {
		if _, err := a.Close(ctx); err != nil {
			return nil, err
		}

		return nil, misplaced
	}

	return a, nil
}

func (a *appender) open(ctx context.Context) error {
	var opened api.Appender
	var columns api.Columns
	err := a.conn.call(ctx, func() (err error) {
		if opened, err = a.conn.conn.Appender(background, a.table); err != nil {
			return err
		}
		columns, err = opened.Columns()

		return err
	})
	if err != nil {
		switch text := err.Error(); {
		case strings.HasSuffix(text, "does not exist"):
			return cmi.NewError(cmi.KindNotFound, "%s", text)
		case strings.HasSuffix(text, "doesn't support append"):
			return usage("%s", text)
		}

		return a.conn.failed(err)
	}
	a.appender, a.columns = opened.(clientAppender), columns //nolint:forcetypeassert // both clients' result type

	return nil
}

// Append passes rows to the client in groups, so an error of one row may be returned with a later
// one.
func (a *appender) Append(ctx context.Context, row ...any) error {
	if len(row) != len(a.places) {
		return usage("a row for table '%s' takes %d values, not %d", a.table, len(a.places), len(row))
	}
	full := make([]any, len(a.columns))
	if a.conn.setsArrival && a.columns[0].Name == cmi.ArrivalTime {
		full[0] = time.Now()
	}
	for i, value := range row {
		column := a.columns[a.places[i]]
		fitting, ok := a.conn.fit(column, value)
		if !ok {
			return cmi.Misfit(column.Name, column.Type, value)
		}
		full[a.places[i]] = fitting
	}
	a.pending = append(a.pending, full)
	if len(a.pending) < appendedAtOnce {
		return nil
	}

	return a.hand(ctx)
}

func (a *appender) hand(ctx context.Context) error {
	rows := a.pending
	a.pending = nil

	return a.conn.outOfStep(a.conn.call(ctx, func() error {
		for _, row := range rows {
			if err := a.appender.Append(row...); err != nil {
				return err
			}
		}

		return nil
	}))
}

// AppendColumns implements machbase.Appender.
func (a *appender) AppendColumns(ctx context.Context, columns ...any) (int, error) {
	return eachRow(columns, func(row []any) error { return a.Append(ctx, row...) })
}

// Flush implements machbase.Appender.
func (a *appender) Flush(ctx context.Context) error {
	if err := a.hand(ctx); err != nil {
		return err
	}

	return a.conn.outOfStep(a.conn.call(ctx, a.appender.Flush))
}

// Sync closes the appender, which makes the server count, and opens another.
func (a *appender) Sync(ctx context.Context) (cmi.Receipt, error) {
	if _, err := a.Close(ctx); err != nil {
		return a.receipt, err
	}

	return a.receipt, a.open(ctx)
}

// Close implements machbase.Appender. The clients do not report reasons.
func (a *appender) Close(ctx context.Context) (cmi.Receipt, error) {
	handErr := a.hand(ctx)
	var accepted, rejected int64
	err := a.conn.call(ctx, func() (err error) {
		accepted, rejected, err = a.appender.Close()

		return err
	})
	if handErr != nil {
		return a.receipt, handErr
	}
	if err != nil {
		return a.receipt, a.conn.outOfStep(err)
	}
	a.receipt.Accepted += accepted
	a.receipt.Rejected += rejected
	a.receipt.Other = a.receipt.Rejected

	return a.receipt, nil
}

// eachRow calls fn for each row of columns in the types of cmi.Appender, until fn returns an error,
// and returns how many calls succeeded. It reuses the row.
func eachRow(columns []any, fn func(row []any) error) (int, error) {
	slices := make([]reflect.Value, len(columns))
	rows := 0
	for i, column := range columns {
		slices[i] = reflect.ValueOf(column)
		if slices[i].Kind() != reflect.Slice {
			return 0, usage("column %d must be a slice of values, not %T", i+1, column)
		}
		length := slices[i].Len()
		if i > 0 && length != rows {
			return 0, usage("column %d has %d values, but the ones before it have %d", i+1, length, rows)
		}
		rows = length
	}

	row := make([]any, len(columns))
	for n := range rows {
		for i := range slices {
			row[i] = slices[i].Index(n).Interface()
		}
		if err := fn(row); err != nil {
			return n, err
		}
	}

	return rows, nil
}
