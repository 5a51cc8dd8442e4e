package k6x

import (
	"context"
	"net"
	"runtime"
	"sync/atomic"

	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/lib/netext"
)

// TakeTurns makes the connections that other modules of the VU open from now on yield after each
// request, before they read. Otherwise a library that reads on its caller's goroutine, such as the
// one in k6/x/redis, would run many operations in a row while other clients wait.
//
// It cannot be undone, because a module's goroutines may dial after the step. Modules that use Dial
// yield in package eventloop.
func TakeTurns(state *lib.State) {
	if state == nil {
		return
	}
	if _, taken := state.Dialer.(*turnDialer); !taken {
		state.Dialer = &turnDialer{state.Dialer}
	}
}

type turnDialer struct{ lib.DialContexter }

// DialContext implements lib.DialContexter. It returns k6's own connection type.
func (d *turnDialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := d.DialContexter.DialContext(ctx, network, address)
	if counted, is := conn.(*netext.Conn); is {
		counted.Conn = &turnConn{Conn: counted.Conn}
	}

	return conn, err
}

func (d *turnDialer) ResolveAddr(address string) (net.IP, int, error) {
	return d.DialContexter.(lib.AddrResolver).ResolveAddr(address) //nolint:forcetypeassert // k6's dialer is one
}

// turnConn is a connection that yields. Unlike eventloop.Conn it supports concurrent use.
type turnConn struct {
	net.Conn

	// asked is set by a write since the last read.
	asked atomic.Bool
}

func (c *turnConn) Read(b []byte) (int, error) {
	if c.asked.Load() && c.asked.Swap(false) {
		runtime.Gosched()
	}

	return c.Conn.Read(b)
}

func (c *turnConn) Write(b []byte) (int, error) {
	c.asked.Store(true)

	return c.Conn.Write(b)
}
