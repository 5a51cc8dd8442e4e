// Package postgres is the PostgreSQL driver of k6/x/sql: pgx behind database/sql, with errors of
// one line in which the password of a connection string never is.
package postgres

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

// errConnectionString has nothing of the string, nor of pgx's error: where a string is malformed
// nobody can tell which part of it is the password.
var errConnectionString = errors.New("the connection string of PostgreSQL is malformed: " +
	"write postgres://user:password@host:port/database?sslmode=disable, where @ : / ? # % in a part are written " +
	"%40 %3A %2F %3F %23 %25, or host=HOST port=PORT user=USER password='PASSWORD' dbname=DATABASE")

// Connector returns the connector for a connection string in one of the two forms of PostgreSQL's
// own clients (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING), with
// the parameters of pgx besides. It fails when the string is malformed or names a file that cannot
// be read, and does not connect.
func Connector(name string) (driver.Connector, error) {
	config, err := parse(name)
	if err != nil {
		return nil, err
	}

	return connector{stdlib.GetConnector(*config), config.DefaultQueryExecMode == pgx.QueryExecModeSimpleProtocol}, nil
}

// parse reads a connection string.
func parse(name string) (*pgx.ConnConfig, error) {
	name, err := withScheme(name)
	if err != nil || strayAt(name) {
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
		config.ConnectTimeout = connectTimeout
	}
	config.DialFunc = inTurns(config.DialFunc)

	return config, nil
}

// connectTimeout is the limit where the string has no connect_timeout.
const connectTimeout = 5 * time.Second

// inTurns dials as dial does. Clients whose connections it makes take turns: see eventloop.
func inTurns(dial pgconn.DialFunc) pgconn.DialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}

		return eventloop.NewConn(conn), nil
	}
}

// withScheme returns a URL with its scheme in lower case. pgx would take one with another scheme
// for the form with parameters, and send the server what stands before its first "=", password and
// all.
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

// strayAt tells whether an @ of a URL stands elsewhere than behind the password. Then it may belong
// to the password, the rest of which would be taken for a host or a database, and be named in
// errors.
func strayAt(name string) bool {
	scheme, rest, _ := strings.Cut(name, "://")
	if scheme != "postgres" && scheme != "postgresql" {
		return false
	}
	at := strings.LastIndexByte(rest, '@')

	return at >= 0 && strings.ContainsAny(rest[:at], "@/?#")
}

type connector struct {
	driver.Connector
	// simple reports that queries go by the simple protocol, which takes several statements at once.
	simple bool
}

// Connect fails with one line, also where pgx tried several addresses in vain.
func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, connectError{err}
	}

	return interruptible{conn.(*stdlib.Conn), c.simple}, nil //nolint:forcetypeassert // what pgx returns
}

// interruptible is a wholerows.Interrupter: pgx would register each query with its context.
type interruptible struct {
	*stdlib.Conn
	simple bool
}

// Interrupt makes the call under way fail. pgx closes the connection then, and asks the server to
// cancel what it does, as it does when a context ends.
func (c interruptible) Interrupt() {
	_ = c.Conn.Conn().PgConn().Conn().SetDeadline(time.Now()) // one that is closed fails by itself
}

// ResetSession keeps a connection whose script has begun a transaction, which pgx would close: the
// rest of the transaction would run outside of it, on a new connection. Neither does it ask the
// server for a sign of life, as pgx does after a second: that would be a part of the next
// operation's time.
func (c interruptible) ResetSession(context.Context) error {
	if c.Conn.Conn().IsClosed() {
		return driver.ErrBadConn
	}

	return nil
}

// connectError is pgx's, which has a line for each attempt: one with TLS and one without where both
// are allowed.
type connectError struct{ error }

func (e connectError) Unwrap() error { return e.error }

func (e connectError) Error() string {
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
