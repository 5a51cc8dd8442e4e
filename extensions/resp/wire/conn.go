package wire

import (
	"cmp"
	"context"
	"crypto/tls"
	"io"
	"strconv"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/wireconn"
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
	Dial wireconn.Dial
	// Traffic counts the connection's bytes. It may be nil.
	Traffic *wireconn.Traffic
}

// Conn is a connection to a server. Only one goroutine may use it at a time; Interrupt and Close
// are safe for concurrent use. An error of kind connection, timeout or cancelled breaks it.
type Conn struct {
	wireconn.Conn

	stream  io.Writer
	r       *wireconn.Reader
	out     []byte
	timeout time.Duration
	resp3   bool
	asking  bool // ASKING precedes the next command

	field []byte // field of the hash that is being read
}

// Dial connects, logs in and selects the database. An error answer of the server keeps its kind;
// all other errors are of kind connect or cancelled.
func Dial(ctx context.Context, cfg *Config) (*Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, cfg.ConnectTimeout)
	defer cancel()
	c := &Conn{timeout: cfg.ConnectTimeout}
	login := func() error { return c.shakeHands(ctx, cfg) }
	if err := c.Open(ctx, cfg.Dial, cfg.Network, cfg.Address, cfg.Traffic, login); err != nil {
		return nil, cannotConnect(ctx, cfg, err)
	}
	c.timeout = cfg.Timeout

	return c, nil
}

func (c *Conn) shakeHands(ctx context.Context, cfg *Config) error {
	stream, err := c.Stream(ctx, cfg.TLS)
	if err != nil {
		return err
	}
	c.r, c.stream = wireconn.NewReader(stream, readSize), stream
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
			c.command("auth", []byte(cfg.Password))
		} else {
			c.command("auth", []byte(cfg.User), []byte(cfg.Password))
		}
	}
	if cfg.DB != 0 {
		asked++
		c.command("select", []byte(strconv.Itoa(cfg.DB)))
	}
	c.command("ping")
	if err := c.flush(); err != nil {
		return c.closeReason(err)
	}
	var first *Error
	if cfg.RESP3 {
		first = c.readHello()
	}
	for range asked {
		if c.Failed != nil {
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
		c.command("hello", []byte("3"))
	} else {
		c.command("hello", []byte("3"), []byte("auth"), []byte(cmp.Or(cfg.User, "default")), []byte(cfg.Password))
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
	if c.Failed != nil {
		return errorf(KindConnection, "an earlier error broke the connection: %s", c.Failed)
	}
	if err := c.Begin(c.timeout); err != nil {
		return c.fail(c.broken(err))
	}
	c.out = c.out[:0]
	if c.asking {
		c.command("asking")
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
	c.Fail(e)

	return e
}

// protocolError returns the error of an answer that violates the protocol. It breaks the
// connection, since the start of the next answer is unknown.
func (c *Conn) protocolError(format string, args ...any) *Error {
	return c.fail(errorf(KindConnection, "the connection is closed: "+format, args...))
}
