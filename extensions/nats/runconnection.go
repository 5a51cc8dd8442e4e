package nats

import (
	"context"
	"crypto/tls"
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	natsio "github.com/nats-io/nats.go"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/nats/wire"
)

// runConnection is the connection of a client's runs in Go. It closes with the client.
type runConnection struct {
	client *client
	seat   *eventloop.Seat
	watch  *clock.Watch[*wire.Conn]
	// ctx is the VU's context during a run. A copy here avoids cache misses on the way to the VU,
	// with hundreds of clients.
	ctx     context.Context //nolint:containedctx // used during a run
	servers []string
	next    int

	// mu guards conn: promises, and the end of the VU, run in other goroutines.
	mu             sync.Mutex
	conn           *wire.Conn
	received, sent uint64
	used           time.Duration
	// broke means that no connection was made since the last one broke.
	broke bool
}

// runs returns nil if runs use nats.go's connection: with connection: 'shared', and through
// WebSockets. Any goroutine may call it.
func (c *client) runs() *runConnection {
	if c.config.Connection == k6x.ConnectionShared || c.config.socket() {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running == nil {
		c.running = &runConnection{
			client: c, seat: c.shared.bench.Seat(), servers: slices.Clone(c.config.Servers),
			watch: clock.NewWatch(func(conn *wire.Conn, _ clock.Outcome) { conn.Interrupt() }),
		}
		if !c.config.NoRandomize {
			rand.Shuffle(len(c.running.servers), func(i, j int) {
				c.running.servers[i], c.running.servers[j] = c.running.servers[j], c.running.servers[i]
			})
		}
	}

	return c.running
}

// operate returns the bytes of the operation, without connecting.
func (rc *runConnection) operate(r *record, timeout time.Duration, job func(*wire.Conn) error) (sent, received uint64, err error) {
	c := rc.client
	rc.seat.Begin()
	conn := rc.live()
	if conn == nil {
		if conn, err = rc.acquire(rc.ctx); err != nil {
			return 0, 0, err
		}
	}
	err = rc.guarded(conn, job)
	sent, received = rc.release(conn)
	c.Traffic(received, sent)
	r.err = explain(rc.ctx, timeout, err)
	c.count(r)

	return sent, received, r.err
}

func (rc *runConnection) guarded(conn *wire.Conn, job func(*wire.Conn) error) (err error) {
	conn.Use(rc.seat)
	rc.watch.Begin(rc.ctx, conn, time.Time{}, 0)
	defer rc.watch.End()
	defer crash.Catch(&err)

	return job(conn)
}

func (rc *runConnection) acquire(ctx context.Context) (*wire.Conn, error) {
	var recorded [1]record
	opened := recorded[:0]
	conn, err := rc.open(ctx, rc.seat.Away, &opened)
	for i := range opened {
		rc.client.note(&opened[i], nil)
	}
	if err == nil && rc.broke {
		rc.broke = false
		rc.client.Add(rc.client.reconnects, 1)
	}

	return conn, err
}

// live returns the connection, or nil if there is none that works.
func (rc *runConnection) live() *wire.Conn {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	if rc.conn == nil || rc.conn.Broken() {
		return nil
	}

	return rc.conn
}

func (rc *runConnection) connect(ctx context.Context, recorded *[]record) error {
	_, err := rc.open(ctx, func(dial func()) { dial() }, recorded)

	return err
}

// open returns the connection, or a new one. away runs the dial outside of the event loop.
func (rc *runConnection) open(ctx context.Context, away func(func()), recorded *[]record) (*wire.Conn, error) {
	c, conn := rc.client, rc.live()
	switch {
	case conn != nil:
		return conn, nil
	case ctx.Err() != nil:
		return nil, k6x.TestEnded()
	case c.VU().State() == nil:
		return nil, k6x.ErrInit
	}
	var err error
	begin := clock.Now()
	away(func() { conn, err = rc.dial(ctx) })
	r := record{operation: opConnect, err: err, took: clock.Since(begin)}
	if err == nil {
		r.bytesIn, r.bytesOut = conn.Traffic()
	}
	*recorded = append(*recorded, r)
	if err != nil {
		return nil, err
	}
	defer c.Closing().Add(c, c.disconnect)

	return rc.keep(conn), nil
}

// keep stores a new connection and returns the one in use. This is another one if a promise has
// connected first.
func (rc *runConnection) keep(conn *wire.Conn) *wire.Conn {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	if rc.conn != nil {
		if !rc.conn.Broken() {
			conn.Close()

			return rc.conn
		}
		rc.conn.Close()
	}
	rc.conn, rc.used = conn, clock.Now()
	rc.received, rc.sent = conn.Traffic()

	return conn
}

func (rc *runConnection) dial(ctx context.Context) (conn *wire.Conn, err error) {
	rc.mu.Lock()
	first := rc.next
	rc.mu.Unlock()
	within, cancel := context.WithTimeout(ctx, rc.client.config.connectTimeout)
	defer cancel()
	for i := range rc.servers {
		at := (first + i) % len(rc.servers)
		cfg, err := rc.config(rc.servers[at])
		if err != nil {
			return nil, k6x.Misuse("%s", plain(err))
		}
		conn, err = wire.Dial(within, cfg)
		switch {
		case err == nil:
			rc.mu.Lock()
			rc.next = at
			rc.mu.Unlock()

			return conn, nil
		case ctx.Err() != nil:
			return nil, k6x.TestEnded()
		case i == len(rc.servers)-1 || within.Err() != nil:
			return nil, err
		}
	}

	return nil, err
}

func (rc *runConnection) config(server string) (*wire.Config, error) {
	c, o := rc.client.config, natsio.GetDefaultOptions()
	u, err := url.Parse(server)
	if err != nil {
		return nil, errURL
	}
	o.User, o.Password, o.Token = c.User, c.Password, c.Token
	if c.login != nil {
		if err := c.login(&o); err != nil {
			return nil, err
		}
	}
	cfg := &wire.Config{
		Address: u.Host, TLS: c.secrets.Config(rc.client.VU(), "", tls.VersionTLS12),
		Secure: c.TLS != nil || u.Scheme == "tls", First: c.TLS != nil && c.TLS.First,
		Name: c.Name, User: o.User, Password: o.Password, Token: o.Token, NKey: o.Nkey, JWT: o.UserJWT, Sign: o.SignatureCB,
		InboxPrefix: c.InboxPrefix, NoEcho: c.NoEcho, ConnectTimeout: c.connectTimeout, Dial: k6x.Dial(rc.client.VU()),
	}
	cfg.TLS.InsecureSkipVerify = cfg.TLS.InsecureSkipVerify || c.Unsafe
	if u.User != nil { // as in nats.go
		cfg.User, cfg.Password, cfg.Token, cfg.NKey = u.User.Username(), "", "", ""
		var given bool
		if cfg.Password, given = u.User.Password(); !given {
			cfg.User, cfg.Token = "", cfg.User
		}
	}

	return cfg, nil
}

func (rc *runConnection) release(conn *wire.Conn) (sent, received uint64) {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	if rc.conn != conn {
		return 0, 0
	}
	in, out := conn.Traffic()
	received, sent = in-rc.received, out-rc.sent
	rc.received, rc.sent = in, out
	if conn.Broken() {
		conn.Close()
		rc.conn, rc.broke = nil, true
		rc.client.Add(rc.client.disconnects, 1)
	}

	return sent, received
}

// idleCheck is how long a connection may rest before a run checks it: the server pings too, and
// drops clients that do not answer.
const idleCheck = time.Second

// A connection that broke since the last run is replaced, and costs the run no operation.
func (rc *runConnection) begin() {
	rc.ctx = rc.client.VU().Context()
	rc.mu.Lock()
	conn, idle := rc.conn, clock.Since(rc.used)
	rc.mu.Unlock()
	if conn == nil || idle < idleCheck {
		return
	}
	_ = rc.guarded(conn, func(conn *wire.Conn) error { return conn.Check(rc.client.config.connectTimeout) })
	sent, received := rc.release(conn)
	rc.client.Traffic(received, sent)
}

func (rc *runConnection) end() {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	rc.used, rc.ctx = clock.Now(), nil
}

// Any goroutine may call it.
func (rc *runConnection) close() {
	rc.watch.Interrupt()
	rc.watch.Stop()
	rc.mu.Lock()
	defer rc.mu.Unlock()
	if rc.conn != nil {
		rc.conn.Close()
		rc.conn = nil
	}
}

func (c *Config) socket() bool {
	return slices.ContainsFunc(c.Servers, func(server string) bool { return strings.HasPrefix(server, "ws") })
}

func encoded(h natsio.Header) (said []byte) {
	if len(h) == 0 {
		return nil // an iterator would be allocated
	}
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, value := range h[name] {
			said = wire.EncodeHeader(said, name, value)
		}
	}

	return said
}
