package wire

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/rawsock"
)

// DefaultConnectTimeout is the default of Config.ConnectTimeout.
const DefaultConnectTimeout = 5 * time.Second

// Config describes a server and how to log in. Zero values stand for the defaults.
type Config struct {
	Address string // host:port

	// TLS needs no server name: its default is the address. It is required with Secure, and if the
	// server asks for TLS.
	TLS *tls.Config
	// Secure requires TLS even if the server does not ask for it.
	Secure bool
	// First starts TLS before the server's INFO.
	First bool

	Name                  string // name of the connection
	User, Password, Token string
	NKey                  string // public key
	// JWT returns the user's JWT; nil for none.
	JWT func() (string, error)
	// Sign signs the server's nonce, for an NKey or a JWT.
	Sign func(nonce []byte) ([]byte, error)

	// InboxPrefix is the prefix of the subjects of answers. Default _INBOX.
	InboxPrefix string
	// NoEcho keeps the connection from receiving its own messages.
	NoEcho bool

	ConnectTimeout time.Duration // limit for connecting, TLS handshake and login together
	// Dial opens the connection. Default: a net.Dialer.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Conn is a connection that handles one request at a time. Only one goroutine may use it;
// Interrupt, Close and Traffic are safe for concurrent use.
//
// An error of kind connection, cancelled or protocol breaks the connection, and others may: see
// Broken. A timeout does not, unless the server has sent nothing since an earlier timeout.
type Conn struct {
	socket   *eventloop.Counted
	out      io.Writer
	in       reader
	deadline rawsock.Deadline
	timeout  time.Duration

	maxPayload  int64
	headers     bool
	noJetStream bool

	inbox      []byte
	serial     uint64
	subscribed bool
	subject    []byte // subject of the request
	request    []byte
	said       statement

	doubted, asked bool
	failed         *Error
	interrupted    atomic.Bool
	closed         atomic.Bool
}

const (
	inboxDigits = 22
	tokenDigits = 8
)

// Dial connects and logs in. Its errors are of kind connect, auth or cancelled.
func Dial(ctx context.Context, cfg *Config) (*Conn, error) {
	full := *cfg
	full.defaults()
	ctx, cancel := context.WithTimeout(ctx, full.ConnectTimeout)
	defer cancel()

	raw, err := full.Dial(ctx, "tcp", full.Address)
	if err != nil {
		return nil, cannotConnect(ctx, &full, err)
	}
	c := &Conn{
		socket: &eventloop.Counted{Conn: eventloop.NewConn(raw)}, timeout: full.ConnectTimeout,
		inbox: append([]byte(full.InboxPrefix+"."+rand.Text()[:inboxDigits]+"."), make([]byte, tokenDigits)...),
	}
	if err := c.greet(ctx, &full); err != nil {
		c.Close()

		return nil, err
	}

	return c, nil
}

func (c *Config) defaults() {
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = DefaultConnectTimeout
	}
	if c.InboxPrefix == "" {
		c.InboxPrefix = "_INBOX"
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
	err := c.logIn(ctx, cfg)
	inTime := release()
	switch {
	case err != nil:
		return cannotConnect(ctx, cfg, err)
	case !inTime:
		return cannotConnect(ctx, cfg, ctx.Err())
	default:
		return nil
	}
}

func (c *Conn) begin(timeout time.Duration) *Error {
	if c.failed != nil {
		return Errorf(KindConnection, "an earlier error broke the connection: %s", c.failed.Message)
	}
	c.timeout = timeout
	if err := c.deadline.Arm(timeout, c.socket.SetDeadline); err != nil {
		return c.fail(c.broken(err))
	}
	if c.interrupted.Load() { // after SetDeadline: Interrupt sets the flag before the deadline
		return c.fail(c.broken(context.Canceled))
	}

	return nil
}

func (c *Conn) write(b []byte) *Error {
	if _, err := c.out.Write(b); err != nil {
		return c.fail(c.broken(err))
	}

	return nil
}

func (c *Conn) next() *Error {
	err := c.in.next(&c.said)
	if err == nil {
		return nil
	}
	e := c.broken(err)
	op, is := errors.AsType[*net.OpError](err)
	switch {
	case e.Kind != KindTimeout, is && op.Op == "write", c.asked:
		return c.fail(e)
	}
	c.doubted = true

	return e
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
