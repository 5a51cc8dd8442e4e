package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/machbase/neo-client/api"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

// conn is a connection of one of the clients. They ignore contexts.
type conn struct {
	client

	conn api.Conn
	// broken means that the client would take the next answer for another one.
	broken bool
}

// client is what differs between the clients.
type client struct {
	// call runs fn until the context ends. If it returns errLeft, fn may still be running, and its
	// results must not be read.
	call func(ctx context.Context, fn func() error) error
	// stop ends the connection's last call.
	stop    func()
	traffic func() (received, sent uint64)
	columns func(rows api.Rows) ([]machbase.Column, error)
	// fit converts a value of an appended row to a type that the client accepts for the column.
	fit func(column *api.Column, value any) (any, bool)
	// setsArrival means that the client does not let the server set the arrival time of a row.
	setsArrival bool
	// badRowsBreak means that an error within the rows of an answer breaks the connection.
	badRowsBreak bool
}

var background = context.Background() //nolint:gochecknoglobals // a constant

func checkLogin(cfg *machbase.Config) error {
	if strings.Contains(cfg.Host+cfg.User+cfg.Password, ";") {
		return usage("host, user and password must not contain a ';': driver %s cannot send it", cfg.Driver)
	}

	return nil
}

// connectError returns the reason why a client could not connect, by connecting with the native
// client.
func connectError(ctx context.Context, cfg *machbase.Config, dial machbase.DialFunc, cause error) error {
	conn, err := cfg.Connect(ctx, dial)
	if err != nil {
		return clientError(err)
	}
	_ = conn.Close()

	return cmi.NewError(cmi.KindConnect, "%s cannot connect to %s: %s", cfg.Driver, cfg.Address(), clientText(cause))
}

func opened(ctx context.Context, cfg *machbase.Config, c *conn) (machbase.Conn, error) {
	if seconds := cfg.QueryTimeout / time.Second; seconds > 0 {
		if _, err := c.Exec(ctx, fmt.Sprintf("alter session set query_timeout = %d", seconds), nil); err != nil {
			_ = c.Close(ctx)

			return nil, err
		}
	}

	return c, nil
}

// Broken implements machbase.Conn.
func (c *conn) Broken() bool { return c.broken }

// Traffic implements machbase.Conn.
func (c *conn) Traffic() (received, sent uint64) { return c.traffic() }

// Close implements machbase.Conn.
func (c *conn) Close(ctx context.Context) error {
	defer c.stop()
	if err := c.call(ctx, c.conn.Close); err != nil && !errors.Is(err, errLeft) {
		return c.failed(err)
	}

	return nil
}

// Query implements machbase.Conn.
func (c *conn) Query(ctx context.Context, sql string, args []any, read func(machbase.Rows) error) error {
	sql, err := clientSQL(sql)
	if err != nil {
		return err
	}

	return c.answer(ctx, func() (api.Rows, error) { return c.conn.Query(background, sql, clientArgs(args)...) }, read)
}

// Exec uses Query: the clients' Exec loses errors of statements without parameters.
func (c *conn) Exec(ctx context.Context, sql string, args []any) (changed int64, err error) {
	if sql, err = clientSQL(sql); err != nil {
		return 0, err
	}
	if insertSelect.MatchString(sql) {
		stmt, err := c.Prepare(ctx, sql)
		if err != nil {
			return 0, err
		}
		defer stmt.Close(ctx) //nolint:errcheck // the first error matters

		return stmt.Exec(ctx, args)
	}
	var rowsChanged int64
	err = c.call(ctx, func() error {
		rows, err := c.conn.Query(background, sql, clientArgs(args)...)
		if err != nil {
			return err
		}
		rowsChanged = rows.RowsAffected()

		return rows.Close()
	})
	if err != nil {
		return 0, c.failed(err)
	}
	if insert.MatchString(sql) {
		return min(rowsChanged, 1), nil // a cached statement returns a total: see statement.Exec
	}

	return rowsChanged, nil
}

// Prepare implements machbase.Conn.
func (c *conn) Prepare(ctx context.Context, sql string) (machbase.Statement, error) {
	sql, err := clientSQL(sql)
	if err != nil {
		return nil, err
	}
	var stmt api.Stmt
	err = c.call(ctx, func() (err error) {
		stmt, err = c.conn.Prepare(background, sql)

		return err
	})
	if err != nil {
		return nil, c.failed(err)
	}

	return &statement{conn: c, stmt: stmt, insert: insert.MatchString(sql)}, nil
}

type statement struct {
	conn     *conn
	stmt     api.Stmt
	insert   bool
	inserted int64 // total so far
}

// Query implements machbase.Statement.
func (s *statement) Query(ctx context.Context, args []any, read func(machbase.Rows) error) error {
	return s.conn.answer(ctx, func() (api.Rows, error) { return s.stmt.Query(background, clientArgs(args)...) }, read)
}

// Exec returns the rows of this call: the server does not reset the count of an INSERT.
func (s *statement) Exec(ctx context.Context, args []any) (int64, error) {
	var changed int64
	err := s.conn.call(ctx, func() error {
		result := s.stmt.Exec(background, clientArgs(args)...)
		changed = result.RowsAffected()

		return result.Err()
	})
	if err != nil {
		return 0, s.conn.failed(err)
	}
	if s.insert {
		changed, s.inserted = changed-s.inserted, changed
	}

	return changed, nil
}

// Close implements machbase.Statement.
func (s *statement) Close(ctx context.Context) error {
	if err := s.conn.call(ctx, s.stmt.Close); err != nil {
		return s.conn.failed(err)
	}

	return nil
}

var (
	insert       = regexp.MustCompile(`(?i)^insert\b`)
	insertSelect = regexp.MustCompile(`(?is)^insert\b.*\bselect\b`)
	tightSelect  = regexp.MustCompile(`(?i)^select[^\w\s]`)
)

// clientSQL rewrites a statement for the clients. They recognise a query by its first word. They
// find no columns if a comment precedes it, or if anything but a space, such as a hint, follows it.
// machcli fails on an empty text without an error.
func clientSQL(sql string) (string, error) {
	switch sql = cmi.TrimComments(sql); {
	case sql == "":
		return "", usage("there is no statement")
	case tightSelect.MatchString(sql):
		return sql[:len("select")] + " " + sql[len("select"):], nil
	default:
		return sql, nil
	}
}

// clientArgs returns a copy in which IP addresses are text, the form that the clients accept.
func clientArgs(args []any) []any {
	own := args
	for i, arg := range args {
		if ip, ok := arg.(netip.Addr); ok {
			if &own[0] == &args[0] {
				own = slices.Clone(args)
			}
			own[i] = ip.String()
		}
	}

	return own
}
