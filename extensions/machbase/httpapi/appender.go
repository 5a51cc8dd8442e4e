package httpapi

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/internal/official"
)

// The limits of a request, where the batch has none.
const (
	maxBatchRows  = 5000
	maxBatchBytes = 1 << 20
)

// Appender writes rows to a tag or log table, a batch in one request of /db/write with the method
// append. The server answers when it has taken a batch over, and appends it a moment later: a row
// that it rejects then is in its own log alone. Values are checked here, as it would cut them.
type Appender struct {
	conn  *Conn
	table string
	path  string
	batch cmi.Batch
	// columns are the table's, places those in a table's row of the values that rows bring.
	columns []tableColumn
	places  []int

	body []byte
	// cells are those of one row, in the table's order.
	cells  [][]byte
	rows   int
	oldest time.Time

	receipt cmi.Receipt
	closed  bool
}

// tableColumn is a column of a table. Its type is the protocol's, which the server's catalogue has
// as well.
type tableColumn struct {
	name string
	kind cmi.Type
}

// columnsQuery asks the server's catalogue. Columns with larger numbers are the server's own.
const columnsQuery = `select c.name, c.type, t.type from m$sys_tables t, m$sys_columns c, m$sys_users u
	where t.id = c.table_id and t.user_id = u.user_id and t.name = ? and u.name = ? and c.id < 65534 order by c.id`

// Types of tables that take appended rows over HTTP.
const (
	logTable = 0
	tagTable = 6
)

var tableName = regexp.MustCompile(`^(?:([A-Za-z_][A-Za-z0-9_$]*)\.)?([A-Za-z_][A-Za-z0-9_$]*)$`)

// Append opens an appender.
func (c *Conn) Append(ctx context.Context, table string, options cmi.AppendOptions) (*Appender, error) {
	match := tableName.FindStringSubmatch(table)
	if match == nil {
		return nil, cmi.NewError(cmi.KindUsage, "driver http appends to a table such as name or user.name, not %q", table)
	}
	owner, name := strings.ToUpper(match[1]), strings.ToUpper(match[2])
	if strings.HasPrefix(name, "V$") || strings.HasPrefix(name, "M$") {
		return nil, cmi.NewError(cmi.KindUsage, "table '%s' is the server's own: nothing can be appended to it", table)
	}
	if owner == "" {
		owner = "SYS" // as whom the API does all
	}
	columns, err := c.columnsOf(ctx, name, owner)
	if err != nil {
		return nil, err
	}
	if len(columns) == 0 {
		return nil, cmi.NewError(cmi.KindNotFound, "Table %s does not exist", name)
	}
	names := make([]string, len(columns))
	for i := range columns {
		names[i] = columns[i].name
	}
	places, misplaced := official.Places(table, names, options.Columns)
	if misplaced != nil {
		return nil, misplaced
	}
	a := &Appender{
		conn: c, table: table, path: "/db/write/" + url.PathEscape(table) + "?method=append",
		batch: options.Batch, columns: columns, places: places, cells: make([][]byte, len(columns)),
	}
	if a.batch.Rows <= 0 {
		a.batch.Rows = maxBatchRows
	}
	if a.batch.Bytes <= 0 {
		a.batch.Bytes = maxBatchBytes
	}

	return a, nil
}

// columnsOf are the columns that a row of the table has over HTTP: not a log table's time of
// arrival, which the server fills in.
func (c *Conn) columnsOf(ctx context.Context, name, owner string) ([]tableColumn, error) {
	rows, err := c.Query(ctx, columnsQuery, []any{name, owner})
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var columns []tableColumn
	for rows.Next() {
		values := rows.Values()
		if len(values) != 3 {
			return nil, garbage("the catalogue answers with %d columns", len(values))
		}
		name, isText := values[0].(string)
		kind, isNumber := values[1].(int32)
		table, isKnown := values[2].(int32)
		switch {
		case !isText, !isNumber, !isKnown:
			return nil, garbage("the catalogue has a column %v", values)
		case table != logTable && table != tagTable:
			return nil, cmi.NewError(cmi.KindUsage, "driver http appends to log and tag tables, and this is another one")
		}
		if name != official.ArrivalTime {
			columns = append(columns, tableColumn{name, cmi.Type(kind)})
		}
	}

	return columns, rows.Err()
}

// Append appends a row. One that does not fit is an error of kind append or usage, and is not
// appended.
func (a *Appender) Append(ctx context.Context, row ...any) error {
	if a.closed {
		return cmi.NewError(cmi.KindUsage, "the appender on table '%s' is closed", a.table)
	}
	if len(row) != len(a.places) {
		return cmi.NewError(cmi.KindUsage, "a row for table '%s' takes %d values, not %d", a.table, len(a.places), len(row))
	}
	if err := a.add(row); err != nil {
		return err
	}
	if a.rows >= a.batch.Rows || len(a.body) >= a.batch.Bytes || (a.batch.Age > 0 && time.Since(a.oldest) >= a.batch.Age) {
		return a.Flush(ctx)
	}

	return nil
}

// add writes the row behind those of the batch.
func (a *Appender) add(row []any) error {
	for i := range a.cells {
		a.cells[i] = append(a.cells[i][:0], "null"...)
	}
	for i, place := range a.places {
		cell, ok := appendCell(a.cells[place][:0], a.columns[place].kind, row[i])
		if !ok {
			return misfit(a.columns[place], row[i])
		}
		a.cells[place] = cell
	}
	if a.rows == 0 {
		a.body = append(a.body[:0], `{"data":{"rows":[`...)
		a.oldest = time.Now()
	} else {
		a.body = append(a.body, ',')
	}
	for i, cell := range a.cells {
		a.body = append(a.body, "[,"[min(i, 1)])
		a.body = append(a.body, cell...)
	}
	a.body = append(a.body, ']')
	a.rows++

	return nil
}

// AppendColumns appends row by row, and tells how many it appended before an error.
func (a *Appender) AppendColumns(ctx context.Context, columns ...any) (int, error) {
	return official.EachRow(columns, func(row []any) error { return a.Append(ctx, row...) })
}

// Flush sends the batch. When the server refuses it, its rows are rejected: those before the row
// that the server names are in the table all the same.
func (a *Appender) Flush(ctx context.Context) error {
	if a.rows == 0 {
		return nil
	}
	rows := int64(a.rows)
	a.rows = 0
	err := a.write(ctx, append(a.body, `]}}`...))
	if err == nil {
		a.receipt.Accepted += rows

		return nil
	}
	e, is := err.(*cmi.Error) //nolint:errorlint // write wraps nothing
	if !is || e.Kind == cmi.KindConnect || e.Kind == cmi.KindProtocol {
		return err // nobody knows what became of them
	}
	if match := rowOfBatch.FindStringSubmatch(e.Message); match != nil {
		if at, err := strconv.ParseInt(match[1], 10, 64); err == nil && at >= 1 && at <= rows {
			a.receipt.Accepted += at - 1
			rows -= at - 1
		}
	}
	a.receipt.Rejected += rows
	a.receipt.Other = a.receipt.Rejected

	return &cmi.Error{Code: e.Code, Kind: cmi.KindAppend, Message: e.Message}
}

// rowOfBatch finds which row the server means, from 1 on.
var rowOfBatch = regexp.MustCompile(`\brows\[(\d+)\]`)

// write posts rows.
func (a *Appender) write(ctx context.Context, body []byte) error {
	response, err := a.conn.post(ctx, a.path, "application/json", body) //nolint:bodyclose // its rows close it
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		defer discard(response.Body)

		return refusal(response)
	}
	rows := newRows(response.Body)
	defer rows.Close()

	return rows.Err()
}

// Sync sends what is buffered, and returns what the server took over and refused so far.
func (a *Appender) Sync(ctx context.Context) (cmi.Receipt, error) {
	err := a.Flush(ctx)

	return a.receipt, err
}

// Close sends what is left.
func (a *Appender) Close(ctx context.Context) (cmi.Receipt, error) {
	a.closed = true

	return a.Sync(ctx)
}
