package machbase

import (
	"context"
	"errors"
	"net"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/machbase/neo-client/api"
	"github.com/machbase/neo-client/machgo"
)

// machgoDriver is Machbase's own Go client. It dials by itself and ignores deadlines, reports errors as text and
// drops some; what can be mended from outside is mended here.
type machgoDriver struct{}

func (machgoDriver) Name() string { return "machgo" }

func (machgoDriver) Open(cfg *Config) (Conn, error) {
	// A database of its own for each connection: one that goroutines share is a data race.
	host := cfg.Host
	if strings.Contains(host, ":") { // IPv6: machgo puts the port right behind it
		host = "[" + host + "]"
	}
	db, err := machgo.NewDatabase(&machgo.Config{Host: host, Port: cfg.Port, MaxOpenConn: -1})
	if err != nil {
		return nil, machgoError(err)
	}

	cache := api.StatementCacheOff
	if cfg.StatementCache == CacheAuto {
		cache = api.StatementCacheAuto
	}
	conn, err := db.Connect(context.Background(),
		api.WithPassword(cfg.User, cfg.Password), api.WithStatementCache(cache),
		api.WithFetchRows(cfg.FetchRows), api.WithIOMetrics(true))
	if err != nil {
		if e := machgoError(err); e.Code != 0 {
			return nil, e
		}

		return nil, connectError(cfg.Address(), errors.New(machgoText(err)))
	}

	own := conn.(*machgo.Conn) //nolint:forcetypeassert // what machgo returns
	socket, err := machgoSocket(own)
	if err != nil {
		return nil, errors.Join(err, own.Close())
	}

	return &machgoConn{conn: own, socket: socket}, nil
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
	rows, err := c.conn.Query(context.Background(), machgoSQL(sql), machgoArgs(args)...)

	return readMachgo(rows, err, read)
}

// Exec goes through Query: machgo's own Exec loses the error of a statement without parameters.
func (c *machgoConn) Exec(sql string, args []any) (int64, error) {
	sql = machgoSQL(sql)
	if machgoInsertSelect.MatchString(sql) { // machgo's cache must not keep it: see machgoStatement.Exec
		stmt, err := c.Prepare(sql)
		if err != nil {
			return 0, err
		}
		defer stmt.Close() //nolint:errcheck // its own error is the one that matters

		return stmt.Exec(args)
	}
	rows, err := c.conn.Query(context.Background(), sql, machgoArgs(args)...)
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
	sql = machgoSQL(sql)
	stmt, err := c.conn.Prepare(context.Background(), sql)
	if err != nil {
		return nil, machgoError(err)
	}

	return &machgoStatement{stmt: stmt, insert: machgoInsert.MatchString(sql)}, nil
}

func (c *machgoConn) Append(table string, columns []string) (Appender, error) {
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

	return newMachgoAppender(appender.(*machgo.Appender), table, columns) //nolint:forcetypeassert // what machgo returns
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
	rows, err := s.stmt.Query(context.Background(), machgoArgs(args)...)

	return readMachgo(rows, err, read)
}

// Exec tells apart the rows of this call: the server counts on from one execution of an INSERT to the next.
func (s *machgoStatement) Exec(args []any) (int64, error) {
	result := s.stmt.Exec(context.Background(), machgoArgs(args)...)
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

func (r machgoRows) Values() []any { return r.Row() }

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
	appender *machgo.Appender
	table    string
	places   []int // in the table's row, of each value
	width    int   // of the table's row
}

// arrivalTime is the first column of a log table. The server fills it in when a row brings none.
const arrivalTime = "_ARRIVAL_TIME"

func newMachgoAppender(appender *machgo.Appender, table string, columns []string) (Appender, error) {
	known, err := appender.Columns()
	if err != nil {
		return nil, machgoError(err)
	}
	a := machgoAppender{appender: appender, table: table, width: len(known)}
	if len(columns) == 0 {
		for i, column := range known {
			if column.Name != arrivalTime {
				a.places = append(a.places, i)
			}
		}

		return a, nil
	}

	for _, name := range columns {
		place := slices.IndexFunc(known, func(c *api.Column) bool { return strings.EqualFold(c.Name, name) })
		switch {
		case place < 0:
			err = newError(KindNotFound, "table '%s' has no column %q to append to", table, name)
		case slices.Contains(a.places, place):
			err = newError(KindUsage, "appender: column %q is there twice", name)
		}
		if err != nil {
			if _, _, closeErr := appender.Close(); closeErr != nil {
				return nil, appendError(closeErr)
			}

			return nil, err
		}
		a.places = append(a.places, place)
	}

	return a, nil
}

// Append makes every error of machgo's one that drops the connection: it is out of step after it.
func (a machgoAppender) Append(row []any) error {
	if len(row) != len(a.places) {
		return newError(KindUsage, "a row for table '%s' takes %d values, not %d", a.table, len(a.places), len(row))
	}
	full := make([]any, a.width)
	for i, place := range a.places {
		full[place] = row[i]
	}
	if err := a.appender.Append(full...); err != nil {
		return appendError(err)
	}

	return nil
}

// appendError is an error after which the appender's connection must not be used any more.
func appendError(err error) *Error {
	if e := machgoError(err); e.Code != 0 {
		return &Error{Code: e.Code, Kind: KindAppend, Message: e.Message}
	}

	return newError(KindAppend, "%s", machgoText(err))
}

func (a machgoAppender) Flush() error {
	if err := a.appender.Flush(); err != nil {
		return machgoError(err)
	}

	return nil
}

func (a machgoAppender) Close() (accepted, rejected int64, err error) {
	accepted, rejected, err = a.appender.Close()
	if err == nil {
		return accepted, rejected, nil
	}
	if e := machgoError(err); e.Code == 0 {
		return 0, 0, e
	}

	return 0, 0, appendError(err)
}

var (
	machgoCode   = regexp.MustCompile(`(?:MACHCLI-ERR-|^server error code=)(\d+)(?:, *| message=|$)`)
	machgoUsage  = regexp.MustCompile(`^params required|unknown type|unsupported.*type`)
	machgoSelect = regexp.MustCompile(`(?i)^select[^\w\s]`)
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

	text := err.Error()
	if match := machgoCode.FindStringSubmatchIndex(text); match != nil {
		if code, _ := strconv.Atoi(text[match[2]:match[3]]); code != 0 {
			return serverError(code, text[match[1]:])
		}
	}
	if machgoUsage.MatchString(text) {
		return newError(KindUsage, "%s", text)
	}

	if strings.Contains(text, machgoRejected) {
		return newError(KindAppend, "the server has rejected rows that were appended before this call")
	}

	return newError(KindConnection, "the connection broke: %s", machgoText(err))
}

// machgoText is the text of an error of machgo's own, which writes most of them twice.
func machgoText(err error) string {
	text := strings.TrimPrefix(err.Error(), "MACHCLI ")
	if half := (len(text) - len(", ")) / 2; half > 0 && text == text[:half]+", "+text[:half] {
		return text[:half]
	}

	return text
}

// machgoArgs writes IP addresses as text: machgo takes those of 4 and 16 characters for something else.
func machgoArgs(args []any) []any {
	own := args
	for i, arg := range args {
		if ip, ok := arg.(net.IP); ok {
			if &own[0] == &args[0] {
				own = slices.Clone(args)
			}
			own[i] = ipText(ip)
		}
	}

	return own
}

// machgoSQL makes a statement one that machgo understands: it tells a query by its first word, and finds no columns
// when a comment stands before it, or something other than a space behind it, such as a hint.
func machgoSQL(sql string) string {
	sql = trimComments(sql)
	if machgoSelect.MatchString(sql) {
		return sql[:len("select")] + " " + sql[len("select"):]
	}

	return sql
}

// trimComments takes away the comments before a statement. Hints, which stand behind its first word, stay.
func trimComments(sql string) string {
	for {
		sql = strings.TrimSpace(sql)
		var end string
		switch {
		case strings.HasPrefix(sql, "--"):
			end = "\n"
		case strings.HasPrefix(sql, "/*"):
			end = "*/"
		default:
			return sql
		}
		_, rest, found := strings.Cut(sql, end)
		if !found {
			return sql
		}
		sql = rest
	}
}
