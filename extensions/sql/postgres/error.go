package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
)

// kinds maps SQLSTATEs, or their first two characters, to kinds of errors:
// https://www.postgresql.org/docs/current/errcodes-appendix.html.
var kinds = map[string]string{ //nolint:gochecknoglobals // a table
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

// Kind returns the kind of an error of this driver, "" for other errors.
func Kind(err error) string {
	if said, is := errors.AsType[*pgconn.PgError](err); is {
		for _, code := range []string{said.Code, said.Code[:min(2, len(said.Code))]} {
			if kind := kinds[code]; kind != "" {
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

// Code returns the SQLSTATE of an error answer, "" for other errors.
func Code(err error) string {
	if said, is := errors.AsType[*pgconn.PgError](err); is {
		return said.Code
	}

	return ""
}
