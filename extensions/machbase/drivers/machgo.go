package main

import (
	"context"
	"errors"
	"net"
	"net/netip"
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

func (machgoDriver) Open(ctx context.Context, cfg *machbase.Config, dial machbase.DialFunc) (machbase.Conn, error) {
	if len(cfg.Alternatives) > 0 {
		return nil, usage("driver machgo accepts one url; driver native accepts several")
	}
	if err := checkLogin(cfg); err != nil {
		return nil, err
	}
	// A separate database for each connection: machgo has a data race if goroutines share one.
	host := cfg.Host
	if strings.Contains(host, ":") { // IPv6: machgo appends the port without brackets
		host = "[" + host + "]"
	}
	db, err := machgo.NewDatabase(&machgo.Config{Host: host, Port: cfg.Port, MaxOpenConn: -1})
	if err != nil {
		return nil, clientError(err)
	}

	cache := map[cmi.CacheMode]api.StatementCacheMode{
		cmi.CacheOff: api.StatementCacheOff, cmi.CacheAuto: api.StatementCacheAuto, cmi.CacheOn: api.StatementCacheOn,
	}[cfg.StatementCache]
	made, err := db.Connect(ctx,
		api.WithPassword(cfg.User, cfg.Password), api.WithStatementCache(cache),
		api.WithFetchRows(cfg.FetchRows), api.WithIOMetrics(true))
	if err != nil {
		if e := clientError(err); e.Code != 0 {
			return nil, e
		}

		return nil, connectError(ctx, cfg, dial, err)
	}

	own := made.(*machgo.Conn) //nolint:forcetypeassert // machgo's result type
	socket, err := machgoSocket(own)
	if err != nil {
		return nil, errors.Join(err, own.Close())
	}

	calls := clock.NewWatch(func(socket net.Conn, _ clock.Outcome) { _ = socket.Close() })

	return opened(ctx, cfg, &conn{conn: own, client: client{
		call: func(ctx context.Context, fn func() error) error {
			calls.Begin(ctx, socket, time.Time{}, 0)
			defer calls.End()

			return fn()
		},
		stop: calls.Stop,
		traffic: func() (received, sent uint64) {
			received, sent, _ = own.IOMetrics()

			return received, sent
		},
		columns:      machgoColumns,
		fit:          machgoFit,
		badRowsBreak: true,
	}})
}

// machgoSocket returns the private socket of a connection. Closing it is the only way to end a call
// to a silent server.
func machgoSocket(conn *machgo.Conn) (net.Conn, error) {
	field := reflect.ValueOf(conn)
	for _, name := range []string{"handle", "native", "netConn"} {
		if field = field.Elem().FieldByName(name); !field.IsValid() {
			return nil, usage("this version of machgo stores its socket elsewhere: it has no field %s", name)
		}
	}
	socket, ok := reflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Elem().Interface().(net.Conn)
	if !ok {
		return nil, usage("this version of machgo stores its socket elsewhere")
	}

	return socket, nil
}

func machgoColumns(rows api.Rows) ([]machbase.Column, error) {
	known := rows.(*machgo.Rows).ColumnDescriptions() //nolint:forcetypeassert // machgo's result type
	columns := make([]machbase.Column, len(known))
	for i, c := range known {
		columns[i] = machbase.Column{Name: c.Name, Type: typeNames[c.Type]}
	}

	return columns, nil
}

// machgoFit leaves all but addresses to machgo.
func machgoFit(_ *api.Column, value any) (any, bool) {
	if ip, ok := value.(netip.Addr); ok {
		return ip.String(), true
	}

	return value, true
}
