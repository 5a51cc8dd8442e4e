package drivers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"reflect"
	"strings"
	"time"

	"github.com/machbase/neo-client/api"
	"github.com/machbase/neo-client/machgo"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

// machgoDriver uses Machbase's Go client. The client ignores deadlines, reports errors as text and
// loses some; the driver works around that.
type machgoDriver struct{}

func (machgoDriver) Name() string { return "machgo" }

func (machgoDriver) Open(ctx context.Context, cfg *machbase.Config, _ machbase.DialFunc) (machbase.Conn, error) {
	if len(cfg.Alternatives) > 0 {
		return nil, cmi.NewError(cmi.KindUsage, "driver machgo accepts one url; driver native accepts several")
	}
	if strings.ContainsAny(cfg.Host+cfg.User+cfg.Password, ";") {
		return nil, cmi.NewError(cmi.KindUsage, "host, user and password must not contain a ';': driver machgo cannot send it")
	}
	// A separate database for each connection: machgo has a data race if goroutines share one.
	host := cfg.Host
	if strings.Contains(host, ":") { // IPv6: machgo appends the port without brackets
		host = "[" + host + "]"
	}
	db, err := machgo.NewDatabase(&machgo.Config{Host: host, Port: cfg.Port, MaxOpenConn: -1})
	if err != nil {
		return nil, machgoError(err)
	}

	cache := map[string]api.StatementCacheMode{
		machbase.CacheOff: api.StatementCacheOff, machbase.CacheAuto: api.StatementCacheAuto, machbase.CacheOn: api.StatementCacheOn,
	}[cfg.StatementCache]
	conn, err := db.Connect(ctx,
		api.WithPassword(cfg.User, cfg.Password), api.WithStatementCache(cache),
		api.WithFetchRows(cfg.FetchRows), api.WithIOMetrics(true))
	if err != nil {
		if e := machgoError(err); e.Code != 0 {
			return nil, e
		}

		return nil, cmi.NewError(cmi.KindConnect, "cannot connect to %s: %s", cfg.Address(), connectReason(clientText(err)))
	}

	own := conn.(*machgo.Conn) //nolint:forcetypeassert // machgo's result type
	socket, err := machgoSocket(own)
	if err != nil {
		return nil, errors.Join(err, own.Close())
	}

	c := &machgoConn{conn: own, socket: socket, calls: clock.NewWatch(func(socket net.Conn, _ clock.Outcome) { _ = socket.Close() })}
	c.end = func() { c.calls.End() }
	if seconds := (cfg.QueryTimeout + time.Second - 1) / time.Second; seconds > 0 {
		if _, err := c.Exec(ctx, fmt.Sprintf("alter session set query_timeout = %d", seconds), nil); err != nil {
			return nil, errors.Join(err, own.Close())
		}
	}

	return c, nil
}

type machgoConn struct {
	conn   *machgo.Conn
	socket net.Conn
	calls  *clock.Watch[net.Conn]
	end    func()
	// broken means that machgo would take the next answer for another one.
	broken bool
}

// machgoSocket returns the private socket of a connection. Closing it is the only way to end a call
// to a silent server.
func machgoSocket(conn *machgo.Conn) (net.Conn, error) {
	field := reflect.ValueOf(conn)
	for _, name := range []string{"handle", "native", "netConn"} {
		if field = field.Elem().FieldByName(name); !field.IsValid() {
			return nil, cmi.NewError(cmi.KindUsage, "this version of machgo stores its socket elsewhere: it has no field %s", name)
		}
	}
	socket, ok := reflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Elem().Interface().(net.Conn)
	if !ok {
		return nil, cmi.NewError(cmi.KindUsage, "this version of machgo stores its socket elsewhere")
	}

	return socket, nil
}

// Broken implements Conn.
func (c *machgoConn) Broken() bool { return c.broken }

func (c *machgoConn) during(ctx context.Context) (end func()) {
	c.calls.Begin(ctx, c.socket, time.Time{}, 0)

	return c.end
}

func (c *machgoConn) Query(ctx context.Context, sql string, args []any, read func(machbase.Rows) error) error {
	defer c.during(ctx)()
	rows, err := c.conn.Query(ctx, clientSQL(sql), clientArgs(args)...)

	return c.read(rows, err, read)
}

// Exec uses Query: machgo's Exec loses errors of statements without parameters.
func (c *machgoConn) Exec(ctx context.Context, sql string, args []any) (int64, error) {
	sql = clientSQL(sql)
	if machgoInsertSelect.MatchString(sql) {
		stmt, err := c.Prepare(ctx, sql)
		if err != nil {
			return 0, err
		}
		defer stmt.Close(ctx) //nolint:errcheck // the first error matters

		return stmt.Exec(ctx, args)
	}
	defer c.during(ctx)()
	rows, err := c.conn.Query(ctx, sql, clientArgs(args)...)
	if err != nil {
		return 0, c.failed(err)
	}
	affected := rows.RowsAffected()
	if insert.MatchString(sql) {
		affected = min(affected, 1) // a cached statement returns a total: see machgoStatement.Exec
	}
	if err := rows.Close(); err != nil {
		return 0, c.failed(err)
	}

	return affected, nil
}

func (c *machgoConn) Prepare(ctx context.Context, sql string) (machbase.Statement, error) {
	defer c.during(ctx)()
	sql = clientSQL(sql)
	stmt, err := c.conn.Prepare(ctx, sql)
	if err != nil {
		return nil, c.failed(err)
	}

	return &machgoStatement{conn: c, stmt: stmt, insert: insert.MatchString(sql)}, nil
}

func (c *machgoConn) Append(ctx context.Context, table string, options cmi.AppendOptions) (machbase.Appender, error) {
	if options.Batch != (cmi.Batch{}) {
		return nil, cmi.NewError(cmi.KindUsage, "driver machgo does not support the batch options; driver native does")
	}
	defer c.during(ctx)()
	appender, err := c.openAppender(ctx, table)
	if err != nil {
		return nil, err
	}

	return newMachgoAppender(c, appender, table, options.Columns)
}

func (c *machgoConn) openAppender(ctx context.Context, table string) (*machgo.Appender, error) {
	appender, err := c.conn.Appender(ctx, table)
	if err != nil {
		switch text := err.Error(); {
		case strings.HasSuffix(text, "does not exist"):
			return nil, cmi.NewError(cmi.KindNotFound, "%s", text)
		case strings.HasSuffix(text, "doesn't support append"):
			return nil, cmi.NewError(cmi.KindUsage, "%s", text)
		}

		return nil, c.failed(err)
	}

	return appender.(*machgo.Appender), nil //nolint:forcetypeassert // machgo's result type
}

func (c *machgoConn) Traffic() (received, sent uint64) {
	received, sent, _ = c.conn.IOMetrics()

	return received, sent
}

func (c *machgoConn) Close(ctx context.Context) error {
	defer c.calls.Stop()
	defer c.during(ctx)()
	if err := c.conn.Close(); err != nil {
		return c.failed(err)
	}

	return nil
}
