package sql

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
)

const secret = "geheim"

func query(ctx context.Context, t *testing.T, name string) error {
	t.Helper()
	connector, err := postgresConnector(name)
	if err != nil {
		return err
	}
	db := sql.OpenDB(connector)
	defer func() { require.NoError(t, db.Close()) }()
	rows, err := db.QueryContext(ctx, "select 1")
	if err != nil {
		return err
	}
	defer rows.Close()

	return rows.Err()
}

func requireOneLine(t *testing.T, err error) {
	t.Helper()
	require.NotContains(t, err.Error(), "\n")
	for part := range len(secret) - 2 {
		require.NotContains(t, err.Error(), secret[part:part+3], "the password, or a part of it, is shown")
	}
}

func TestMalformedConnectionStrings(t *testing.T) {
	for _, name := range []string{
		"postgres://user:geheim@host:port/db",
		"postgres://user:geh@eim@host/db",
		"postgres://user:geh/eim@host/db",
		"postgres://user:12/geheim@host/db",
		"postgres://user:12?geheim=x@host/db",
		"postgres://user:12#geheim@host/db",
		"postgres://user:geh%eim@host/db",
		"postgres://host/db?user=me@tenant&password=geheim",
		"postgresql://user:geh@eim@host/db",
		"postgres://user:geheim@host/db?sslmode=perhaps",
		"postgres://user:geheim@host/db?connect_timeout=soon",
		"host=h password = geheim geheim",
		"host=h password='geheim",
		"user:geheim@host/db",
		"mysql://user:geheim@host/db",
		"mysql://user:geheim@host/db?a=b",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := postgresConnector(name)
			require.ErrorContains(t, err, "the connection string of PostgreSQL is malformed: write postgres://user:password@host:port/database")
			requireOneLine(t, err)
		})
	}
}

func TestFileThatCannotBeRead(t *testing.T) {
	_, err := postgresConnector("postgres://user:geheim@host/db?sslmode=verify-full&sslrootcert=/nowhere/ca.pem")
	require.EqualError(t, err, "the connection string of PostgreSQL names a file: open /nowhere/ca.pem: no such file or directory")
}

func TestRefusedPort(t *testing.T) {
	listener := listen(t)
	address := listener.Addr().String()
	require.NoError(t, listener.Close())
	host, port, _ := strings.Cut(address, ":")
	want := fmt.Sprintf("failed to connect to `user=me database=db`: %[1]s (%[2]s): dial error: dial tcp %[1]s: connect: connection refused", address, host)
	for _, name := range []string{
		"postgres://me:geheim@" + address + "/db",
		"postgres://me:geheim@" + address + "/db?sslmode=disable",
		"POSTGRES://me:geheim@" + address + "/db?sslmode=disable",
		"postgres://me:geheim%40%2F@" + address + "/db",
		fmt.Sprintf("host=%s port=%s user=me password='geheim geheim' dbname=db", host, port),
	} {
		t.Run(name, func(t *testing.T) {
			err := query(t.Context(), t, name)
			require.EqualError(t, err, want)
			requireOneLine(t, err)
		})
	}
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)

	return listener
}

func serve(t *testing.T, peer func(net.Conn)) string {
	t.Helper()
	listener := listen(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			peer(conn)
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() {
		_ = listener.Close()
		<-done
	})

	return "postgres://me:geheim@" + listener.Addr().String() + "/db?sslmode=disable"
}

func startup(conn net.Conn) {
	var length uint32
	if binary.Read(conn, binary.BigEndian, &length) == nil {
		_, _ = io.CopyN(io.Discard, conn, int64(length)-4)
	}
}

func message(kind byte, body string) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{kind}, uint32(4+len(body))), body...)
}

func TestServersThatFail(t *testing.T) {
	for name, c := range map[string]struct {
		peer func(net.Conn)
		want string
	}{
		"closes at once":            {func(net.Conn) {}, "failed to receive message"},
		"closes after the greeting": {startup, "unexpected EOF"},
		"answers as something else": {func(conn net.Conn) {
			startup(conn)
			_, _ = conn.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
		}, "failed to receive message"},
		"promises a message that does not come": {func(conn net.Conn) {
			startup(conn)
			_, _ = conn.Write([]byte{'R', 0x7f, 0xff, 0xff, 0xff, 0})
		}, "failed to connect"},
		"gives a length that cannot be": {func(conn net.Conn) {
			startup(conn)
			_, _ = conn.Write([]byte{'R', 0, 0, 0, 1})
		}, "failed to connect"},
		"denies": {func(conn net.Conn) {
			startup(conn)
			_, _ = conn.Write(message('E', "SFATAL\x00C28P01\x00Mpassword authentication failed for user \"me\"\x00\x00"))
		}, `password authentication failed for user "me" (SQLSTATE 28P01)`},
	} {
		t.Run(name, func(t *testing.T) {
			err := query(t.Context(), t, serve(t, c.peer))
			require.ErrorContains(t, err, "failed to connect to `user=me database=db`: ")
			require.ErrorContains(t, err, c.want)
			requireOneLine(t, err)
		})
	}
}

func TestKinds(t *testing.T) {
	for code, kind := range map[string]string{
		"28P01": "auth", "42501": "auth", "42601": "syntax", "42P01": "not_found", "42703": "not_found", "23505": "conflict",
		"42P07": "conflict", "40001": "conflict", "53300": "busy", "55P03": "busy", "53100": "full", "54000": "too_large",
		"57014": "cancelled", "57P01": "connection", "22012": "server", "": "server",
	} {
		err := fmt.Errorf("wrapped: %w", &pgconn.PgError{Code: code})
		require.Equal(t, kind, postgresKind(err), code)
		require.Equal(t, code, postgresCode(err))
	}
	require.Empty(t, postgresKind(io.EOF))
	require.Empty(t, postgresCode(io.EOF))
	refused := query(t.Context(), t, "postgres://me@127.0.0.1:1/db")
	require.Equal(t, "connect", postgresKind(refused))
	require.Empty(t, postgresCode(refused))
}

func TestConnectTimeout(t *testing.T) {
	for name, want := range map[string]time.Duration{
		"postgres://me@host/db": 5 * time.Second, "postgres://me@host/db?connect_timeout=7": 7 * time.Second,
	} {
		config, err := parsePostgres(name)
		require.NoError(t, err)
		require.Equal(t, want, config.ConnectTimeout, name)
	}
}

func TestConnectionsTakeTurns(t *testing.T) {
	listener := listen(t)
	defer listener.Close()
	config, err := parsePostgres("postgres://me@" + listener.Addr().String() + "/db")
	require.NoError(t, err)
	conn, err := config.DialFunc(t.Context(), "tcp", listener.Addr().String())
	require.NoError(t, err)
	require.IsType(t, &eventloop.Conn{}, conn)
	require.NoError(t, conn.Close())
	_, err = config.DialFunc(t.Context(), "tcp", "127.0.0.1:1")
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
}

func TestServerThatStalls(t *testing.T) {
	name := serve(t, func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) })
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	err := query(ctx, t, name)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	requireOneLine(t, err)
}

func greet(conn net.Conn) {
	startup(conn)
	_, _ = conn.Write(slices.Concat(message('R', "\x00\x00\x00\x00"), message('K', "\x00\x00\x00\x01\x00\x00\x00\x02"), message('Z', "I")))
}

func stall(t *testing.T) (name string, asked chan struct{}, cancelled chan []byte) {
	t.Helper()
	listener := listen(t)
	asked, cancelled = make(chan struct{}), make(chan []byte, 1)
	go func() {
		client, err := listener.Accept()
		if err != nil {
			return
		}
		defer client.Close()
		greet(client)
		_, _ = client.Read(make([]byte, 1))
		close(asked)
		other, err := listener.Accept()
		if err != nil {
			return
		}
		defer other.Close()
		request := make([]byte, 16)
		_, _ = io.ReadFull(other, request)
		cancelled <- request
	}()
	t.Cleanup(func() { _ = listener.Close() })

	return "postgres://me@" + listener.Addr().String() + "/db?sslmode=disable", asked, cancelled
}

func TestQueryOfPostgresEndsWithItsContext(t *testing.T) {
	for name, want := range map[string]error{"cancelled": context.Canceled, "too late": context.DeadlineExceeded} {
		t.Run(name, func(t *testing.T) {
			source, asked, cancelled := stall(t)
			connector, err := wholeDriver{open: postgresConnector}.OpenConnector(source)
			require.NoError(t, err)
			db := sql.OpenDB(connector)
			defer db.Close()
			ctx, cancel := context.WithCancel(t.Context())
			if errors.Is(want, context.DeadlineExceeded) {
				ctx, cancel = context.WithTimeout(t.Context(), time.Second)
			}
			defer cancel()
			go func() {
				if <-asked; errors.Is(want, context.Canceled) {
					cancel()
				}
			}()
			_, err = db.ExecContext(&dbCall{Context: ctx}, "select pg_sleep(60)")
			require.ErrorIs(t, err, want)
			requireOneLine(t, err)
			require.Equal(t, []byte("\x00\x00\x00\x10\x04\xd2\x16\x2e\x00\x00\x00\x01\x00\x00\x00\x02"), <-cancelled)
		})
	}
}
