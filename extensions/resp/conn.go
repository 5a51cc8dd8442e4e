package resp

import (
	"net"
	"sync/atomic"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
	"github.com/xk6-sweep/xk6-sweep/extensions/resp/wire"
)

// conn is a connection that remembers whether it was closed, counts its bytes where it has a node,
// and ends when the server announces too much.
type conn struct {
	net.Conn

	node   *node
	closed atomic.Bool
	// replies looks at what the server says; nil of what is encrypted.
	replies *wire.Bounds
}

// Close closes the connection.
func (c *conn) Close() error {
	if c.closed.Swap(true) {
		return nil
	}

	return c.Conn.Close()
}

func (c *conn) Read(b []byte) (int, error) {
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

func (c *conn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	if c.node != nil {
		c.node.sent.Add(uint64(n))
	}

	return n, err
}
