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

// machcliDriver uses Machbase's client in C. The driver works around some of its limits:
//   - It ignores deadlines, and its cancel waits for the statement. When a call's context ends, the
//     driver returns, and abandons the call in C with its thread and its connection, which closes
//     later.
//   - It hides why it could not connect. The driver then asks the native client.
//   - It does not report its traffic, which is 0.
//   - Until a statement is executed, it stores only the addresses of numbers and times. If Go's
//     collector runs in between, it may send another value. Scenarios check the answers.
//   - It truncates IP addresses and binary values. Answers with such columns are errors.
//
// Prepared statements, fetchRows, and more than one alternative are not supported, and are errors.
type machcliDriver struct{}

func (machcliDriver) Name() string { return "machcli" }

func (machcliDriver) Open(ctx context.Context, cfg *machbase.Config, dial machbase.DialFunc) (machbase.Conn, error) {
	config, err := configOf(cfg)
	if err != nil {
		return nil, err
	}
	// A separate environment for each connection: environments store errors.
	db, err := machcli.NewDatabase(config)
	if err != nil {
		return nil, machcliError(err)
	}
	conn, err := db.Connect(ctx, api.WithPassword(cfg.User, cfg.Password))
	if err != nil {
		_ = db.Close()

		return nil, connectError(ctx, cfg, dial, err)
	}

	own := newMachcliConn(db, conn.(*machcli.Conn)) //nolint:forcetypeassert // machcli's result type
	if cfg.QueryTimeout > 0 {
		seconds := (cfg.QueryTimeout + time.Second - 1) / time.Second
		if _, err := own.Exec(ctx, fmt.Sprintf("alter session set query_timeout = %d", seconds), nil); err != nil {
			_ = own.Close(ctx)

			return nil, err
		}
	}

	return own, nil
}

func configOf(cfg *machbase.Config) (*machcli.Config, error) {
	config := &machcli.Config{Host: cfg.Host, Port: cfg.Port, MaxOpenConn: -1}
	switch {
	case strings.Contains(cfg.Host+cfg.User+cfg.Password, ";"):
		return nil, usage("host, user and password must not contain a ';': driver machcli cannot send it")
	case cfg.StatementCache != machbase.CacheOff:
		return nil, usage("driver machcli does not cache statements: statementCache must be %q, not %q", machbase.CacheOff, cfg.StatementCache)
	case cfg.FetchRows != cmi.DefaultFetchRows:
		return nil, usage("driver machcli does not support fetchRows")
	case len(cfg.Alternatives) > 1:
		return nil, usage("driver machcli accepts at most two urls, not %d", 1+len(cfg.Alternatives))
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

// connectError returns the reason why machcli could not connect, by connecting with the native
// client.
func connectError(ctx context.Context, cfg *machbase.Config, dial machbase.DialFunc, cause error) *cmi.Error {
	conn, err := cmi.Connect(ctx, cmi.Config{
		Addresses: append([]string{cfg.Address()}, cfg.Alternatives...), User: cfg.User, Password: cfg.Password, Dial: dial,
	})
	if err != nil {
		return machcliError(err)
	}
	_ = conn.Close()

	return cmi.NewError(cmi.KindConnect, "machcli cannot connect to %s: %s", cfg.Address(), cause)
}
