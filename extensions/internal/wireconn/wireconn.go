// Package wireconn is the part of a connection that the clients of caches and NATS share:
// connecting within a time limit, deadlines of calls, interruption and byte counts. A client's Conn
// embeds this one and adds its protocol.
package wireconn

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"sync/atomic"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/netutil"
)

// Traffic counts bytes, including the overhead of TLS. Any goroutine may read it.
type Traffic struct {
	Received, Sent atomic.Uint64
}

// Dial opens a connection, as a net.Dialer does.
type Dial = func(ctx context.Context, network, address string) (net.Conn, error)

// Conn is a connection to a server. Only one goroutine may use it at a time; Interrupt, Close and
// Traffic are safe for concurrent use.
type Conn struct {
	// Failed is the error that broke the connection; nil if none has.
	Failed error

	socket      counted
	deadline    netutil.Deadline
	timeout     time.Duration
	interrupted atomic.Bool
	closed      atomic.Bool
}

type counted struct {
	*eventloop.Conn

	traffic *Traffic
}

// Read implements io.Reader.
func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.traffic.Received.Add(uint64(n))

	return n, err
}

// Write implements io.Writer.
func (c *counted) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.traffic.Sent.Add(uint64(n))

	return n, err
}

// Open connects and runs login, which the end of ctx interrupts. dial is nil for a net.Dialer,
// traffic for counters of the connection's own. After an error the connection is closed.
func (c *Conn) Open(ctx context.Context, dial Dial, network, address string, traffic *Traffic, login func() error) error {
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	if traffic == nil {
		traffic = &Traffic{}
	}
	raw, err := dial(ctx, network, address)
	if err != nil {
		return err
	}
	c.socket = counted{eventloop.NewConn(raw), traffic}
	release := context.AfterFunc(ctx, c.Interrupt)
	err = login()
	if inTime := release(); err == nil && !inTime {
		err = ctx.Err()
	}
	if err != nil {
		c.Close()
	}

	return err
}

// Stream returns the connection's bytes: inside TLS if config is not nil.
func (c *Conn) Stream(ctx context.Context, config *tls.Config) (io.ReadWriter, error) {
	if config == nil {
		return &c.socket, nil
	}
	secure := tls.Client(&c.socket, config)
	if err := secure.HandshakeContext(ctx); err != nil {
		return nil, err
	}

	return secure, nil
}

// Begin starts a call with this time limit. It returns an error if the connection was interrupted.
func (c *Conn) Begin(timeout time.Duration) error {
	c.timeout = timeout
	if err := c.deadline.Arm(timeout, c.socket.SetDeadline); err != nil {
		return err
	}
	if c.interrupted.Load() { // after SetDeadline: Interrupt sets the flag before the deadline
		return context.Canceled
	}

	return nil
}

// Fail marks the connection as broken. It keeps the first error.
func (c *Conn) Fail(err error) {
	if c.Failed == nil {
		c.Failed = err
	}
}

// Ended reports whether the connection was interrupted or closed.
func (c *Conn) Ended() bool { return c.interrupted.Load() || c.closed.Load() }

// Broken reports whether the connection is unusable and can only be closed.
func (c *Conn) Broken() bool { return c.Failed != nil || c.Ended() }

// Interrupt aborts the current call, or else the next one, with an error of kind cancelled. The
// connection is broken afterwards.
func (c *Conn) Interrupt() {
	c.interrupted.Store(true)
	_ = c.socket.SetDeadline(time.Unix(1, 0))
}

// Close closes the connection. A call in progress returns an error of kind connection.
func (c *Conn) Close() {
	if !c.closed.Swap(true) {
		_ = c.socket.Close()
	}
}

// Reset closes the connection with a reset, and without TLS's close message.
func (c *Conn) Reset() {
	inner := c.socket.NetConn()
	for {
		wrapper, is := inner.(interface{ NetConn() net.Conn })
		if !is {
			break
		}
		inner = wrapper.NetConn()
	}
	if tcp, is := inner.(*net.TCPConn); is {
		_ = tcp.SetLinger(0)
	}
	c.Close()
}

// Near reports whether the connection is already watched by the seat's loop.
func (c *Conn) Near(seat *eventloop.Seat) bool { return c.socket.Near(seat) }

// Use makes the connection wait for answers at the seat; nil: in its goroutine.
func (c *Conn) Use(seat *eventloop.Seat) { c.socket.Use(seat) }

// Traffic returns the bytes received and sent so far, including the overhead of TLS.
func (c *Conn) Traffic() (received, sent uint64) {
	return c.socket.traffic.Received.Load(), c.socket.traffic.Sent.Load()
}
