package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/growbuf"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/rawsock"
)

// Defaults of a Config.
const (
	DefaultTimeout        = 60 * time.Second
	DefaultConnectTimeout = 5 * time.Second
	DefaultMaxValue       = 1 << 30 // bytes: the upper limit of memcached's --max-item-size
)

// bufferSize is the size of each of the two buffers, and the maximum length of a line.
const bufferSize = 16 << 10

// Config describes a server and how to connect to it. Zero values stand for the defaults.
type Config struct {
	Address  string      // host:port, or the path of a unix socket (with a slash)
	Protocol Protocol    // default Text
	TLS      *tls.Config // nil: plain text
	User     string      // "": no login (a server without --auth-file)
	Password string

	Timeout        time.Duration // limit for one call
	ConnectTimeout time.Duration // limit for connecting, TLS handshake and login together
	// Greet makes Dial wait for an answer, so that it fails if the server is at its connection
	// limit.
	Greet    bool
	MaxValue int // maximum length of a value in bytes, sent or received
	// Dial opens the connection. Default: a net.Dialer.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Network returns the network of Address: tcp or unix.
func (c *Config) Network() string {
	if strings.Contains(c.Address, "/") {
		return "unix"
	}

	return "tcp"
}

// Conn is a connection to a server. Only one goroutine may use it at a time; Interrupt, Close and
// Traffic are safe for concurrent use.
//
// An error of kind connection, timeout, cancelled or protocol breaks the connection. So does any
// error after which the start of the next answer is unknown; see Broken.
type Conn struct {
	socket   *eventloop.Counted
	r        *growbuf.Reader
	w        *growbuf.Writer
	protocol Protocol
	timeout  time.Duration
	deadline rawsock.Deadline
	maxValue int

	head        []byte
	scratch     Request // request that GetMulti reuses
	sent, read  uint32  // request numbers of the meta protocol
	failed      *Error
	interrupted atomic.Bool
	closed      atomic.Bool
}

// Dial connects, and logs in if cfg has a user. Its errors are of kind connect, auth, busy or
// cancelled.
func Dial(ctx context.Context, cfg *Config) (*Conn, error) {
	full := *cfg
	full.defaults()
	ctx, cancel := context.WithTimeout(ctx, full.ConnectTimeout)
	defer cancel()

	raw, err := full.Dial(ctx, full.Network(), full.Address)
	if err != nil {
		return nil, cannotConnect(ctx, &full, err)
	}
	c := &Conn{
		socket: &eventloop.Counted{Conn: eventloop.NewConn(raw)}, protocol: full.Protocol, timeout: full.ConnectTimeout,
		maxValue: full.MaxValue,
	}
	if err := c.greet(ctx, &full); err != nil {
		c.Close()

		return nil, err
	}
	c.timeout = full.Timeout

	return c, nil
}

func (c *Config) defaults() {
	if c.Timeout == 0 {
		c.Timeout = DefaultTimeout
	}
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = DefaultConnectTimeout
	}
	if c.MaxValue == 0 {
		c.MaxValue = DefaultMaxValue
	}
	if c.Dial == nil {
		c.Dial = new(net.Dialer).DialContext
	}
}

func (c *Conn) greet(ctx context.Context, cfg *Config) error {
	release := context.AfterFunc(ctx, func() {
		defer crash.Contain("the interruption of a connection")
		c.Interrupt()
	})
	err := c.shakeHands(ctx, cfg)
	inTime := release()
	var refused *Error
	switch {
	case errors.As(err, &refused) && refused.Kind == KindAuth:
		return refused
	case errors.As(err, &refused) && refused.Kind == KindBusy:
		return Errorf(KindBusy, "cannot connect to %s: %s", cfg.Address, refused.Message)
	case err != nil:
		return cannotConnect(ctx, cfg, err)
	case !inTime:
		return cannotConnect(ctx, cfg, ctx.Err())
	default:
		return nil
	}
}

func (c *Conn) shakeHands(ctx context.Context, cfg *Config) error {
	var stream io.ReadWriter = c.socket
	if cfg.TLS != nil {
		secure := tls.Client(c.socket, cfg.TLS)
		if err := secure.HandshakeContext(ctx); err != nil {
			return err
		}
		stream = secure
	}
	c.r, c.w = growbuf.NewReader(stream, bufferSize), growbuf.NewWriter(stream, bufferSize)
	var err *Error
	switch {
	case cfg.User != "":
		err = c.authenticate(cfg.User, cfg.Password)
	case cfg.Greet:
		err = c.hello()
	}
	if err != nil {
		return err
	}

	return nil
}

func (c *Conn) hello() *Error {
	if err := c.begin(); err != nil {
		return err
	}
	if _, err := c.w.Write([]byte("version\r\n")); err != nil {
		return c.fail(c.broken(err))
	}
	if err := c.flush(); err != nil {
		return err
	}
	line, err := c.readLine()
	if err != nil {
		return err
	}
	if said, _ := refusal(line, Get); said != nil && (said.Kind == KindBusy || said.Kind == KindAuth) {
		return c.fail(said)
	}

	return nil
}

func (c *Conn) begin() *Error {
	if c.failed != nil {
		return Errorf(KindConnection, "an earlier error broke the connection: %s", c.failed.Message)
	}
	if err := c.deadline.Arm(c.timeout, c.socket.SetDeadline); err != nil {
		return c.fail(c.broken(err))
	}
	if c.interrupted.Load() { // after SetDeadline: Interrupt sets the flag before the deadline
		return c.fail(c.broken(context.Canceled))
	}

	return c.inStep()
}

func (c *Conn) inStep() *Error {
	if n := c.r.Buffered(); n > 0 {
		return c.fail(Errorf(KindProtocol, "the server sent %d unexpected bytes", n))
	}

	return nil
}

func (c *Conn) fail(e *Error) *Error {
	if c.failed == nil {
		c.failed = e
	}

	return e
}

// Broken reports whether the connection is unusable and can only be closed.
func (c *Conn) Broken() bool { return c.failed != nil || c.interrupted.Load() || c.closed.Load() }

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

// Use makes the connection wait for answers at the seat; nil: in its goroutine.
func (c *Conn) Use(seat *eventloop.Seat) { c.socket.Use(seat) }

// Traffic returns the bytes received and sent so far, including the overhead of TLS.
func (c *Conn) Traffic() (received, sent uint64) {
	return c.socket.Received.Load(), c.socket.Sent.Load()
}
