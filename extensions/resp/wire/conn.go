package wire

import (
	"cmp"
	"context"
	"crypto/tls"
	"io"
	"net"
	"sync/atomic"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/growbuf"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/rawsock"
)

// readSize is the size of the read buffer and the maximum length of a line. The write buffer
// shrinks to writeSize between calls. Both are in bytes.
const (
	readSize  = 16 << 10
	writeSize = 16 << 10
)

// Config describes a server and how to connect to it.
type Config struct {
	Network  string // tcp or unix
	Address  string // host:port, or the path of a unix socket
	User     string // "": the default user
	Password string // "": no login
	DB       int
	TLS      *tls.Config // nil: plain text
	RESP3    bool        // speak RESP 3, after HELLO 3

	Timeout        time.Duration // limit for one call
	ConnectTimeout time.Duration // limit for connecting, TLS handshake and login together
	// Dial opens the connection.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Traffic counts the connection's bytes. It may be nil.
	Traffic *Traffic
}

// Traffic counts bytes, including the overhead of TLS.
type Traffic struct {
	Received, Sent atomic.Uint64
}

// Conn is a connection to a server. Only one goroutine may use it at a time; Interrupt and Close
// are safe for concurrent use. An error of kind connection, timeout or cancelled breaks it.
type Conn struct {
	socket   countingConn
	stream   io.Writer
	r        *growbuf.Reader
	out      []byte
	timeout  time.Duration
	resp3    bool
	asking   bool // ASKING precedes the next command
	deadline rawsock.Deadline

	field []byte // field of the hash that is being read

	failed      *Error
	interrupted atomic.Bool
	closed      atomic.Bool
}

// Dial connects, logs in and selects the database. An error answer of the server keeps its kind;
// all other errors are of kind connect or cancelled.
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
	if err := c.handshakes(ctx, cfg); err != nil {
		c.Close()

		return nil, err
	}
	c.timeout = cfg.Timeout
	c.deadline.Forget()

	return c, nil
}

func (c *Conn) handshakes(ctx context.Context, cfg *Config) error {
	release := context.AfterFunc(ctx, func() {
		defer crash.Contain("the interruption of a connection")
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
	c.r, c.stream = growbuf.NewReader(stream, readSize), stream
	if err := c.greet(cfg); err != nil {
		return err
	}

	return nil // a nil *Error would be a non-nil error
}

func (c *Conn) greet(cfg *Config) *Error {
	if err := c.begin(); err != nil {
		return err
	}
	asked := 1
	switch {
	case cfg.RESP3:
		c.hello(cfg)
	case cfg.Password != "":
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
		return c.closeReason(err)
	}
	var first *Error
	if cfg.RESP3 {
		first = c.readHello()
	}
	for range asked {
		if c.failed != nil {
			break
		}
		if err := c.readStatus(); first == nil {
			first = err
		}
	}

	return first
}

func (c *Conn) hello(cfg *Config) {
	c.resp3 = true
	if cfg.Password == "" {
		c.command("hello", 1)
		c.word([]byte("3"))

		return
	}
	c.command("hello", 4)
	for _, word := range []string{"3", "auth", cmp.Or(cfg.User, "default"), cfg.Password} {
		c.word([]byte(word))
	}
}

func (c *Conn) readHello() *Error {
	_, failed := c.readAny(nil)
	if failed != nil && (failed.Code == "ERR" && failed.Kind == KindServer || failed.Code == "NOPROTO") {
		failed.Kind, failed.Message = KindUsage, "the server does not speak RESP 3: "+failed.Message
	}

	return failed
}

func (c *Conn) closeReason(err *Error) *Error {
	if said := c.readStatus(); said != nil && saidByServer(said) {
		return said
	}

	return err
}

func (c *Conn) begin() *Error {
	if c.failed != nil {
		return errorf(KindConnection, "an earlier error broke the connection: %s", c.failed.Message)
	}
	if err := c.deadline.Arm(c.timeout, c.socket.SetDeadline); err != nil {
		return c.fail(c.broken(err))
	}
	if c.interrupted.Load() { // after SetDeadline: Interrupt sets the flag before the deadline
		return c.fail(c.broken(context.Canceled))
	}
	c.out = c.out[:0]
	if c.asking {
		c.command("asking", 0)
	}

	return c.inStep()
}

func (c *Conn) inStep() *Error {
	if n := c.r.Buffered(); n > 0 {
		return c.protocolError("the server sent %d unexpected bytes", n)
	}

	return nil
}

func (c *Conn) fail(e *Error) *Error {
	if c.failed == nil {
		c.failed = e
	}

	return e
}

// protocolError returns the error of an answer that violates the protocol. It breaks the
// connection, since the start of the next answer is unknown.
func (c *Conn) protocolError(format string, args ...any) *Error {
	return c.fail(errorf(KindConnection, "the connection is closed: "+format, args...))
}

// Broken reports whether the connection is unusable and can only be closed.
func (c *Conn) Broken() bool { return c.failed != nil || c.interrupted.Load() || c.closed.Load() }

// Interrupt aborts the current call, or else the next one, with an error of kind cancelled. The
// connection is broken afterwards.
func (c *Conn) Interrupt() {
	c.interrupted.Store(true)
	_ = c.socket.SetDeadline(time.Unix(1, 0))
}

// Close closes the connection.
func (c *Conn) Close() {
	if !c.closed.Swap(true) {
		_ = c.socket.Close()
	}
}

// Use makes the connection wait for answers at the seat; nil: in its goroutine.
func (c *Conn) Use(seat *eventloop.Seat) { c.socket.Use(seat) }

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
