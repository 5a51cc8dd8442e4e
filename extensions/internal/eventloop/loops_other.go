//go:build !linux || portable

package eventloop

import (
	"context"
	"net"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/quiet"
)

type (
	loop  struct{ again []*Seat }
	table struct{}
)

func (*loop) join(*Seat) {}

// Count returns how many loops there are.
func Count() int { return 0 }

// Sleep is for jobs at a loop. There are none.
func (*Seat) Sleep(context.Context, time.Duration) {}

// Do does the job, on the caller's goroutine.
func (s *Seat) Do(_ int, job func() error) error { return job() }

// Conn is a connection of package net, for clients that may be at a loop.
type Conn struct{ net.Conn }

// NewConn returns a connection of package net as one that is read and written quietly.
func NewConn(inner net.Conn) *Conn { return &Conn{quiet.Conn(inner)} }

// Use says at which seat the connection is used from now on; nil: by a goroutine.
func (*Conn) Use(*Seat) {}

// Near tells whether the loop of the seat watches the connection. There is none.
func (*Conn) Near(*Seat) bool { return true }

// NetConn returns the connection underneath, as that of package tls does.
func (c *Conn) NetConn() net.Conn { return c.Conn }
