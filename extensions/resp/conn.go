package resp

import (
	"net"
	"sync/atomic"
)

// conn is a connection that remembers whether it was closed, and counts its bytes where it has a node.
type conn struct {
	net.Conn

	node   *node
	closed atomic.Bool
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

	return n, err
}

func (c *conn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	if c.node != nil {
		c.node.sent.Add(uint64(n))
	}

	return n, err
}
