package machbase

import (
	"context"
	"errors"
	"regexp"
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
	db, err := machgo.NewDatabase(&machgo.Config{Host: cfg.Host, Port: cfg.Port, MaxOpenConn: -1})
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

		return nil, connectError(cfg.Address(), err)
	}

	return &machgoConn{conn: conn.(*machgo.Conn)}, nil //nolint:forcetypeassert // what machgo returns
}

type machgoConn struct {
	conn *machgo.Conn
}

func (c *machgoConn) Query(sql string, args []any, read func(Rows) error) error {
	rows, err := c.conn.Query(context.Background(), trimComments(sql), args...)

	return readMachgo(rows, err, read)
}

// Exec goes through Query: machgo's own Exec loses the error of a statement without parameters.
func (c *machgoConn) Exec(sql string, args []any) (int64, error) {
	rows, err := c.conn.Query(context.Background(), trimComments(sql), args...)
	if err != nil {
		return 0, machgoError(err)
	}
	affected := rows.RowsAffected()
	if err := rows.Close(); err != nil {
		return 0, machgoError(err)
	}

	return affected, nil
}

func (c *machgoConn) Prepare(sql string) (Statement, error) {
	stmt, err := c.conn.Prepare(context.Background(), trimComments(sql))
	if err != nil {
		return nil, machgoError(err)
	}

	return machgoStatement{stmt}, nil
}

func (c *machgoConn) Append(table string, columns []string) (Appender, error) {
	appender, err := c.conn.Appender(context.Background(), table)
	if err != nil {
		if strings.HasSuffix(err.Error(), "does not exist") {
			return nil, newError(KindNotFound, "%s", err)
		}

		return nil, machgoError(err)
	}
	if len(columns) > 0 {
		appender = appender.WithInputColumns(columns...)
	}

	return machgoAppender{appender.(*machgo.Appender)}, nil //nolint:forcetypeassert // what machgo returns
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
	stmt api.Stmt
}

func (s machgoStatement) Query(args []any, read func(Rows) error) error {
	rows, err := s.stmt.Query(context.Background(), args...)

	return readMachgo(rows, err, read)
}

func (s machgoStatement) Exec(args []any) (int64, error) {
	result := s.stmt.Exec(context.Background(), args...)
	if err := result.Err(); err != nil {
		return 0, machgoError(err)
	}

	return result.RowsAffected(), nil
}

func (s machgoStatement) Close() error {
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
	if err := r.Rows.Err(); err != nil {
		return machgoError(err)
	}

	return nil
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

type machgoAppender struct {
	appender *machgo.Appender
}

// Append makes every error one that drops the connection: machgo's is out of step after it.
func (a machgoAppender) Append(row []any) error {
	if err := a.appender.Append(row...); err != nil {
		e := machgoError(err)

		return &Error{Code: e.Code, Kind: KindAppend, Message: e.Message}
	}

	return nil
}

func (a machgoAppender) Flush() error {
	if err := a.appender.Flush(); err != nil {
		return machgoError(err)
	}

	return nil
}

func (a machgoAppender) Close() (accepted, rejected int64, err error) {
	accepted, rejected, err = a.appender.Close()
	if err != nil {
		err = machgoError(err)
	}

	return accepted, rejected, err
}

var (
	machgoCode  = regexp.MustCompile(`MACHCLI-ERR-(\d+), *`)
	machgoUsage = regexp.MustCompile(`^params required|unknown type|unsupported.*type`)
)

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

	return newError(KindConnection, "the connection broke: %s", text)
}

// trimComments takes away what stands before the statement: machgo tells a query by its first word, and finds no
// columns when a comment comes first. Hints, which stand behind the first word, stay.
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
