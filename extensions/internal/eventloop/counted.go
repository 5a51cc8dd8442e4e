package eventloop

import "sync/atomic"

// Counted counts the bytes sent and received, including TLS. Any goroutine may read the counts.
type Counted struct {
	*Conn

	Received, Sent atomic.Uint64
}

// Read implements net.Conn.
func (c *Counted) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.Received.Add(uint64(n))

	return n, err
}

// Write implements net.Conn.
func (c *Counted) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.Sent.Add(uint64(n))

	return n, err
}
