package wire

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"sync/atomic"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/growing"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/quiet"
)

// readSize is the most that is read at once, and with it the longest line that is read;
// writeSize that of what is written at once, and about what a connection keeps to write from. Both
// are in bytes.
const (
	readSize  = 16 << 10
	writeSize = 16 << 10
)

// Config is how to reach a server.
type Config struct {
	Network  string // tcp or unix
	Address  string // host:port, or the path of a unix socket
	User     string // "": the default one
	Password string // "": no login
	DB       int
	TLS      *tls.Config // nil: none

	Timeout        time.Duration // of a call
	ConnectTimeout time.Duration // of connecting, TLS and the login together
	// Dial makes the connection.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Traffic counts what goes over the connection; nil: nobody wants to know.
	Traffic *Traffic
}

// Traffic counts bytes, those of TLS included.
type Traffic struct {
	Received, Sent atomic.Uint64
}

// Conn is a connection. One goroutine uses it at a time; Interrupt and Close may be called by any.
//
// An error of kind connection, timeout or cancelled leaves it broken.
type Conn struct {
	socket   countingConn
	stream   io.Writer
	r        *growing.Reader
	out      []byte // what has not been written yet
	timeout  time.Duration
	deadline quiet.Deadline

	failed      *Error // why it is broken
	interrupted atomic.Bool
	closed      atomic.Bool
}

// Dial connects, logs in and selects the database. What the server says against that is an error
// of its own kind; else they are of kind connect and cancelled.
func Dial(ctx context.Context, cfg *Config) (*Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, cfg.ConnectTimeout)
	defer cancel()
	raw, err := cfg.Dial(ctx, cfg.Network, cfg.Address)
	if err != nil {
		return nil, cannotConnect(ctx, cfg, err)
	}
	traffic := cfg.Traffic
	if traffic == nil {
		traffic = &Traffic{}
	}
	c := &Conn{socket: countingConn{Conn: eventloop.NewConn(raw), traffic: traffic}, timeout: cfg.ConnectTimeout}
	if err := c.begun(ctx, cfg); err != nil {
		c.Close()

		return nil, err
	}
	c.timeout = cfg.Timeout
	c.deadline.Forget()

	return c, nil
}

// begun does what comes before the first command, until ctx ends.
func (c *Conn) begun(ctx context.Context, cfg *Config) error {
	release := context.AfterFunc(ctx, func() {
		defer crash.Contain("what interrupts a connection")
		c.Interrupt()
	})
	err := c.shakeHands(ctx, cfg)
	inTime := release()
	switch {
	case saidByServer(err):
		return err
	case err != nil:
		return cannotConnect(ctx, cfg, err)
	case !inTime:
		return cannotConnect(ctx, cfg, ctx.Err())
	default:
		return nil
	}
}

func (c *Conn) shakeHands(ctx context.Context, cfg *Config) error {
	var stream io.ReadWriter = &c.socket
	if cfg.TLS != nil {
		secure := tls.Client(&c.socket, cfg.TLS)
		if err := secure.HandshakeContext(ctx); err != nil {
			return err
		}
		stream = secure
	}
	c.r, c.stream = growing.NewReader(stream, readSize), stream
	if err := c.greet(cfg); err != nil {
		return err
	}

	return nil // no *Error that is none
}

// greet logs in, selects the database, and makes sure that the server takes commands.
func (c *Conn) greet(cfg *Config) *Error {
	if err := c.begin(); err != nil {
		return err
	}
	asked := 1
	if cfg.Password != "" {
		asked++
		if cfg.User == "" {
			c.command("auth", 1)
		} else {
			c.command("auth", 2)
			c.word([]byte(cfg.User))
		}
		c.word([]byte(cfg.Password))
	}
	if cfg.DB != 0 {
		asked++
		c.command("select", 1)
		c.number(cfg.DB)
	}
	c.command("ping", 0)
	if err := c.flush(); err != nil {
		return c.farewell(err)
	}
	var first *Error
	for range asked {
		if err := c.readStatus(); first == nil {
			first = err
		}
		if c.failed != nil {
			break
		}
	}

	return first
}

// farewell returns what a server said before it closed the connection, or the error of writing to
// it where it said nothing.
func (c *Conn) farewell(err *Error) *Error {
	if said := c.readStatus(); said != nil && saidByServer(said) {
		return said
	}

	return err
}

// begin is called before the first command of a call is written: the call's time runs.
func (c *Conn) begin() *Error {
	if c.failed != nil {
		return errorf(KindConnection, "the connection is broken since an earlier error: %s", c.failed.Message)
	}
	if err := c.deadline.Arm(c.timeout, c.socket.SetDeadline); err != nil {
		return c.fail(c.broken(err))
	}
	if c.interrupted.Load() { // after the deadline was set: Interrupt does it the other way round
		return c.fail(c.broken(context.Canceled))
	}
	c.out = c.out[:0]

	return c.inStep()
}

// inStep makes sure that what comes next is an answer to what is written next.
func (c *Conn) inStep() *Error {
	if n := c.r.Buffered(); n > 0 {
		return c.lied("the server sent %d bytes that nobody asked for", n)
	}

	return nil
}

// fail makes the connection one that cannot be used any more.
func (c *Conn) fail(e *Error) *Error {
	if c.failed == nil {
		c.failed = e
	}

	return e
}

// lied is the error of a server that says what cannot be. Nobody knows where its next answer
// begins.
func (c *Conn) lied(format string, args ...any) *Error {
	return c.fail(errorf(KindConnection, "the connection is closed: "+format, args...))
}

// Broken tells whether the connection can only be closed any more.
func (c *Conn) Broken() bool { return c.failed != nil || c.interrupted.Load() || c.closed.Load() }

// Interrupt makes the call that is under way, or else the next one, return an error of kind
// cancelled soon, whatever the server does. The connection is broken after it.
func (c *Conn) Interrupt() {
	c.interrupted.Store(true)
	_ = c.socket.SetDeadline(time.Unix(1, 0)) // it fails on a closed connection only
}

// Close closes the connection at once.
func (c *Conn) Close() {
	if !c.closed.Swap(true) {
		_ = c.socket.Close() // there is nothing left to lose
	}
}

// Use says at which seat of an event loop the connection is used from now on; nil: by a goroutine.
func (c *Conn) Use(seat *eventloop.Seat) { c.socket.Use(seat) }

// countingConn counts what goes over a connection.
type countingConn struct {
	*eventloop.Conn

	traffic *Traffic
}

func (c *countingConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.traffic.Received.Add(uint64(n))

	return n, err
}

func (c *countingConn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.traffic.Sent.Add(uint64(n))

	return n, err
}
