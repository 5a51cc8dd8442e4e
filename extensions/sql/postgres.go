package sql

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
)

// errConnectionString shows neither the string nor pgx's error: any part of a malformed string may
// be the password.
var errConnectionString = errors.New("the connection string of PostgreSQL is malformed: " +
	"write postgres://user:password@host:port/database?sslmode=disable, where @ : / ? # % in a part are written " +
	"%40 %3A %2F %3F %23 %25, or host=HOST port=PORT user=USER password='PASSWORD' dbname=DATABASE")

// postgresConnector returns the connector for a connection string in one of the two forms of libpq
// (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING), which may also
// have pgx's parameters. It returns an error if the string is malformed or names a file that cannot
// be read. It does not connect.
func postgresConnector(name string) (driver.Connector, error) {
	config, err := parsePostgres(name)
	if err != nil {
		return nil, err
	}

	return pgConnector{stdlib.GetConnector(*config), config.DefaultQueryExecMode == pgx.QueryExecModeSimpleProtocol}, nil
}

func parsePostgres(name string) (*pgx.ConnConfig, error) {
	name, err := withScheme(name)
	if err != nil || hasStrayAt(name) {
		return nil, errConnectionString
	}
	config, err := pgx.ParseConfig(name)
	if file := new(fs.PathError); errors.As(err, &file) {
		return nil, fmt.Errorf("the connection string of PostgreSQL names a file: %w", file)
	}
	if err != nil {
		return nil, errConnectionString
	}

	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = postgresTimeout
	}
	config.DialFunc = atEventLoop(config.DialFunc)

	return config, nil
}

// postgresTimeout applies if the string has no connect_timeout.
const postgresTimeout = 5 * time.Second

// atEventLoop wraps dial so that its connections wait at event loops, where clients take turns.
func atEventLoop(dial pgconn.DialFunc) pgconn.DialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}

		return eventloop.NewConn(conn), nil
	}
}

// withScheme returns a URL with its scheme in lower case. pgx would take another scheme for the
// form NAME=VALUE, and send the text before the first "=", with the password, to the server.
func withScheme(name string) (string, error) {
	scheme, rest, isURL := strings.Cut(name, "://")
	if !isURL || strings.ContainsAny(scheme, "= ") {
		return name, nil
	}
	scheme = strings.ToLower(scheme)
	if scheme != "postgres" && scheme != "postgresql" {
		return "", errConnectionString
	}

	return scheme + "://" + rest, nil
}

// hasStrayAt reports whether a URL has an @ after the host. It may belong to the password, whose
// rest pgx would then take for a host or database and show in errors.
func hasStrayAt(name string) bool {
	scheme, rest, _ := strings.Cut(name, "://")
	if scheme != "postgres" && scheme != "postgresql" {
		return false
	}
	at := strings.LastIndexByte(rest, '@')

	return at >= 0 && strings.ContainsAny(rest[:at], "@/?#")
}

type pgConnector struct {
	driver.Connector
	// simple means the simple protocol, which accepts several statements in one call.
	simple bool
}

// Connect returns a one-line error even if pgx tried several addresses.
func (c pgConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, pgConnectError{err}
	}

	return pgConn{conn.(*stdlib.Conn), c.simple}, nil //nolint:forcetypeassert // pgx's result type
}

// pgConn implements interrupter, which costs less than pgx's watch on each query's
// context.
type pgConn struct {
	*stdlib.Conn
	simple bool
}

// Interrupt makes the current call fail. pgx then closes the connection and sends a cancel request
// to the server, as it does when a context ends.
func (c pgConn) Interrupt() {
	_ = c.Conn.Conn().PgConn().Conn().SetDeadline(time.Now()) // a closed connection fails by itself
}

// ResetSession keeps a connection with an open transaction. pgx would close it, and the rest of the
// transaction would run on a new connection. Nor does ResetSession ping the server after a second
// of rest, as pgx does: that would lengthen the next operation.
func (c pgConn) ResetSession(context.Context) error {
	if c.Conn.Conn().IsClosed() {
		return driver.ErrBadConn
	}

	return nil
}

// pgConnectError is pgx's error with one line for each attempt, such as with and without TLS.
type pgConnectError struct{ error }

func (e pgConnectError) Unwrap() error { return e.error }

func (e pgConnectError) Error() string {
	first, attempts, _ := strings.Cut(e.error.Error(), "\n")
	if attempts == "" {
		return first
	}
	lines := strings.Split(attempts, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}

	return first + " " + strings.Join(slices.Compact(lines), "; ")
}
