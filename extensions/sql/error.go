package sql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/grafana/sobek"
	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

// Kinds of errors that other modules do not have.
const (
	kindBusy     = "busy"      // a lock, or too many connections
	kindNotFound = "not_found" // no such table, column or other object
	kindConflict = "conflict"  // the object or key exists already
	kindTooLarge = "too_large" // a value or a statement is too large
	kindFull     = "full"      // the server is out of space
	kindSyntax   = "syntax"    // the server cannot parse the statement
)

func asError(err error) k6x.Error {
	var thrown *sobek.Exception
	if errors.As(err, &thrown) && errors.Unwrap(thrown) != nil {
		err = errors.Unwrap(thrown)
	}
	e := k6x.Error{Kind: kindOf(err), Message: err.Error(), Cause: err}
	if machbase, is := errors.AsType[*cmi.Error](err); is {
		e.Code = machbase.Code
	}
	if local, is := errors.AsType[*sqlite.Error](err); is {
		e.Code = local.Code()
	}

	return e
}

// kindOf asks the drivers first: a connection that did not open in time is of kind connect, not
// timeout.
func kindOf(err error) string {
	if kind := postgresKind(err); kind != "" {
		return kind
	}
	if machbase, is := errors.AsType[*cmi.Error](err); is {
		return machbase.Kind
	}
	if local, is := errors.AsType[*sqlite.Error](err); is {
		return kindOfLocal(local)
	}
	var network net.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return k6x.KindTimeout
	case errors.Is(err, context.Canceled):
		return k6x.KindCancelled
	case errors.As(err, &network), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, net.ErrClosed), errors.Is(err, driver.ErrBadConn), errors.Is(err, sql.ErrConnDone), errors.Is(err, errLost):
		return k6x.KindConnection
	default:
		return k6x.KindUsage
	}
}

// Code 1 covers all faults of a statement; only the text distinguishes them.
func kindOfLocal(e *sqlite.Error) string {
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return kindBusy
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_NOMEM:
		return kindFull
	case sqlite3.SQLITE_TOOBIG:
		return kindTooLarge
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_NOTADB:
		return k6x.KindConnect
	case sqlite3.SQLITE_AUTH, sqlite3.SQLITE_PERM:
		return k6x.KindAuth
	case sqlite3.SQLITE_INTERRUPT:
		return k6x.KindCancelled
	}
	switch e.Code() {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_ROWID:
		return kindConflict
	case sqlite3.SQLITE_ERROR:
		for _, known := range []struct{ text, kind string }{
			{"no such", kindNotFound}, {"has no column", kindNotFound}, {"already exists", kindConflict},
			{"syntax error", kindSyntax}, {"incomplete input", kindSyntax}, {"unrecognized token", kindSyntax},
		} {
			if strings.Contains(e.Error(), known.text) {
				return known.kind
			}
		}
	}

	return k6x.KindServer
}

// postgresKinds maps SQLSTATEs, or their first two characters, to kinds of errors:
// https://www.postgresql.org/docs/current/errcodes-appendix.html.
var postgresKinds = map[string]string{ //nolint:gochecknoglobals // a table
	"08":    "connection",
	"28":    "auth",
	"42501": "auth",       // insufficient privilege
	"42601": "syntax",     //
	"42P01": "not_found",  // table
	"42703": "not_found",  // column
	"42883": "not_found",  // function
	"42704": "not_found",  // any other object
	"3D000": "not_found",  // database
	"3F000": "not_found",  // schema
	"42P07": "conflict",   // table
	"42710": "conflict",   // any other object
	"42P04": "conflict",   // database
	"42P06": "conflict",   // schema
	"23505": "conflict",   // key
	"40":    "conflict",   // conflict with another transaction
	"53300": "busy",       // too many connections
	"55":    "busy",       // a lock
	"57P03": "busy",       // the server is starting
	"53":    "full",       // disk, memory
	"54":    "too_large",  // a limit of the program
	"57014": "cancelled",  // the server cancelled it
	"57P01": "connection", // the server is stopping
	"57P02": "connection", // the server has crashed
}

// postgresKind returns the kind of an error of PostgreSQL, "" for other errors.
func postgresKind(err error) string {
	if said, is := errors.AsType[*pgconn.PgError](err); is {
		for _, code := range []string{said.Code, said.Code[:min(2, len(said.Code))]} {
			if kind := postgresKinds[code]; kind != "" {
				return kind
			}
		}

		return "server"
	}
	if _, is := errors.AsType[*pgconn.ConnectError](err); is && !errors.Is(err, context.Canceled) {
		return "connect"
	}

	return ""
}

// postgresCode returns the SQLSTATE of an error answer, "" for other errors.
func postgresCode(err error) string {
	if said, is := errors.AsType[*pgconn.PgError](err); is {
		return said.Code
	}

	return ""
}
