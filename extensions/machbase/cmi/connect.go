package cmi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/netutil"
)

// DefaultFetchRows is the default of Config.FetchRows.
const DefaultFetchRows = 1000

// Config describes a server, and how to use it.
type Config struct {
	// Addresses are host:port of one server, or of several with the same data. The first one that
	// answers is used.
	Addresses []string
	// User is sent in upper case, as the server stores it.
	User     string
	Password string
	// QueryTimeout is the server's limit for a query, in whole seconds; 0: none. The error then has
	// kind cancelled.
	QueryTimeout time.Duration
	// StatementCache defaults to CacheOff.
	StatementCache CacheMode
	// FetchRows is the maximum number of rows in one answer; 0: DefaultFetchRows.
	FetchRows int64
	// Dial opens a connection. Default: a net.Dialer.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

func (c Config) withDefaults() *Config {
	if c.StatementCache == "" {
		c.StatementCache = CacheOff
	}
	if c.FetchRows == 0 {
		c.FetchRows = DefaultFetchRows
	}
	if c.Dial == nil {
		c.Dial = new(net.Dialer).DialContext
	}

	return &c
}

// Connect connects to the first address that answers, and logs in. Each address gets a share of the
// time until the context's deadline; without a deadline, a silent server blocks. Errors are of kind
// connect, of kind busy if every server is at its session limit, of kind auth or another error of
// the server, for which no other address is tried, or the context's.
func Connect(ctx context.Context, config Config) (*Conn, error) {
	cfg := config.withDefaults()
	var failures []string
	kind := KindBusy
	for i, address := range cfg.Addresses {
		c, err := connectInTime(ctx, cfg, address, len(cfg.Addresses)-i)
		if err == nil {
			return c, nil
		}
		if ctx.Err() != nil || !isUnreachable(err) {
			return nil, err
		}
		failures = append(failures, err.Error())
		if !errors.Is(err, errFull) {
			kind = KindConnect
		}
	}

	return nil, NewError(kind, "%s", strings.Join(failures, "; "))
}

func isUnreachable(err error) bool {
	var known *Error
	if errors.Is(err, errFull) {
		return true
	}
	if !errors.As(err, &known) {
		return false
	}

	switch known.Kind {
	case KindConnect, KindConnection, KindProtocol, KindTimeout:
		return true
	default:
		return false
	}
}

var errFull = errors.New("the server resets each connection: it has no free session (it takes 4,096 at most)")

func isReset(err error) bool {
	known, is := errors.AsType[*Error](err)

	return is && known.reset
}

func connectInTime(ctx context.Context, cfg *Config, address string, left int) (*Conn, error) {
	if deadline, ok := ctx.Deadline(); ok && left > 1 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)/time.Duration(left))
		defer cancel()
	}

	c, err := connect(ctx, cfg, address)
	if !isReset(err) {
		return c, err
	}
	if c, err = connect(ctx, cfg, address); isReset(err) {
		return nil, fmt.Errorf("cannot connect to %s: %w", address, errFull)
	}

	return c, err
}

func connect(ctx context.Context, cfg *Config, address string) (*Conn, error) {
	dialled, err := cfg.Dial(ctx, "tcp", address)
	if err != nil {
		return nil, dialError(ctx, address, err)
	}
	c := &Conn{
		config: cfg, address: address, socket: eventloop.NewConn(dialled), cache: newCache(cfg.StatementCache),
		acknowledge: acknowledger(dialled),
	}
	c.calls = clock.NewWatch(func(c *Conn, _ clock.Outcome) { c.Interrupt() })
	c.atSeat = c.sendAndReceive
	c.onGoroutine = c.atSeat
	c.Use(nil)
	c.in.from, c.in.most = incoming{c}, maxMessage
	if err := c.enter(ctx); err != nil {
		c.Interrupt()

		return nil, err
	}
	defer c.leave()
	if err := c.logIn(ctx); err != nil {
		c.Interrupt()

		return nil, err
	}
	if err := c.setQueryTimeout(ctx); err != nil {
		c.Interrupt()

		return nil, err
	}
	if exchange := exchanger(dialled); exchange != nil {
		c.onGoroutine = exchange
		c.Use(nil)
	}

	return c, nil
}

func dialError(ctx context.Context, address string, err error) error {
	if ended := contextError(ctx, ": cannot connect to "+address); ended != nil {
		return ended
	}
	text := cause(err)
	var lookup *net.DNSError
	switch {
	case netutil.IsConnRefused(err):
		text = "connection refused; is a Machbase server running there?"
	case errors.As(err, &lookup) && lookup.IsNotFound:
		text = "there is no such host"
	case errors.Is(err, os.ErrDeadlineExceeded):
		text = "no answer in time"
	}

	return NewError(KindConnect, "cannot connect to %s: %s", address, text)
}

func (c *Conn) logIn(ctx context.Context) error {
	if err := c.sayHello(); err != nil {
		return c.failure(ctx, err)
	}
	c.out.begin(msgConnect, 0, 0)
	c.out.uint64(unitVersion, uint64(protocolVersion))
	c.out.text(unitClient, "XK6")
	c.out.text(unitDatabase, "data")
	c.out.text(unitUser, strings.ToUpper(c.config.User))
	c.out.text(unitPassword, c.config.Password)
	c.out.uint64(unitTimeout, uint64(c.config.QueryTimeout/time.Second))
	c.out.uint32(unitHidden, 0)
	c.out.text(unitAddress, "127.0.0.1")
	c.out.end()
	body, err := c.ask(ctx, msgConnect, 0)
	if err != nil {
		return err
	}

	return c.welcomed(ctx, body)
}

func (c *Conn) sayHello() error {
	if err := c.write([]byte(hello)); err != nil {
		return err
	}
	var answer [len(ready)]byte
	if _, err := io.ReadFull(c.in.from, answer[:]); err != nil {
		return err
	}
	if string(answer[:]) != ready {
		return NewError(KindProtocol, "%s answers %q, not %q: it is not a Machbase server, the port is not for the native protocol, "+
			"or its protocol version differs from this client's (CMI %s)", c.address, answer, ready, protocolVersion)
	}

	return nil
}

// A different protocol version takes precedence over other errors.
func (c *Conn) welcomed(ctx context.Context, body []byte) error {
	wantsKey := false
	for units := body; len(units) > 0; {
		u, rest, err := nextUnit(units)
		if err != nil {
			return c.failure(ctx, err)
		}
		units = rest
		switch u.id {
		case unitVersion:
			c.protocol = protocol(u.number)
		case unitEndian:
			c.bigEndian = u.number != 0
		case unitNonce:
			wantsKey = true
		}
	}
	if c.protocol.isForeign() {
		return c.failure(ctx, NewError(KindProtocol, "%s has an unsupported protocol", c.address))
	}
	if _, _, err := readResult(body); err != nil {
		return c.failure(ctx, err)
	}
	if wantsKey {
		return c.failure(ctx, NewError(KindAuth, "%s requires %s to log in with a key, but this client supports only passwords",
			c.address, c.config.User))
	}

	return nil
}

// The server ignores the limit in the login.
func (c *Conn) setQueryTimeout(ctx context.Context) error {
	if c.config.QueryTimeout == 0 {
		return nil
	}
	s := &Stmt{conn: c, text: fmt.Sprintf("alter session set query_timeout = %d", c.config.QueryTimeout/time.Second)}
	rows, err := s.direct(ctx)
	if err != nil {
		return err
	}

	return rows.Close()
}
