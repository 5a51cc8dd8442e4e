package cmi

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"
)

// Batch limits the rows that an appender buffers. It sends them when a row reaches the first limit,
// and in Flush, Sync and Close.
type Batch struct {
	Rows  int           // 0: no limit
	Bytes int           // 0: the largest packet, 64 KiB, which is the maximum
	Age   time.Duration // age of the oldest row; 0: no limit
}

// AppendOptions are options of an appender.
type AppendOptions struct {
	// Columns are the columns of the rows, in order, in upper or lower case; other columns become
	// null. If it is empty, rows have all columns in the table's order, without a log table's
	// arrival time, which the server sets.
	Columns []string
	Batch   Batch
}

// Appender appends rows to a tag or log table without an answer for each. Other calls on the
// connection are possible meanwhile.
type Appender struct {
	conn    *Conn
	table   string
	id      uint32
	batch   Batch
	columns []Column
	inputs  []Column
	places  []int // index in a row of each table column
	nulls   int

	out    request
	rows   int
	oldest time.Time

	receipt Receipt // without Other
	closed  bool
}

// Columns describes the values of a row, in order.
func (a *Appender) Columns() []Column { return a.inputs }

// Append appends a row. A value is nil or fits its column: any integer or floating-point number; a
// time.Time or an int64 of nanoseconds for a datetime; a string or []byte; netip.Addr, net.IP or a
// string for an IP address. A row that does not fit is an error of kind append or usage. It is not
// appended, and the appender stays usable.
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

// AppendColumns appends rows given as columns, and returns how many it has appended before an
// error. A column is a slice: []any with values as for Append, numbers ([]int8 to []int64,
// []uint8 to []uint64, []float32, []float64), []string, [][]byte or []time.Time.
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
			return 0, usage("column %q cannot be a %T", a.inputs[i].Name, column)
		case i > 0 && length != rows:
			return 0, usage("column %q has %d values, but the ones before it have %d", a.inputs[i].Name, length, rows)
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

func (a *Appender) begin() {
	a.rows = 0
	a.out.reset()
	a.out.begin(msgAppendData, a.id, uint16(a.id))
}

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

// Flush sends the buffered rows, without waiting for the server.
func (a *Appender) Flush(ctx context.Context) error {
	if err := a.enter(ctx); err != nil {
		return err
	}
	defer a.conn.leave()

	return a.send(ctx)
}

// Sync sends the buffered rows, waits until the server has accepted or rejected all rows, and
// returns how many.
func (a *Appender) Sync(ctx context.Context) (Receipt, error) {
	if err := a.enter(ctx); err != nil {
		return a.Receipt(), err
	}
	defer a.conn.leave()
	if err := a.send(ctx); err != nil {
		return a.Receipt(), err
	}

	err := a.count(ctx)
	if a.conn.Broken() {
		return a.Receipt(), err
	}
	if _, openErr := a.open(ctx); openErr != nil {
		a.closed = true
		delete(a.conn.appenders, a.id)
		a.conn.frees = append(a.conn.frees, a.id)
		if err == nil {
			err = openErr
		}
	}

	return a.Receipt(), err
}

func (a *Appender) open(ctx context.Context) (answer, error) {
	a.conn.out.reset()
	a.request(msgAppendOpen)
	body, err := a.conn.ask(ctx, msgAppendOpen, a.id)
	if err != nil {
		return answer{}, err
	}
	opened, _, err := readResult(body)
	if err != nil {
		err = a.openError(a.conn.failure(ctx, err))
	}

	return opened, err
}

// Close sends the buffered rows, closes the appender, and returns how many rows the server has
// accepted and rejected.
func (a *Appender) Close(ctx context.Context) (Receipt, error) {
	if a.closed {
		return a.Receipt(), nil
	}
	if err := a.conn.enter(ctx); err != nil {
		return a.Receipt(), err
	}
	defer a.conn.leave()
	if err := a.send(ctx); err != nil {
		return a.Receipt(), err
	}
	err := a.end(ctx)

	return a.Receipt(), err
}

func (a *Appender) end(ctx context.Context) error {
	a.closed = true
	err := a.count(ctx)
	if !a.conn.Broken() {
		delete(a.conn.appenders, a.id)
		a.conn.ids.give(a.id)
	}

	return err
}

// count closes the appender on the server, which then reports how many rows it has accepted.
func (a *Appender) count(ctx context.Context) error {
	a.conn.out.reset()
	a.request(msgAppendClose)
	body, err := a.conn.ask(ctx, msgAppendClose, a.id)
	if err != nil {
		return err
	}

	answer, _, err := readResult(body)
	if err != nil {
		return a.conn.failure(ctx, err)
	}
	a.receipt.Accepted += answer.accepted
	a.receipt.Rejected += answer.rejected

	return nil
}

// The server stops reading while no one reads its reports of rejected rows, so writeAndListen
// reads them whenever a write blocks.
func (c *Conn) writeAndListen(b []byte) error {
	const patience = 20 * time.Millisecond
	for {
		if err := c.stream.SetWriteDeadline(time.Now().Add(patience)); err != nil {
			return err
		}
		n, err := c.stream.Write(b)
		c.sent.Add(uint64(n))
		if b = b[n:]; !errors.Is(err, os.ErrDeadlineExceeded) {
			return errors.Join(err, c.stream.SetWriteDeadline(time.Time{}))
		}
		if err := c.listen(); err != nil {
			return err
		}
	}
}

func (c *Conn) listen() error {
	const patience = time.Millisecond
	for {
		if !c.in.buffered() {
			if err := c.stream.SetReadDeadline(time.Now().Add(patience)); err != nil {
				return err
			}
			err := c.in.need(1)
			if errors.Is(err, os.ErrDeadlineExceeded) {
				return c.stream.SetReadDeadline(time.Time{})
			}
			if err := errors.Join(err, c.stream.SetReadDeadline(time.Time{})); err != nil {
				return err
			}
		}
		m, err := c.in.read()
		if err != nil {
			return err
		}
		if m.kind != msgAppendData {
			return protocolError("message %d arrived while rows were appended", m.kind)
		}
		if err := c.rejection(m); err != nil {
			return err
		}
	}
}
