package emulator

import (
	"net"
	"sync"
)

// connections of a listener, so that one can be closed during a call.
type connections struct {
	net.Listener

	mu   sync.Mutex
	open map[string]net.Conn
}

func track(listener net.Listener) *connections {
	return &connections{Listener: listener, open: map[string]net.Conn{}}
}

// Accept implements net.Listener.
func (c *connections) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[conn.RemoteAddr().String()] = conn
	return &tracked{Conn: conn, all: c}, nil
}

func (c *connections) drop(client string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if conn := c.open[client]; conn != nil {
		_ = conn.Close()
	}
}

type tracked struct {
	net.Conn
	all *connections
}

// Close implements net.Conn.
func (t *tracked) Close() error {
	t.all.mu.Lock()
	defer t.all.mu.Unlock()
	delete(t.all.open, t.RemoteAddr().String())
	return t.Conn.Close()
}
