// Package loopback has the servers of the programs' tests.
package loopback

import (
	"net"
	"sync"
	"testing"
)

// Serve gives each connection to a port of this machine to handle, and closes it after that. It
// returns the port's address. When the test is over it waits until all connections are closed.
func Serve(tb testing.TB, handle func(net.Conn)) string {
	tb.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	var work sync.WaitGroup
	work.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			work.Go(func() {
				defer conn.Close() //nolint:errcheck // the test is over
				handle(conn)
			})
		}
	})
	tb.Cleanup(func() {
		_ = listener.Close()
		work.Wait()
	})

	return listener.Addr().String()
}
