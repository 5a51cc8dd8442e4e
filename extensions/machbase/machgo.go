//go:build machgo

package machbase

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"reflect"
	"regexp"
	"strings"
	"time"

	"github.com/machbase/neo-client/api"
	"github.com/machbase/neo-client/machgo"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/internal/official"
)

// machgoDriver is Machbase's own Go client. It dials by itself and ignores deadlines, reports errors as text and
// drops some; what can be mended from outside is mended here.
type machgoDriver struct{}

func (machgoDriver) Name() string { return "machgo" }

func init() { RegisterDriver(machgoDriver{}) } //nolint:gochecknoinits // what the build tag is for

func (machgoDriver) Open(_ context.Context, cfg *Config, _ DialFunc) (Conn, error) {
	if len(cfg.Alternatives) > 0 {
		return nil, newError(KindUsage, "driver machgo knows no alternatives; use driver native")
	}
	if strings.ContainsAny(cfg.Host+cfg.User+cfg.Password, ";") {
		return nil, newError(KindUsage, "host, user and password must not contain a ';': driver machgo cannot send it")
	}
	// A database of its own for each connection: one that goroutines share is a data race.
	host := cfg.Host
	if strings.Contains(host, ":") { // IPv6: machgo puts the port right behind it
		host = "[" + host + "]"
	}
	db, err := machgo.NewDatabase(&machgo.Config{Host: host, Port: cfg.Port, MaxOpenConn: -1})
	if err != nil {
		return nil, machgoError(err)
	}

	cache := map[string]api.StatementCacheMode{
		CacheOff: api.StatementCacheOff, CacheAuto: api.StatementCacheAuto, CacheOn: api.StatementCacheOn,
	}[cfg.StatementCache]
	conn, err := db.Connect(context.Background(),
		api.WithPassword(cfg.User, cfg.Password), api.WithStatementCache(cache),
		api.WithFetchRows(cfg.FetchRows), api.WithIOMetrics(true))
	if err != nil {
		if e := machgoError(err); e.Code != 0 {
			return nil, e
		}

		return nil, newError(KindConnect, "cannot connect to %s: %s", cfg.Address(), official.ConnectReason(official.Text(err)))
	}

	own := conn.(*machgo.Conn) //nolint:forcetypeassert // what machgo returns
	socket, err := machgoSocket(own)
	if err != nil {
		return nil, errors.Join(err, own.Close())
	}

	c := &machgoConn{conn: own, socket: socket}
	if seconds := roundUp(cfg.QueryTimeout, time.Second) / time.Second; seconds > 0 {
		if _, err := c.Exec(fmt.Sprintf("alter session set query_timeout = %d", seconds), nil); err != nil {
			return nil, errors.Join(err, own.Close())
		}
	}

	return c, nil
}

type machgoConn struct {
	conn   *machgo.Conn
	socket net.Conn
}

// machgoSocket finds the socket of a connection. machgo keeps it to itself and heeds no deadline: closing the socket
// under it is the only way to make it return from a server that does not answer.
func machgoSocket(conn *machgo.Conn) (net.Conn, error) {
	field := reflect.ValueOf(conn)
	for _, name := range []string{"handle", "native", "netConn"} {
		if field = field.Elem().FieldByName(name); !field.IsValid() {
			return nil, newError(KindUsage, "this version of machgo keeps its socket elsewhere: it has no field %s", name)
		}
	}
	socket, ok := reflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Elem().Interface().(net.Conn)
	if !ok {
		return nil, newError(KindUsage, "this version of machgo has no socket where it is looked for")
	}

	return socket, nil
}

// Interrupt closes the socket.
func (c *machgoConn) Interrupt() { _ = c.socket.Close() }

func (c *machgoConn) Query(sql string, args []any, read func(Rows) error) error {
	rows, err := c.conn.Query(context.Background(), official.SQL(sql), official.Args(args)...)

	return readMachgo(rows, err, read)
}

// Exec goes through Query: machgo's own Exec loses the error of a statement without parameters.
func (c *machgoConn) Exec(sql string, args []any) (int64, error) {
	sql = official.SQL(sql)
	if machgoInsertSelect.MatchString(sql) { // machgo's cache must not keep it: see machgoStatement.Exec
		stmt, err := c.Prepare(sql)
		if err != nil {
			return 0, err
		}
		defer stmt.Close() //nolint:errcheck // its own error is the one that matters

		return stmt.Exec(args)
	}
	rows, err := c.conn.Query(context.Background(), sql, official.Args(args)...)
	if err != nil {
		return 0, machgoError(err)
	}
	affected := rows.RowsAffected()
	if machgoInsert.MatchString(sql) {
		affected = min(affected, 1) // from the cache, it counts on: see machgoStatement.Exec
	}
	if err := rows.Close(); err != nil {
		return 0, machgoError(err)
	}

	return affected, nil
}

func (c *machgoConn) Prepare(sql string) (Statement, error) {
	sql = official.SQL(sql)
	stmt, err := c.conn.Prepare(context.Background(), sql)
	if err != nil {
		return nil, machgoError(err)
	}

	return &machgoStatement{stmt: stmt, insert: machgoInsert.MatchString(sql)}, nil
}

func (c *machgoConn) Append(table string, options cmi.AppendOptions) (Appender, error) {
	if options.Batch != (cmi.Batch{}) {
		return nil, newError(KindUsage, "driver machgo sends rows when it likes: the batch options are of driver native only")
	}
	appender, err := c.openAppender(table)
	if err != nil {
		return nil, err
	}

	return newMachgoAppender(c, appender, table, options.Columns)
}

func (c *machgoConn) openAppender(table string) (*machgo.Appender, error) {
	appender, err := c.conn.Appender(context.Background(), table)
	if err != nil {
		switch text := err.Error(); {
		case strings.HasSuffix(text, "does not exist"):
			return nil, newError(KindNotFound, "%s", text)
		case strings.HasSuffix(text, "doesn't support append"):
			return nil, newError(KindUsage, "%s", text)
		}

		return nil, machgoError(err)
	}

	return appender.(*machgo.Appender), nil //nolint:forcetypeassert // what machgo returns
}

func (c *machgoConn) Traffic() (received, sent uint64) {
	received, sent, _ = c.conn.IOMetrics()

	return received, sent
}

func (c *machgoConn) Close() error {
	if err := c.conn.Close(); err != nil {
		return machgoError(err)
	}

	return nil
}

type machgoStatement struct {
	stmt     api.Stmt
	insert   bool
	inserted int64 // by all that was executed so far
}

func (s *machgoStatement) Query(args []any, read func(Rows) error) error {
	rows, err := s.stmt.Query(context.Background(), official.Args(args)...)

	return readMachgo(rows, err, read)
}

// Exec tells apart the rows of this call: the server counts on from one execution of an INSERT to the next.
func (s *machgoStatement) Exec(args []any) (int64, error) {
	result := s.stmt.Exec(context.Background(), official.Args(args)...)
	if err := result.Err(); err != nil {
		return 0, machgoError(err)
	}

	affected := result.RowsAffected()
	if s.insert {
		affected, s.inserted = affected-s.inserted, affected
	}

	return affected, nil
}

func (s *machgoStatement) Close() error {
	if err := s.stmt.Close(); err != nil {
		return machgoError(err)
	}

	return nil
}

// readMachgo lets read take the rows of a query and closes them.
func readMachgo(rows api.Rows, err error, read func(Rows) error) error {
	if err != nil {
		return machgoError(err)
	}
	r := rows.(*machgo.Rows) //nolint:forcetypeassert // what machgo returns
	err = read(machgoRows{r, r.ColumnDescriptions()})
	for more := err != nil && r.Err() == nil; more; { // a statement cannot be used again before all its rows were read
		more = r.Next()
	}
	if err != nil && r.Err() != nil {
		e := asError(err)
		e.outOfStep = true
		err = e
	}
	if closeErr := r.Close(); closeErr != nil && err == nil {
		err = machgoError(closeErr)
	}

	return err
}

type machgoRows struct {
	*machgo.Rows

	columns []machgo.ColumnDesc
}

func (r machgoRows) Columns() []Column {
	columns := make([]Column, len(r.columns))
	for i, c := range r.columns {
		columns[i] = Column{Name: c.Name, Type: machgoTypes[c.Type]}
	}

	return columns
}

func (r machgoRows) Index(name string) int {
	for i := range r.columns {
		if strings.EqualFold(r.columns[i].Name, name) {
			return i
		}
	}

	return -1
}

func (r machgoRows) Equal(column int, want any) bool { return equal(r.Values()[column], want) }

// Values makes addresses of IP addresses.
func (r machgoRows) Values() []any {
	row := r.Row()
	for i, value := range row {
		if ip, ok := value.(net.IP); ok {
			if address, ok := netip.AddrFromSlice(ip); ok {
				row[i] = address
			}
		}
	}

	return row
}

func (r machgoRows) Err() error {
	err := r.Rows.Err()
	if err == nil {
		return nil
	}
	e := machgoError(err)
	e.outOfStep = true // machgo takes the next answer for another one after an error amid the rows

	return e
}

var machgoTypes = map[machgo.SqlType]string{ //nolint:gochecknoglobals // a constant
	machgo.MACHCLI_SQL_TYPE_INT16:    "short",
	machgo.MACHCLI_SQL_TYPE_INT32:    "integer",
	machgo.MACHCLI_SQL_TYPE_INT64:    "long",
	machgo.MACHCLI_SQL_TYPE_DATETIME: "datetime",
	machgo.MACHCLI_SQL_TYPE_FLOAT:    "float",
	machgo.MACHCLI_SQL_TYPE_DOUBLE:   "double",
	machgo.MACHCLI_SQL_TYPE_IPV4:     "ipv4",
	machgo.MACHCLI_SQL_TYPE_IPV6:     "ipv6",
	machgo.MACHCLI_SQL_TYPE_STRING:   "varchar",
	machgo.MACHCLI_SQL_TYPE_BINARY:   "binary",
}

// machgoAppender puts the values where the table has them. machgo's own way to do that ends in a panic on a column
// that it does not know, and fails on log tables.
type machgoAppender struct {
	conn     *machgoConn
	appender *machgo.Appender
	receipt  cmi.Receipt // of the appenders before this one
	table    string
	places   []int // in the table's row, of each value
	width    int   // of the table's row
}

func newMachgoAppender(conn *machgoConn, appender *machgo.Appender, table string, columns []string) (Appender, error) {
	known, err := appender.Columns()
	if err != nil {
		return nil, machgoError(err)
	}
	places, misplaced := official.Places(table, known.Names(), columns)
	if misplaced != nil {
		if _, _, err := appender.Close(); err != nil {
			return nil, appendError(err)
		}

		return nil, machgoError(misplaced)
	}

	return &machgoAppender{conn: conn, appender: appender, table: table, places: places, width: len(known)}, nil
}

// Append makes every error of machgo's one that drops the connection: it is out of step after it.
func (a *machgoAppender) Append(row []any) error {
	if len(row) != len(a.places) {
		return newError(KindUsage, "a row for table '%s' takes %d values, not %d", a.table, len(a.places), len(row))
	}
	full := make([]any, a.width)
	for i, value := range official.Args(row) {
		full[a.places[i]] = value
	}
	if err := a.appender.Append(full...); err != nil {
		return appendError(err)
	}

	return nil
}

// appendError is an error after which the appender's connection must not be used any more.
func appendError(err error) *Error {
	if e := machgoError(err); e.Code != 0 {
		return &Error{Code: e.Code, Kind: KindAppend, Message: e.Message, outOfStep: true}
	}

	return &Error{Kind: KindAppend, Message: official.Text(err), outOfStep: true}
}

func (a *machgoAppender) Flush() error {
	if err := a.appender.Flush(); err != nil {
		return machgoError(err)
	}

	return nil
}

// AppendColumns appends row by row.
func (a *machgoAppender) AppendColumns(columns []any) (int, error) {
	rows, err := official.EachRow(columns, a.Append)
	if err != nil {
		return rows, machgoError(err)
	}

	return rows, nil
}

// Sync closes the appender, which is when the server counts, and opens another.
func (a *machgoAppender) Sync() (cmi.Receipt, error) {
	if _, err := a.Close(); err != nil {
		return a.receipt, err
	}
	var err error
	a.appender, err = a.conn.openAppender(a.table)

	return a.receipt, err
}

func (a *machgoAppender) Close() (cmi.Receipt, error) {
	accepted, rejected, err := a.appender.Close()
	if err == nil {
		a.receipt.Accepted += accepted
		a.receipt.Rejected += rejected
		a.receipt.Other = a.receipt.Rejected // machgo does not tell the reasons

		return a.receipt, nil
	}
	if e := machgoError(err); e.Code == 0 {
		return a.receipt, e
	}

	return a.receipt, appendError(err)
}

var (
	machgoInsert = regexp.MustCompile(`(?i)^insert\b`)

	machgoInsertSelect = regexp.MustCompile(`(?is)^insert\b.*\bselect\b`)
)

// machgoRejected is how machgo puts it when it finds the news of a rejected row where it expects another answer.
const machgoRejected = "unexpected protocol 12 "

// machgoError finds the server's error code in machgo's text.
func machgoError(err error) *Error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	var told *cmi.Error
	if errors.As(err, &told) {
		return newError(told.Kind, "%s", told.Message)
	}

	text := err.Error()
	if code, message := official.ServerError(text); code != 0 {
		return machgoServerError(code, message)
	}
	if official.IsUsage(text) {
		return newError(KindUsage, "%s", text)
	}

	if strings.Contains(text, machgoRejected) {
		return &Error{Kind: KindAppend, Message: "the server has rejected rows that were appended before this call", outOfStep: true}
	}

	return newError(KindConnection, "the connection broke: %s", official.Text(err))
}

// machgoServerError is an error that the server reported.
func machgoServerError(code int, message string) *Error {
	e := cmi.ServerError(code, message)

	return &Error{Code: code, Kind: e.Kind, Message: message}
}
