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
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/quiet"
)

// DefaultConnectTimeout is that of a Config.
const DefaultConnectTimeout = 5 * time.Second

// Config is how to reach a server, and as who. What is zero stands for the default.
type Config struct {
	Address string // host:port

	// TLS is the configuration of TLS. The name of the certificate is the address's where it has
	// none. It is needed where Secure is set, and where the server asks for TLS.
	TLS *tls.Config
	// Secure tells that TLS is wanted, whether the server asks for it or not.
	Secure bool
	// First tells that the handshake comes before the server's INFO.
	First bool

	Name                  string // of the connection
	User, Password, Token string
	NKey                  string // the public key
	// JWT returns the user's; nil for none.
	JWT func() (string, error)
	// Sign signs what the server asks to be signed, for an NKey or a JWT.
	Sign func(nonce []byte) ([]byte, error)

	// InboxPrefix is what the subjects of answers begin with, _INBOX if it is empty.
	InboxPrefix string
	// NoEcho tells that what is sent on the connection does not come back on it.
	NoEcho bool

	ConnectTimeout time.Duration // of connecting, TLS and logging in together
	// Dial makes the connection. Default: that of a net.Dialer.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Conn is a connection that does one request at a time. One goroutine uses it; Interrupt, Close and
// Traffic may be called by any.
//
// After an error of kind connection, cancelled or protocol it is broken, and after others that end
// it: see Broken. One of kind timeout leaves it as it is, unless the server has said nothing at all
// since an earlier one.
type Conn struct {
	socket   *eventloop.Counted
	out      io.Writer // the socket, or TLS over it
	in       reader
	deadline quiet.Deadline
	timeout  time.Duration

	// maxPayload is how large a message the server takes; headers, that it knows them.
	maxPayload int64
	headers    bool
	// noJetStream reports whether the server says that it has no JetStream.
	noJetStream bool

	// inbox is the subject of the answer that is waited for: what all have in common, and a token.
	inbox      []byte
	serial     uint64
	subscribed bool
	subject    []byte // of the request
	request    []byte
	said       statement

	// doubted tells that a request had no answer in time, asked that the server was asked since
	// then whether it is there.
	doubted, asked bool
	failed         *Error // why it is broken
	interrupted    atomic.Bool
	closed         atomic.Bool
}

// inboxDigits is the length of a connection's part of an inbox, tokenDigits that of a request's.
const (
	inboxDigits = 22
	tokenDigits = 8
)

// Dial connects and logs in. Its errors are of kind connect, auth and cancelled.
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

// greet does what comes before the first request.
func (c *Conn) greet(ctx context.Context, cfg *Config) error {
	release := context.AfterFunc(ctx, func() {
		defer crash.Contain("what interrupts a connection")
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

// begin is called before anything of a call is written: the call's time runs.
func (c *Conn) begin(timeout time.Duration) *Error {
	if c.failed != nil {
		return Errorf(KindConnection, "the connection is broken since an earlier error: %s", c.failed.Message)
	}
	c.timeout = timeout
	if err := c.deadline.Arm(timeout, c.socket.SetDeadline); err != nil {
		return c.fail(c.broken(err))
	}
	if c.interrupted.Load() { // after the deadline was set: Interrupt does it the other way round
		return c.fail(c.broken(context.Canceled))
	}

	return nil
}

// write writes a whole request, or what else there is to say.
func (c *Conn) write(b []byte) *Error {
	if _, err := c.out.Write(b); err != nil { // a part of it may have been written
		return c.fail(c.broken(err))
	}

	return nil
}

// next reads the next thing that the server says.
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
