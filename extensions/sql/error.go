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
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
	"github.com/xk6-sweep/xk6-sweep/extensions/sql/postgres"
	"github.com/xk6-sweep/xk6-sweep/extensions/sql/wholerows"
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
	if kind := postgres.Kind(err); kind != "" {
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
		errors.Is(err, net.ErrClosed), errors.Is(err, driver.ErrBadConn), errors.Is(err, sql.ErrConnDone), errors.Is(err, wholerows.ErrLost):
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
