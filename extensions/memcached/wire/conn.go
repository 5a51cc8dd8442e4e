package wire

import (
	"cmp"
	"context"
	"crypto/tls"
	"strings"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/wireconn"
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
	Dial wireconn.Dial
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
	wireconn.Conn

	r        *wireconn.Reader
	w        *wireconn.Writer
	protocol Protocol
	timeout  time.Duration
	maxValue int

	head       []byte
	gets       []Request // requests of GetMulti
	sent, read uint32    // request numbers of the meta protocol
}

// Dial connects, and logs in if cfg has a user. Its errors are of kind connect, auth, busy or
// cancelled.
func Dial(ctx context.Context, cfg *Config) (*Conn, error) {
	full := *cfg
	full.Timeout, full.ConnectTimeout = cmp.Or(cfg.Timeout, DefaultTimeout), cmp.Or(cfg.ConnectTimeout, DefaultConnectTimeout)
	full.MaxValue = cmp.Or(cfg.MaxValue, DefaultMaxValue)
	ctx, cancel := context.WithTimeout(ctx, full.ConnectTimeout)
	defer cancel()

	c := &Conn{protocol: full.Protocol, timeout: full.ConnectTimeout, maxValue: full.MaxValue}
	login := func() error { return c.shakeHands(ctx, &full) }
	if err := c.Open(ctx, full.Dial, full.Network(), full.Address, nil, login); err != nil {
		return nil, cannotConnect(ctx, &full, err)
	}
	c.timeout = full.Timeout

	return c, nil
}

func (c *Conn) shakeHands(ctx context.Context, cfg *Config) error {
	stream, err := c.Stream(ctx, cfg.TLS)
	if err != nil {
		return err
	}
	c.r, c.w = wireconn.NewReader(stream, bufferSize), wireconn.NewWriter(stream, bufferSize)
	var said *Error
	switch {
	case cfg.User != "":
		said = c.authenticate(cfg.User, cfg.Password)
	case cfg.Greet:
		said = c.hello()
	}
	if said != nil {
		return said
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
	if c.Failed != nil {
		return Errorf(KindConnection, "an earlier error broke the connection: %s", c.Failed)
	}
	if err := c.Begin(c.timeout); err != nil {
		return c.fail(c.broken(err))
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
	c.Fail(e)

	return e
}
