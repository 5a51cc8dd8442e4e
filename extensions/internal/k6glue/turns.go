package k6glue

import (
	"context"
	"net"
	"runtime"
	"sync/atomic"

	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/lib/netext"
)

// TakeTurns lets clients take turns over the connections that the VU's modules make from now on.
// A library that reads on the goroutine of its caller, such as that of k6/x/redis, has a client go
// on for as long as its next answer is there when it looks, while hundreds of others wait with
// theirs. One that has asked lets the others go before it reads.
//
// It is for ever: goroutines that a module has left behind may dial when a step is over. Modules
// that dial by Dial see to their turns themselves: see eventloop.
func TakeTurns(state *lib.State) {
	if state == nil {
		return
	}
	if _, taken := state.Dialer.(*turnDialer); !taken {
		state.Dialer = &turnDialer{state.Dialer}
	}
}

// turnDialer makes connections over which clients take turns.
type turnDialer struct{ lib.DialContexter }

// DialContext implements lib.DialContexter. What it returns is of the type that k6's own dialer
// returns.
func (d *turnDialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := d.DialContexter.DialContext(ctx, network, address)
	if counted, is := conn.(*netext.Conn); is {
		counted.Conn = &turnConn{Conn: counted.Conn}
	}

	return conn, err
}

// ResolveAddr implements lib.AddrResolver.
func (d *turnDialer) ResolveAddr(address string) (net.IP, int, error) {
	return d.DialContexter.(lib.AddrResolver).ResolveAddr(address) //nolint:forcetypeassert // k6's dialer is one
}

// turnConn is a connection over which clients take turns. Unlike an eventloop.Conn it may be used
// by any number of goroutines: nothing is known of who uses it.
type turnConn struct {
	net.Conn

	// asked tells that something was written since the last read.
	asked atomic.Bool
}

// Read implements net.Conn.
func (c *turnConn) Read(b []byte) (int, error) {
	if c.asked.Load() && c.asked.Swap(false) {
		runtime.Gosched()
	}

	return c.Conn.Read(b)
}

// Write implements net.Conn.
func (c *turnConn) Write(b []byte) (int, error) {
	c.asked.Store(true)

	return c.Conn.Write(b)
}
