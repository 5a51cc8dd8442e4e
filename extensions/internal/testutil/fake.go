package testutil

import (
	"bufio"
	"io"
	"net"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// FakeServer starts a server that calls serve for each connection, and returns its address.
func FakeServer(tb testing.TB, serve func(net.Conn)) (addr string) {
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

// AnsweringServer starts a server that answers the first line with these bytes and ignores the
// rest.
func AnsweringServer(tb testing.TB, answer string) (addr string) {
	tb.Helper()

	return FakeServer(tb, func(conn net.Conn) {
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

// SilentServer starts a server that accepts connections and sends nothing.
func SilentServer(tb testing.TB) (addr string) {
	tb.Helper()

	return FakeServer(tb, func(conn net.Conn) { _, _ = bufio.NewReader(conn).WriteTo(io.Discard) })
}

// Socket returns the path of a Unix socket that forwards to address.
func Socket(t *testing.T, address string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	listener, err := net.Listen("unix", path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", address)
			if err != nil {
				_ = near.Close()

				continue
			}
			for _, way := range [][2]net.Conn{{near, far}, {far, near}} {
				go func() {
					_, _ = io.Copy(way[0], way[1])
					_ = way[0].Close()
				}()
			}
		}
	}()

	return path
}
