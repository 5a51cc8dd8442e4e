package resp

import (
	"net"
	"sync/atomic"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
	"github.com/xk6-sweep/xk6-sweep/extensions/resp/wire"
)

// conn is a connection that remembers whether it was closed, counts its bytes where it has a node,
// and ends when the server announces too much.
type conn struct {
	net.Conn

	// socket is the connection below, of TLS as well; nil where a conn with it is above this one.
	socket *eventloop.Conn
	node   *node
	closed atomic.Bool
	// replies looks at what the server says; nil of what is encrypted.
	replies *wire.Bounds
	// held is what go-redis has not read of what has come: see hold.
	held []byte
}

const (
	// atOnce is the longest string for which go-redis may make room before it has come.
	atOnce    = 1 << 20
	holdChunk = 64 << 10
)

// Close closes the connection.
func (c *conn) Close() error {
	if c.closed.Swap(true) {
		return nil
	}

	return c.Conn.Close()
}

// Read implements net.Conn. A server that announces more than there can be ends the connection. One
// that announces a long string gets no room for it before it has come.
func (c *conn) Read(b []byte) (int, error) {
	if len(c.held) > 0 {
		n := copy(b, c.held)
		if c.held = c.held[n:]; len(c.held) == 0 {
			c.held = nil
		}

		return n, nil
	}
	n, err := c.read(b)
	if c.replies == nil || err != nil || c.replies.Left() <= atOnce {
		return n, err
	}

	return c.hold(b, n)
}

// read reads what the server says next, and looks at it.
func (c *conn) read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if c.node != nil {
		c.node.received.Add(uint64(n))
	}
	if c.replies == nil {
		return n, err
	}
	passed, wrong := c.replies.Check(b[:n])
	if wrong != nil {
		_ = c.Close()

		return passed, k6mod.Errorf(k6mod.KindConnection, "the connection is closed: %s", short(wrong.Error()))
	}

	return n, err
}

// hold keeps the n bytes that end in a long string, and what follows, until that string has come:
// go-redis makes a buffer of the length that it reads.
func (c *conn) hold(b []byte, n int) (int, error) {
	c.held = append(c.held, b[:n]...)
	chunk := make([]byte, holdChunk)
	for c.replies.Left() > 0 {
		n, err := c.read(chunk)
		if err != nil {
			c.held = nil

			return 0, err
		}
		c.held = append(c.held, chunk[:n]...)
	}

	return c.Read(b)
}

func (c *conn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	if c.node != nil {
		c.node.sent.Add(uint64(n))
	}

	return n, err
}
