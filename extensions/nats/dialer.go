package nats

import (
	"context"
	"net"
	"sync"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/quiet"
	"github.com/xk6-sweep/xk6-sweep/extensions/nats/wire"
)

// dialFunc opens a connection as k6 does.
type dialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// dialer gives nats.go its connections, the first and those that it makes again.
type dialer struct {
	life   context.Context //nolint:containedctx // as long as the connection's, not as a call's
	dial   dialFunc
	into   *connection
	within time.Duration // to dial, and to write what nats.go has gathered

	mu   sync.Mutex
	conn net.Conn
	err  error // of the last dial
}

// Dial implements natsio.CustomDialer.
func (d *dialer) Dial(network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(d.life, d.within)
	defer cancel()
	conn, err := d.dial(ctx, network, address)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.conn, d.err = conn, err
	if err != nil {
		return nil, err
	}
	if d.life.Err() != nil {
		_ = conn.Close()
	}

	return &countedConn{Conn: quiet.Conn(conn), into: d.into, within: d.within}, nil
}

// interrupt ends what is being done on the raw connection.
func (d *dialer) interrupt() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.conn != nil {
		_ = d.conn.Close()
	}
}

// countedConn counts bytes, and gives up where the server takes none or announces too much.
type countedConn struct {
	net.Conn

	into   *connection
	within time.Duration
	writes quiet.Deadline
	bounds wire.Bounds
}

// Read implements net.Conn. A server that announces more than there can be ends the connection.
func (c *countedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.into.in.Add(uint64(n))
	passed, wrong := c.bounds.Check(b[:n])
	if wrong != nil {
		_ = c.Close()
		e := newError(KindConnection, "the connection is closed: %s", wrong)
		c.into.lie.Store(e)

		return passed, e
	}

	return n, err
}

// SetDeadline implements net.Conn.
func (c *countedConn) SetDeadline(t time.Time) error {
	c.writes.Forget()

	return c.Conn.SetDeadline(t)
}

// Write implements net.Conn. nats.go sets no deadline where a publisher's own goroutine writes, which it does under a lock. After an error
// the stream may have been cut in the middle of a message, and cannot be used any more: closing it makes nats.go connect again.
func (c *countedConn) Write(b []byte) (int, error) {
	if err := c.writes.Arm(c.within, c.SetWriteDeadline); err != nil {
		return 0, err
	}
	n, err := c.Conn.Write(b)
	c.into.out.Add(uint64(n))
	if err != nil {
		_ = c.Close()
	}

	return n, err
}
