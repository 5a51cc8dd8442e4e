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
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/growing"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/quiet"
)

// Defaults of a Config.
const (
	DefaultTimeout        = 60 * time.Second
	DefaultConnectTimeout = 5 * time.Second
	DefaultMaxValue       = 1 << 30 // bytes: memcached's own upper limit of --max-item-size
)

// bufferSize is what each of the two buffers of a connection grows to, and with it the longest line
// that is read.
const bufferSize = 16 << 10

// Config is how to reach a server. What is zero stands for the default.
type Config struct {
	Address  string      // host:port, or the path of a unix socket: it has a slash
	Protocol Protocol    // default Text
	TLS      *tls.Config // default none; used as it is
	User     string      // default none: the server wants none (it was started without --auth-file)
	Password string

	Timeout        time.Duration // of a call
	ConnectTimeout time.Duration // of connecting, TLS and user and password together
	// Greet makes Dial wait for an answer, so that it fails where the server takes no client more.
	Greet    bool
	MaxValue int // bytes of the largest value that is sent and accepted
	// Dial makes the connection. Default: that of a net.Dialer.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Network is what Go calls the kind of the address: tcp or unix.
func (c *Config) Network() string {
	if strings.Contains(c.Address, "/") {
		return "unix"
	}

	return "tcp"
}

// Conn is a connection. One goroutine uses it at a time; Interrupt, Close and Traffic may be called
// by any.
//
// An error of kind connection, timeout, cancelled or protocol leaves it broken, and so does an
// error of another kind after which nobody knows where the next answer begins: see Broken.
type Conn struct {
	socket   *eventloop.Counted
	r        *growing.Reader
	w        *growing.Writer
	protocol Protocol
	timeout  time.Duration
	deadline quiet.Deadline
	maxValue int

	head        []byte  // the command line that is being written
	scratch     Request // of GetMulti
	sent, read  uint32  // numbers of the requests of the meta protocol, and of their replies
	failed      *Error  // why it is broken
	interrupted atomic.Bool
	closed      atomic.Bool
}

// Dial connects, and logs in where cfg has a user. Its errors are of kind connect, auth,
// busy and cancelled.
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

// greet does what comes before the first request.
func (c *Conn) greet(ctx context.Context, cfg *Config) error {
	release := context.AfterFunc(ctx, func() {
		defer crash.Contain("what interrupts a connection")
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
	c.r, c.w = growing.NewReader(stream, bufferSize), growing.NewWriter(stream, bufferSize)
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

// hello asks for the server's version, whatever it answers.
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

// begin is called before the first request of a call is written: the call's time runs.
func (c *Conn) begin() *Error {
	if c.failed != nil {
		return Errorf(KindConnection, "the connection is broken since an earlier error: %s", c.failed.Message)
	}
	if err := c.deadline.Arm(c.timeout, c.socket.SetDeadline); err != nil {
		return c.fail(c.broken(err))
	}
	if c.interrupted.Load() { // after the deadline was set: Interrupt does it the other way round
		return c.fail(c.broken(context.Canceled))
	}

	return c.inStep()
}

// inStep makes sure that what comes next is an answer to what is written next.
func (c *Conn) inStep() *Error {
	if n := c.r.Buffered(); n > 0 {
		return c.fail(Errorf(KindProtocol, "the server sent %d bytes that nobody asked for", n))
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

// Broken tells whether the connection can only be closed any more.
func (c *Conn) Broken() bool { return c.failed != nil || c.interrupted.Load() || c.closed.Load() }

// Interrupt makes the call that is under way, or else the next one, return an error of kind
// cancelled soon, whatever the server does. The connection is broken after it.
func (c *Conn) Interrupt() {
	c.interrupted.Store(true)
	_ = c.socket.SetDeadline(time.Unix(1, 0)) // it fails on a closed connection only
}

// Close closes the connection at once. A call that is under way returns an error of kind
// connection.
func (c *Conn) Close() {
	if !c.closed.Swap(true) {
		_ = c.socket.Close() // there is nothing left to lose
	}
}

// Use says at which seat of an event loop the connection is used from now on; nil: by a goroutine.
func (c *Conn) Use(seat *eventloop.Seat) { c.socket.Use(seat) }

// Traffic is the number of bytes received from and sent to the server so far, those of TLS
// included.
func (c *Conn) Traffic() (received, sent uint64) {
	return c.socket.Received.Load(), c.socket.Sent.Load()
}
