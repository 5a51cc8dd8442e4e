package cmi

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"time"
)

// Batch says when an appender sends the rows that it holds: at the first of these limits. It looks at them when a row is
// appended, and sends what is left with Flush, Sync and Close.
type Batch struct {
	Rows  int           // 0 for no limit
	Bytes int           // 0 for the largest packet, 64 KiB, which no limit exceeds
	Age   time.Duration // of the oldest row; 0 for no limit
}

// AppendOptions are how rows are appended.
type AppendOptions struct {
	// Columns are those that rows bring, in their order, in upper or lower case; the others become null. When it is empty,
	// rows bring all columns in the table's order, but for a log table's time of arrival, which the server fills in.
	Columns []string
	Batch   Batch
}

// Appender writes rows to a tag or log table without an answer for each. Other calls on the connection may come in between.
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

// Places of columns whose value no row brings.
const (
	placeNull    = -1
	placeArrival = -2
)

// arrivalTime is the first column of a log table, which some answers give without its name.
const arrivalTime = "_ARRIVAL_TIME"

// Append opens an appender. Errors are of kind not_found for a table or column that does not exist, and of kind usage for a
// column that is there twice and for a table of another kind.
func (c *Conn) Append(ctx context.Context, table string, options AppendOptions) (*Appender, error) {
	if isSystemTable(table) {
		return nil, usage("table '%s' is the server's own: nothing can be appended to it", table)
	}
	if err := c.enter(ctx); err != nil {
		return nil, err
	}
	defer c.leave()
	if c.bigEndian {
		return nil, usage("the server is big-endian, and this client appends in little-endian only")
	}

	a := &Appender{conn: c, table: table, batch: options.Batch}
	if a.batch.Bytes <= 0 || a.batch.Bytes > maxPacketBody {
		a.batch.Bytes = maxPacketBody
	}
	s := &Stmt{conn: c}
	if err := s.take(ctx); err != nil {
		return nil, err
	}
	a.id = s.id
	c.out.reset()
	a.request(msgAppendOpen)
	body, err := c.ask(ctx, msgAppendOpen, a.id)
	if err != nil {
		return nil, err
	}
	opened, _, err := readResult(body)
	if err != nil {
		s.free()

		return nil, a.openError(c.failure(ctx, err))
	}
	a.columns = opened.columns
	a.nulls = len(a.columns)/8 + 1
	if c.appenders == nil {
		c.appenders = map[uint32]*Appender{}
	}
	c.appenders[a.id] = a
	if err := a.bring(options.Columns); err != nil {
		if endErr := a.end(ctx); endErr != nil {
			return nil, endErr
		}

		return nil, err
	}
	a.begin()

	return a, nil
}

// isSystemTable tells whether a table is one of those that the server makes: a row that is appended to V$SESSION ends a
// machbase-neo v8.0.74.
func isSystemTable(name string) bool {
	name = strings.ToUpper(name[strings.LastIndexByte(name, '.')+1:])

	return strings.HasPrefix(name, "V$") || strings.HasPrefix(name, "M$")
}

// request adds a message about the appender to the request.
func (a *Appender) request(kind byte) {
	out := &a.conn.out
	out.begin(kind, a.id, 0)
	out.uint64(unitStatement, uint64(a.id))
	if kind == msgAppendOpen {
		out.text(unitTable, a.table)
		out.uint64(unitAppendEndian, 0)
	}
	out.end()
}

// openError gives errors that the server has no code of its own for a kind.
func (a *Appender) openError(err error) error {
	var known *Error
	if errors.As(err, &known) && known.Kind == KindServer && strings.Contains(known.Message, "support") {
		return &Error{Code: known.Code, Kind: KindUsage, Message: known.Message}
	}

	return err
}

// bring works out where rows bring the columns' values.
func (a *Appender) bring(names []string) error {
	a.places = make([]int, len(a.columns))
	for i, column := range a.columns {
		a.places[i] = placeNull
		if i == 0 && column.Name == "" {
			a.columns[i].Name = arrivalTime
		}
		if a.columns[i].Name == arrivalTime {
			a.places[i] = placeArrival
		} else if len(names) == 0 {
			a.places[i] = len(a.inputs)
			a.inputs = append(a.inputs, column)
		}
	}

	for _, name := range names {
		i := slices.IndexFunc(a.columns, func(c Column) bool { return strings.EqualFold(c.Name, name) })
		switch {
		case i < 0:
			return NewError(KindNotFound, "table '%s' has no column %q to append to", a.table, name)
		case a.places[i] >= 0:
			return usage("appender: column %q is there twice", name)
		}
		a.places[i] = len(a.inputs)
		a.inputs = append(a.inputs, a.columns[i])
	}

	return nil
}

// Columns describes the values that a row brings, in their order.
func (a *Appender) Columns() []Column { return a.inputs }

// Append appends a row. Its values are nil, or what fits the column: any integer or floating-point number, a time.Time or an int64 of
// nanoseconds for a datetime, a string or []byte, netip.Addr, net.IP or a string for an IP address. A row that does not fit is
// an error of kind append or usage, and is not appended; the appender can be used on.
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

// AppendColumns appends as many rows as the columns have values, and returns how many it has appended before an error. Each column is
// a slice: of []any with values as those of Append, of numbers ([]int8 to []int64, []uint8 to []uint64, []float32, []float64), []string,
// [][]byte or []time.Time. Appending numbers and strings allocates nothing.
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

// Sync sends the rows that were appended so far, waits until the server has taken or rejected all of them, and says how many.
func (a *Appender) Sync(ctx context.Context) (Receipt, error) {
	if err := a.enter(ctx); err != nil {
		return a.Receipt(), err
	}
	defer a.conn.leave()
	if err := a.send(ctx); err != nil {
		return a.Receipt(), err
	}

	// The server counts when an appender closes.
	c := a.conn
	c.out.reset()
	a.request(msgAppendClose)
	body, err := c.ask(ctx, msgAppendClose, a.id)
	if err != nil {
		return a.Receipt(), err
	}
	err = a.counted(ctx, body)
	if openErr := a.open(ctx); err == nil { // the first error is the cause of the second
		err = openErr
	}

	return a.Receipt(), err
}

// open opens the appender again. One that the server does not open is closed.
func (a *Appender) open(ctx context.Context) error {
	c := a.conn
	c.out.reset()
	a.request(msgAppendOpen)
	body, err := c.ask(ctx, msgAppendOpen, a.id)
	if err == nil {
		_, _, err = readResult(body)
	}
	if err == nil {
		return nil
	}
	err = c.failure(ctx, err)
	a.closed = true
	delete(c.appenders, a.id)
	c.frees = append(c.frees, a.id)

	return a.openError(err)
}

// Close sends the rows that were appended so far, ends the appender, and says how many rows the server took and rejected.
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

// end has the server end the appender.
func (a *Appender) end(ctx context.Context) error {
	a.closed = true
	c := a.conn
	c.out.reset()
	a.request(msgAppendClose)
	body, err := c.ask(ctx, msgAppendClose, a.id)
	if err != nil {
		return err
	}
	err = a.counted(ctx, body)
	delete(c.appenders, a.id)
	c.ids.give(a.id)

	return err
}

// writeAndListen writes rows. The server stops reading when nobody reads what it says about rows that it rejects, so that this
// listens whenever writing does not go on.
func (c *Conn) writeAndListen(b []byte) error {
	const patience = 20 * time.Millisecond
	for {
		if err := c.socket.SetWriteDeadline(time.Now().Add(patience)); err != nil {
			return err
		}
		n, err := c.socket.Write(b)
		c.sent.Add(uint64(n))
		if b = b[n:]; !errors.Is(err, os.ErrDeadlineExceeded) {
			return errors.Join(err, c.socket.SetWriteDeadline(time.Time{}))
		}
		if err := c.listen(); err != nil {
			return err
		}
	}
}

// listen reads what the server says about rows, as far as it has come.
func (c *Conn) listen() error {
	const patience = time.Millisecond
	for {
		if !c.in.buffered() {
			if err := c.socket.SetReadDeadline(time.Now().Add(patience)); err != nil {
				return err
			}
			err := c.in.need(1)
			if errors.Is(err, os.ErrDeadlineExceeded) {
				return c.socket.SetReadDeadline(time.Time{})
			}
			if err := errors.Join(err, c.socket.SetReadDeadline(time.Time{})); err != nil {
				return err
			}
		}
		m, err := c.in.read()
		if err != nil {
			return err
		}
		if m.kind != msgAppendData {
			return garbage("message %d came while rows were appended", m.kind)
		}
		if err := c.rejection(m); err != nil {
			return err
		}
	}
}
