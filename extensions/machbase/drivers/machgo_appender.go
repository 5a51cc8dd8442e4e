package drivers

import (
	"context"

	"github.com/machbase/neo-client/machgo"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

// machgoAppender arranges the values in the table's order. machgo's own mapping panics on an
// unknown column, and fails on log tables.
type machgoAppender struct {
	conn     *machgoConn
	appender *machgo.Appender
	receipt  cmi.Receipt
	table    string
	places   []int
	width    int
}

func newMachgoAppender(conn *machgoConn, appender *machgo.Appender, table string, columns []string) (machbase.Appender, error) {
	known, err := appender.Columns()
	if err != nil {
		return nil, conn.failed(err)
	}
	places, misplaced := columnPlaces(table, known.Names(), columns)
	if misplaced != nil {
		if _, _, err := appender.Close(); err != nil {
			return nil, conn.outOfStep(err)
		}

		return nil, misplaced
	}

	return &machgoAppender{conn: conn, appender: appender, table: table, places: places, width: len(known)}, nil
}

// Append makes every error of machgo break the connection, which is out of step after it.
func (a *machgoAppender) Append(ctx context.Context, row ...any) error {
	defer a.conn.during(ctx)()

	return a.append(row)
}

func (a *machgoAppender) append(row []any) error {
	if len(row) != len(a.places) {
		return cmi.NewError(cmi.KindUsage, "a row for table '%s' takes %d values, not %d", a.table, len(a.places), len(row))
	}
	full := make([]any, a.width)
	for i, value := range clientArgs(row) {
		full[a.places[i]] = value
	}
	if err := a.appender.Append(full...); err != nil {
		return a.conn.outOfStep(err)
	}

	return nil
}

func (a *machgoAppender) Flush(ctx context.Context) error {
	defer a.conn.during(ctx)()
	if err := a.appender.Flush(); err != nil {
		return a.conn.failed(err)
	}

	return nil
}

func (a *machgoAppender) AppendColumns(ctx context.Context, columns ...any) (int, error) {
	defer a.conn.during(ctx)()
	rows, err := eachRow(columns, a.append)
	if err != nil {
		return rows, a.conn.failed(err)
	}

	return rows, nil
}

// Sync closes the appender, which makes the server count, and opens another.
func (a *machgoAppender) Sync(ctx context.Context) (cmi.Receipt, error) {
	if _, err := a.Close(ctx); err != nil {
		return a.receipt, err
	}
	defer a.conn.during(ctx)()
	var err error
	a.appender, err = a.conn.openAppender(ctx, a.table)

	return a.receipt, err
}

func (a *machgoAppender) Close(ctx context.Context) (cmi.Receipt, error) {
	defer a.conn.during(ctx)()
	accepted, rejected, err := a.appender.Close()
	if err == nil {
		a.receipt.Accepted += accepted
		a.receipt.Rejected += rejected
		a.receipt.Other = a.receipt.Rejected // machgo does not report reasons

		return a.receipt, nil
	}
	if e := machgoError(err); e.Code == 0 {
		return a.receipt, a.conn.failed(err)
	}

	return a.receipt, a.conn.outOfStep(err)
}
