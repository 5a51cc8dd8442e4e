package wire

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/wireconn"
)

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
	Dial wireconn.Dial
}

// Conn is a connection that handles one request at a time. Only one goroutine may use it;
// Interrupt, Close and Traffic are safe for concurrent use.
//
// An error of kind connection, cancelled or protocol breaks the connection, and others may: see
// Broken. A timeout does not, unless the server has sent nothing since an earlier timeout.
type Conn struct {
	wireconn.Conn

	out io.Writer
	in  reader

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
}

const (
	inboxDigits = 22
	tokenDigits = 8
)

// Dial connects and logs in. Its errors are of kind connect, auth or cancelled.
func Dial(ctx context.Context, cfg *Config) (*Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, cfg.ConnectTimeout)
	defer cancel()

	prefix := cmp.Or(cfg.InboxPrefix, "_INBOX")
	c := &Conn{inbox: append([]byte(prefix+"."+rand.Text()[:inboxDigits]+"."), make([]byte, tokenDigits)...)}
	login := func() error { return c.logIn(ctx, cfg) }
	if err := c.Open(ctx, cfg.Dial, "tcp", cfg.Address, nil, login); err != nil {
		return nil, cannotConnect(ctx, cfg, err)
	}

	return c, nil
}

func (c *Conn) begin(timeout time.Duration) *Error {
	if c.Failed != nil {
		return Errorf(KindConnection, "an earlier error broke the connection: %s", c.Failed)
	}
	if err := c.Begin(timeout); err != nil {
		return c.fail(c.broken(err))
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
	c.Fail(e)

	return e
}
