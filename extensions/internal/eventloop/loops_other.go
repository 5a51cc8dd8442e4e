//go:build !linux || portable

package eventloop

import (
	"context"
	"net"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/netutil"
)

type (
	loop  struct{ again []*Seat }
	table struct{}
)

func (*loop) join(*Seat) {}

// Count returns 0: there are no loops.
func Count() int { return 0 }

// Sleep does nothing, because there are no loops.
func (*Seat) Sleep(context.Context, time.Duration) {}

// Do runs the job on the caller's goroutine.
func (s *Seat) Do(_ int, job func() error) error { return job() }

// Conn is a net.Conn.
type Conn struct{ net.Conn }

// NewConn wraps a connection for reading and writing by package netutil.
func NewConn(inner net.Conn) *Conn { return &Conn{netutil.RawConn(inner)} }

// Use does nothing.
func (*Conn) Use(*Seat) {}

// Near returns true.
func (*Conn) Near(*Seat) bool { return true }

// NetConn returns the wrapped connection, like tls.Conn's method.
func (c *Conn) NetConn() net.Conn { return c.Conn }
