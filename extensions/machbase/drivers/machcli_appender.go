package drivers

import (
	"context"
	"strings"
	"time"

	"github.com/machbase/neo-client/api"
	"github.com/machbase/neo-server/v8/api/machcli"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

const appendedAtOnce = 256

type machcliAppender struct {
	conn     *machcliConn
	appender *machcli.Appender
	columns  api.Columns
	receipt  cmi.Receipt
	table    string
	places   []int
	pending  [][]any
}

func (a *machcliAppender) open(ctx context.Context) error {
	var opened api.Appender
	var columns api.Columns
	err := a.conn.call(ctx, func() (err error) {
		if opened, err = a.conn.conn.Appender(context.WithoutCancel(ctx), a.table); err != nil {
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

		return machcliError(err)
	}
	a.appender, a.columns = opened.(*machcli.Appender), columns //nolint:forcetypeassert // machcli's result type

	return nil
}

// Append passes rows to C in groups, so an error of one row may be returned with a later one.
func (a *machcliAppender) Append(ctx context.Context, row ...any) error {
	if len(row) != len(a.places) {
		return usage("a row for table '%s' takes %d values, not %d", a.table, len(a.places), len(row))
	}
	full := make([]any, len(a.columns))
	if a.columns[0].Name == arrivalTime {
		full[0] = time.Now() // the client does not let the server set the time
	}
	for i, value := range row {
		column := a.columns[a.places[i]]
		fitting, ok := fit(column.Type, value)
		if !ok {
			return cmi.NewError(cmi.KindAppend, "%s", misfit(column, value))
		}
		full[a.places[i]] = fitting
	}
	a.pending = append(a.pending, full)
	if len(a.pending) < appendedAtOnce {
		return nil
	}

	return a.hand(ctx)
}

func (a *machcliAppender) hand(ctx context.Context) error {
	rows := a.pending
	a.pending = nil
	err := a.conn.call(ctx, func() error {
		for _, row := range rows {
			if err := a.appender.Append(row...); err != nil {
				return err
			}
		}

		return nil
	})
	if err != nil {
		return a.conn.outOfStep(err)
	}

	return nil
}

func (a *machcliAppender) AppendColumns(ctx context.Context, columns ...any) (int, error) {
	rows, err := eachRow(columns, func(row []any) error { return a.Append(ctx, row...) })
	if err != nil {
		return rows, machcliError(err)
	}

	return rows, nil
}

func (a *machcliAppender) Flush(ctx context.Context) error {
	if err := a.hand(ctx); err != nil {
		return err
	}
	if err := a.conn.call(ctx, a.appender.Flush); err != nil {
		return a.conn.outOfStep(err)
	}

	return nil
}

// Sync closes the appender, which makes the server count, and opens another.
func (a *machcliAppender) Sync(ctx context.Context) (cmi.Receipt, error) {
	if _, err := a.Close(ctx); err != nil {
		return a.receipt, err
	}

	return a.receipt, a.open(ctx)
}

func (a *machcliAppender) Close(ctx context.Context) (cmi.Receipt, error) {
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
