package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
)

// kinds are those of errors that the server tells, by SQLSTATE or, where the rest does not matter,
// by its first two characters (https://www.postgresql.org/docs/current/errcodes-appendix.html).
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
	"40":    "conflict",   // with another transaction
	"53300": "busy",       // too many connections
	"55":    "busy",       // a lock
	"57P03": "busy",       // the server starts
	"53":    "full",       // disk, memory
	"54":    "too_large",  // a limit of the program
	"57014": "cancelled",  // by the server
	"57P01": "connection", // the server stops
	"57P02": "connection", // the server has crashed
}

// Kind is the kind of an error of this driver, as modules for scripts know it; "" for others.
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

// Code is the SQLSTATE of an error that the server tells; "" for others.
func Code(err error) string {
	if said, is := errors.AsType[*pgconn.PgError](err); is {
		return said.Code
	}

	return ""
}
