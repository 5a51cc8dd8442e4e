package sql

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

var errSeveral = errors.New("PostgreSQL accepts one statement per call: make a call for each, " +
	"or open the database with default_query_exec_mode=simple_protocol, which accepts several without values")

// COPY switches to another protocol, and both sides would wait forever.
var errCopy = errors.New("COPY FROM STDIN and COPY TO STDOUT do not work here: " +
	"insert rows with insert, or copy from a file on the server")

var copyOfClient = regexp.MustCompile(`(?is)^copy\b.*\b(from\s+stdin|to\s+stdout)\b`)

func copies(query string) bool {
	for statement := range strings.SplitSeq(query, ";") {
		statement = strings.TrimSpace(statement)
		if len(statement) > len("copy") && strings.EqualFold(statement[:len("copy")], "copy") && copyOfClient.MatchString(statement) {
			return true
		}
	}

	return false
}

// QueryContext returns the rows of a query. With the simple protocol and several statements, these
// are the rows of the last one. A prepared statement that the server has dropped, or whose tables
// have changed, is prepared again.
func (c pgConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if copies(query) {
		return nil, errCopy
	}
	if c.simple && len(args) == 0 {
		return c.lastRows(ctx, query)
	}
	if c.simple && several(query) {
		return nil, errSeveral
	}
	rows, err := c.Conn.QueryContext(ctx, query, args)
	if isStale(err) {
		rows, err = c.Conn.QueryContext(ctx, query, args)
	}

	return rows, explained(err)
}

// ExecContext runs a statement, in the same way as QueryContext.
func (c pgConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if copies(query) {
		return nil, errCopy
	}
	if c.simple && len(args) > 0 && several(query) {
		return nil, errSeveral
	}
	result, err := c.Conn.ExecContext(ctx, query, args)
	if isStale(err) {
		result, err = c.Conn.ExecContext(ctx, query, args)
	}

	return result, explained(err)
}

// isStale reports whether a prepared statement failed before it ran, because the server has dropped
// it or its result has other columns. pgx then forgets the statement.
func isStale(err error) bool {
	said, is := errors.AsType[*pgconn.PgError](err)

	return is && (said.Code == "26000" || said.Code == "0A000" && strings.Contains(said.Message, "cached plan"))
}

func explained(err error) error {
	said, is := errors.AsType[*pgconn.PgError](err)
	if is && said.Code == "42601" && strings.Contains(said.Message, "multiple commands") {
		return errSeveral
	}

	return err
}

func several(query string) bool {
	return strings.Contains(strings.TrimRight(query, "; \t\r\n"), ";")
}

func (c pgConn) lastRows(ctx context.Context, query string) (driver.Rows, error) {
	results, err := c.Conn.Conn().PgConn().Exec(ctx, query).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(results) == 0 {
		return &textRows{result: &pgconn.Result{}}, nil
	}

	return &textRows{result: results[len(results)-1], types: c.Conn.Conn().TypeMap()}, nil
}

type textRows struct {
	result *pgconn.Result
	types  *pgtype.Map
	next   int
}

func (r *textRows) Columns() []string {
	names := make([]string, len(r.result.FieldDescriptions))
	for i := range names {
		names[i] = r.result.FieldDescriptions[i].Name
	}

	return names
}

// ColumnTypeDatabaseTypeName returns the type's name in upper case, as pgx does.
func (r *textRows) ColumnTypeDatabaseTypeName(i int) string {
	if t, known := r.types.TypeForOID(r.result.FieldDescriptions[i].DataTypeOID); known {
		return strings.ToUpper(t.Name)
	}

	return ""
}

func (r *textRows) Close() error { return nil }

func (r *textRows) Next(into []driver.Value) (err error) {
	if r.next == len(r.result.Rows) {
		return io.EOF
	}
	row := r.result.Rows[r.next]
	r.next++
	for i, raw := range row {
		oid := r.result.FieldDescriptions[i].DataTypeOID
		t, known := r.types.TypeForOID(oid)
		switch {
		case raw == nil:
			into[i] = nil
		case !known:
			into[i] = string(raw)
		default:
			if into[i], err = t.Codec.DecodeDatabaseSQLValue(r.types, oid, pgtype.TextFormatCode, raw); err != nil {
				return err
			}
		}
	}

	return nil
}
