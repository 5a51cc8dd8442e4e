package testserver

import (
	"bufio"
	"io"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Fake listens at a port, which it returns, and lets serve do what it likes with each connection.
func Fake(tb testing.TB, serve func(net.Conn)) (addr string) {
	tb.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(tb, err)
	var mu sync.Mutex
	var conns []net.Conn
	over := false
	var work sync.WaitGroup
	work.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			conns = append(conns, conn)
			if over {
				_ = conn.Close()
			}
			mu.Unlock()
			work.Go(func() {
				defer func() { _ = conn.Close() }()
				serve(conn)
			})
		}
	})
	tb.Cleanup(func() {
		_ = listener.Close()
		mu.Lock()
		over = true
		for _, conn := range conns {
			_ = conn.Close()
		}
		mu.Unlock()
		work.Wait()
	})

	return listener.Addr().String()
}

// Answer is a server that answers the first line with these bytes, and goes on reading without a
// word.
func Answer(tb testing.TB, answer string) (addr string) {
	tb.Helper()

	return Fake(tb, func(conn net.Conn) {
		r := bufio.NewReader(conn)
		if _, err := r.ReadString('\n'); err != nil {
			return
		}
		if _, err := conn.Write([]byte(answer)); err != nil {
			return
		}
		_, _ = r.WriteTo(io.Discard)
	})
}

// Silent is a server that takes connections and says nothing.
func Silent(tb testing.TB) (addr string) {
	tb.Helper()

	return Fake(tb, func(conn net.Conn) { _, _ = bufio.NewReader(conn).WriteTo(io.Discard) })
}
