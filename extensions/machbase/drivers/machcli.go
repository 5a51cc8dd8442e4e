package drivers

import (
	"context"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/machbase/neo-client/api"
	"github.com/machbase/neo-server/v8/api/machcli"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

// machcliDriver is Machbase's client in C. What can be mended of it from outside is mended here:
//
//   - It dials by itself, and heeds no deadline. Its own way to cancel a statement waits for the
//     statement. So a call whose context ends is left behind: the operation ends, and the call goes
//     on in C until the server answers or the connection breaks. It holds a thread meanwhile, and
//     its connection, which is closed then.
//   - It loses the reason why it could not connect: the native client is asked for it.
//   - It tells nothing of its traffic, which is 0.
//   - It keeps nothing of a parameter that is a number or a time but its address, until the
//     statement is executed: should Go's collector pass in between, another value is sent.
//     Scenarios check what comes back.
//   - It cuts IP addresses and binary values off: answers that have some are refused.
//
// What it does not know is refused: statements that stay prepared, a number of rows to fetch, more
// than one alternative.
type machcliDriver struct{}

func (machcliDriver) Name() string { return "machcli" }

func (machcliDriver) Open(ctx context.Context, cfg *machbase.Config, dial machbase.DialFunc) (machbase.Conn, error) {
	config, err := configOf(cfg)
	if err != nil {
		return nil, err
	}
	// An environment of its own for each connection: they keep errors.
	db, err := machcli.NewDatabase(config)
	if err != nil {
		return nil, machcliError(err)
	}
	conn, err := db.Connect(ctx, api.WithPassword(cfg.User, cfg.Password))
	if err != nil {
		_ = db.Close() // it has never worked

		return nil, connectError(ctx, cfg, dial, err)
	}

	own := newMachcliConn(db, conn.(*machcli.Conn)) //nolint:forcetypeassert // what machcli returns
	if cfg.QueryTimeout > 0 {
		seconds := (cfg.QueryTimeout + time.Second - 1) / time.Second
		if _, err := own.Exec(ctx, fmt.Sprintf("alter session set query_timeout = %d", seconds), nil); err != nil {
			_ = own.Close(ctx) // its own error matters less

			return nil, err
		}
	}

	return own, nil
}

// configOf is the configuration as machcli takes it.
func configOf(cfg *machbase.Config) (*machcli.Config, error) {
	config := &machcli.Config{Host: cfg.Host, Port: cfg.Port, MaxOpenConn: -1}
	switch {
	case strings.Contains(cfg.Host+cfg.User+cfg.Password, ";"):
		return nil, usage("host, user and password must not contain a ';': driver machcli cannot send it")
	case cfg.StatementCache != machbase.CacheOff:
		return nil, usage("driver machcli keeps no statements: statementCache must be %q, not %q", machbase.CacheOff, cfg.StatementCache)
	case cfg.FetchRows != cmi.DefaultFetchRows:
		return nil, usage("driver machcli chooses itself how many rows it fetches: fetchRows is of the others only")
	case len(cfg.Alternatives) > 1:
		return nil, usage("driver machcli takes two urls at most, not %d", 1+len(cfg.Alternatives))
	case len(cfg.Alternatives) == 1:
		host, port, err := net.SplitHostPort(cfg.Alternatives[0])
		if err != nil {
			return nil, usage("the second url must be host:port, not %q", cfg.Alternatives[0])
		}
		config.AlternativeHost = host
		if config.AlternativePort, err = net.LookupPort("tcp", port); err != nil {
			return nil, usage("the second url must be host:port, not %q", cfg.Alternatives[0])
		}
	}

	return config, nil
}

// connectError is why machcli could not connect, as the native client finds it.
func connectError(ctx context.Context, cfg *machbase.Config, dial machbase.DialFunc, cause error) *cmi.Error {
	conn, err := cmi.Connect(ctx, cmi.Config{
		Addresses: append([]string{cfg.Address()}, cfg.Alternatives...), User: cfg.User, Password: cfg.Password, Dial: dial,
	})
	if err != nil {
		return machcliError(err)
	}
	_ = conn.Close() // it was only asked for the reason

	return cmi.NewError(cmi.KindConnect, "machcli cannot connect to %s: %s", cfg.Address(), cause)
}
