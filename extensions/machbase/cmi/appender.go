package cmi

import (
	"context"
	"slices"
	"time"
)

// Batch says when an appender sends the rows that it holds: at the first of these limits. It looks
// at them when a row is appended, and sends what is left with Flush, Sync and Close.
type Batch struct {
	Rows  int           // 0 for no limit
	Bytes int           // 0 for the largest packet, 64 KiB, which no limit exceeds
	Age   time.Duration // of the oldest row; 0 for no limit
}

// AppendOptions are how rows are appended.
type AppendOptions struct {
	// Columns are those that rows bring, in their order, in upper or lower case; the others become
	// null. When it is empty, rows bring all columns in the table's order, but for a log table's
	// time of arrival, which the server fills in.
	Columns []string
	Batch   Batch
}

// Appender writes rows to a tag or log table without an answer for each. Other calls on the
// connection may come in between.
type Appender struct {
	conn    *Conn
	table   string
	id      uint32
	batch   Batch
	columns []Column // of the table
	inputs  []Column // that rows bring
	places  []int    // for each column of the table, where rows bring its value, or one of those below
	nulls   int      // bytes for the nulls of a row

	out    request
	rows   int       // in out
	oldest time.Time // when the first of them came

	receipt receipt
	closed  bool
}

// Columns describes the values that a row brings, in their order.
func (a *Appender) Columns() []Column { return a.inputs }

// Append appends a row. Its values are nil, or what fits the column: any integer or floating-point
// number, a time.Time or an int64 of nanoseconds for a datetime, a string or []byte, netip.Addr,
// net.IP or a string for an IP address. A row that does not fit is an error of kind append or
// usage, and is not appended; the appender can be used on.
func (a *Appender) Append(ctx context.Context, row ...any) error {
	if err := a.enter(ctx); err != nil {
		return err
	}
	defer a.conn.leave()
	if len(row) != len(a.inputs) {
		return usage("a row for table '%s' takes %d values, not %d", a.table, len(a.inputs), len(row))
	}

	return a.append(ctx, func(b []byte, column Column, place int) ([]byte, bool, *Error) {
		return put(b, column, row[place])
	})
}

// AppendColumns appends as many rows as the columns have values, and returns how many it has
// appended before an error. Each column is a slice: of []any with values as those of Append, of
// numbers ([]int8 to []int64, []uint8 to []uint64, []float32, []float64), []string, [][]byte or
// []time.Time. Appending numbers and strings allocates nothing.
func (a *Appender) AppendColumns(ctx context.Context, columns ...any) (int, error) {
	if err := a.enter(ctx); err != nil {
		return 0, err
	}
	defer a.conn.leave()
	rows, err := a.checkColumns(columns)
	if err != nil {
		return 0, err
	}
	row := 0
	cell := func(b []byte, column Column, place int) ([]byte, bool, *Error) {
		return putCell(b, column, columns[place], row)
	}
	for ; row < rows; row++ {
		if err := a.append(ctx, cell); err != nil {
			return row, err
		}
	}

	return rows, nil
}

func (a *Appender) checkColumns(columns []any) (rows int, err error) {
	if len(columns) != len(a.inputs) {
		return 0, usage("table '%s' takes %d columns, not %d", a.table, len(a.inputs), len(columns))
	}
	for i, column := range columns {
		length, ok := lengthOf(column)
		switch {
		case !ok:
			return 0, usage("column %q cannot come as %T", a.inputs[i].Name, column)
		case i > 0 && length != rows:
			return 0, usage("column %q has %d values, and the ones before it have %d", a.inputs[i].Name, length, rows)
		}
		rows = length
	}

	return rows, nil
}

func (a *Appender) enter(ctx context.Context) error {
	if a.closed {
		return usage("the appender on table '%s' is closed", a.table)
	}

	return a.conn.enter(ctx)
}

// begin starts an empty batch.
func (a *Appender) begin() {
	a.rows = 0
	a.out.reset()
	a.out.begin(msgAppendData, a.id, uint16(a.id))
}

// append writes a row into the batch, and sends what the batch's limits want to be sent.
func (a *Appender) append(ctx context.Context, cell cellWriter) error {
	start := len(a.out.buf)
	if err := a.write(cell); err != nil {
		a.out.buf = a.out.buf[:start]

		return err
	}
	if body := len(a.out.buf) - headerSize; body > a.batch.Bytes && a.rows > 0 {
		row := slices.Clone(a.out.buf[start:])
		a.out.buf = a.out.buf[:start]
		if err := a.send(ctx); err != nil {
			return err
		}
		a.out.buf = append(a.out.buf, row...)
	}
	a.rows++
	if a.batch.Age > 0 && a.rows == 1 {
		a.oldest = time.Now()
	}
	if a.rows == a.batch.Rows || len(a.out.buf)-headerSize >= a.batch.Bytes || a.batch.Age > 0 && time.Since(a.oldest) >= a.batch.Age {
		return a.send(ctx)
	}

	return nil
}

// send sends the batch.
func (a *Appender) send(ctx context.Context) error {
	if a.rows == 0 {
		return nil
	}
	a.out.end()
	if err := a.conn.writeAndListen(a.out.buf); err != nil {
		return a.conn.failure(ctx, err)
	}
	a.begin()

	return nil
}

// Flush sends the rows that were appended so far. Whether the server took them is not known yet.
func (a *Appender) Flush(ctx context.Context) error {
	if err := a.enter(ctx); err != nil {
		return err
	}
	defer a.conn.leave()

	return a.send(ctx)
}
