package wire_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net"
	"os"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/umemcache/wire"
)

func requireNoGoroutines(t *testing.T) {
	t.Helper()
	requireGoroutines(t, false, "/umemcache/wire.")
}

func awaitWaiting(t *testing.T) {
	t.Helper()
	requireGoroutines(t, true, "wire.(*thread).await")
}

func requireGoroutines(t *testing.T, there bool, function string) {
	t.Helper()
	var profile bytes.Buffer
	require.Eventually(t, func() bool {
		profile.Reset()
		require.NoError(t, pprof.Lookup("goroutine").WriteTo(&profile, 1))

		return strings.Contains(profile.String(), function) == there
	}, 10*time.Second, time.Millisecond, "%s", &profile)
}

type cannedConn struct {
	answer, unread []byte
	greeted        bool
	deadline       time.Time
}

func canned(g wire.Generation, answer []byte) wire.Options {
	o := optionsOf(g)
	o.Dial = func(context.Context, string, string) (net.Conn, error) { return &cannedConn{answer: answer}, nil }

	return o
}

func (c *cannedConn) Write(p []byte) (int, error) {
	if time.Now().After(c.deadline) {
		return 0, os.ErrDeadlineExceeded
	}
	if c.greeted {
		c.unread = c.answer
	} else {
		c.unread, c.greeted = []byte{0}, true
	}

	return len(p), nil
}

func (c *cannedConn) Read(p []byte) (int, error) {
	if len(c.unread) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.unread)
	c.unread = c.unread[n:]

	return n, nil
}

func (*cannedConn) Close() error                     { return nil }
func (*cannedConn) LocalAddr() net.Addr              { return nil }
func (*cannedConn) RemoteAddr() net.Addr             { return nil }
func (c *cannedConn) SetDeadline(at time.Time) error { c.deadline = at; return nil }
func (*cannedConn) SetReadDeadline(time.Time) error  { return nil }
func (*cannedConn) SetWriteDeadline(time.Time) error { return nil }

func orderOf(g wire.Generation) binary.ByteOrder {
	if g == wire.G3 {
		return binary.LittleEndian
	}

	return binary.BigEndian
}

func hitOf(g wire.Generation, value []byte) []byte {
	head := make([]byte, 9)
	orderOf(g).PutUint64(head, uint64(len(value)))

	return append(head, value...)
}
