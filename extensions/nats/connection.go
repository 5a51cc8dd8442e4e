package nats

import (
	"context"
	"crypto/tls"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	natsio "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/netutil"
)

type connection struct {
	nc *natsio.Conn
	// bare is nil if TLS or WebSockets are in between.
	bare atomic.Pointer[countedConn]

	in, out                 atomic.Uint64 // numbers of bytes
	news                    atomic.Bool
	reconnects, disconnects atomic.Int64
	mu                      sync.Mutex
	failures                []string
	denied                  *k6x.Error
	deniedAt                time.Time
	// lie is set if we closed the connection because the server announced a size above the limit.
	lie atomic.Pointer[k6x.Error]

	stop context.CancelFunc // ends a dial
	over chan struct{}
}

const maxFailures = 1000

func openConnection(ctx context.Context, cfg *Config, dial dialFunc, secure *tls.Config) (*connection, error) {
	if ctx.Err() != nil {
		return nil, k6x.TestEnded()
	}
	conn := &connection{over: make(chan struct{})}
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	conn.stop = stop
	d := &dialer{
		life: life, dial: dial, into: conn, within: cfg.timeout, reach: cfg.connectTimeout, hello: 2 * cfg.connectTimeout, tls: secure,
	}
	opts, err := conn.options(cfg, d)
	if err != nil {
		stop()

		return nil, k6x.Misuse("%s", plain(err))
	}

	opening, cancel := context.WithTimeout(ctx, cfg.connectTimeout)
	defer cancel()
	release := context.AfterFunc(opening, func() {
		stop()
		d.interrupt()
	})
	conn.nc, err = connect(opts)
	if release() && err == nil {
		return conn, nil
	}
	if err == nil {
		conn.nc.Close()
	}
	stop()
	switch {
	case ctx.Err() != nil:
		return nil, k6x.TestEnded()
	case opening.Err() != nil:
		return nil, k6x.Errorf(k6x.KindConnect, "cannot connect to %s: no answer within connectTimeout (%s)", cfg.hosts(), cfg.connectTimeout)
	default:
		return nil, d.connectError(cfg, err)
	}
}

const maxGreetings = 5

// A server that waits for about two seconds for a client's first message, on a busy machine,
// sends a ping, which nats.go takes for an invalid answer. A new connection helps.
func connect(opts *natsio.Options) (nc *natsio.Conn, err error) {
	for range maxGreetings {
		nc, err = opts.Connect()
		if err == nil || err.Error() != "nats: expected 'PONG', got 'PING'" {
			break
		}
	}

	return nc, err
}

func (d *dialer) connectError(cfg *Config, err error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if conn := d.into.bare.Load(); conn != nil && conn.last != nil {
		err = conn.last
	}
	if d.err != nil && (errors.Is(err, natsio.ErrNoServers) || errors.Is(err, d.err)) {
		reason := plain(d.err)
		if netutil.IsConnRefused(d.err) {
			reason = "connection refused; is a nats-server running there?"
		}

		return k6x.Errorf(k6x.KindConnect, "cannot connect to %s: %s", cfg.hosts(), reason)
	}
	e := scriptError(err)
	if e.Kind != k6x.KindAuth && e.Kind != k6x.KindBusy {
		e.Kind = k6x.KindConnect
	}
	e.Message = "cannot connect to " + cfg.hosts() + ": " + e.Message

	return &e
}

func (conn *connection) options(cfg *Config, d *dialer) (*natsio.Options, error) {
	o := natsio.GetDefaultOptions()
	var err error
	if o.Servers, err = d.secured(cfg); err != nil {
		return nil, err
	}
	o.Secure = d.secure && !d.socket
	o.TLSHandshakeFirst = d.first && !d.socket
	o.Name = cfg.Name
	o.User, o.Password, o.Token = cfg.User, cfg.Password, cfg.Token
	o.CustomDialer = d
	o.SkipHostLookup = true            // k6 resolves names
	o.Timeout = 2 * cfg.connectTimeout // for each step; the dialer allows half of it for all steps
	o.FlusherTimeout = 0
	o.DrainTimeout = cfg.timeout
	o.PingInterval = cfg.PingInterval.TimeDuration()
	o.AllowReconnect = cfg.MaxReconnects != 0
	o.MaxReconnect = cfg.MaxReconnects
	o.ReconnectWait = cfg.ReconnectWait.TimeDuration()
	o.ReconnectJitter = cfg.ReconnectJitter.TimeDuration()
	o.ReconnectJitterTLS = o.ReconnectJitter
	o.ReconnectBufSize = -1
	if cfg.ReconnectBuffer > 0 {
		o.ReconnectBufSize = cfg.ReconnectBuffer
	}
	o.InboxPrefix = cfg.InboxPrefix
	o.NoEcho = cfg.NoEcho
	o.NoRandomize = cfg.NoRandomize
	o.DisconnectedErrCB = func(_ *natsio.Conn, err error) {
		defer conn.contain("the count of broken connections")
		if err != nil {
			conn.disconnects.Add(1)
			conn.news.Store(true)
		}
	}
	o.ReconnectedCB = func(*natsio.Conn) {
		defer conn.contain("the count of new connections")
		conn.lie.Store(nil)
		conn.reconnects.Add(1)
		conn.news.Store(true)
	}
	o.AsyncErrorCB = func(_ *natsio.Conn, _ *natsio.Subscription, err error) {
		defer conn.contain("the count of errors")
		conn.failed(err)
	}
	o.ClosedCB = func(*natsio.Conn) {
		defer conn.contain("the end of a connection")
		close(conn.over)
	}
	if cfg.login != nil {
		err = cfg.login(&o)
	}

	return &o, err
}

// contain turns a panic in a goroutine of nats.go into a failure of the connection.
func (conn *connection) contain(what string) {
	if value := recover(); value != nil {
		conn.failed(crash.CaughtFrom(what, value))
	}
}

func (conn *connection) failed(err error) {
	conn.mu.Lock()
	defer conn.mu.Unlock()
	e := scriptError(err)
	if len(conn.failures) < maxFailures {
		conn.failures = append(conn.failures, e.Kind)
	}
	conn.news.Store(true)
	if e.Kind == k6x.KindAuth {
		conn.denied, conn.deniedAt = &e, time.Now()
	}
}

// refused returns the server's refusal of a call that began at begin and got no answer, or
// nil.
func (conn *connection) refused(begin time.Time, subject string) error {
	conn.mu.Lock()
	defer conn.mu.Unlock()
	if conn.denied == nil || conn.deniedAt.Before(begin) || !strings.Contains(conn.denied.Message, subject) {
		return nil
	}

	return conn.denied
}

// errNoJetStream is the error of JetStream calls that get no answer.
var errNoJetStream error = k6x.Errorf(k6x.KindServer, "JetStream is not enabled on the server: start nats-server with -js")

func (conn *connection) withoutJetStream(operation string, err error) error {
	if operation == opRequest || !errors.Is(err, natsio.ErrNoResponders) && !errors.Is(err, jetstream.ErrNoStreamResponse) &&
		!errors.Is(err, jetstream.ErrJetStreamNotEnabled) {
		return err
	}
	if has, _ := conn.nc.ConnectedServerJetStream(); has {
		return err
	}

	return errNoJetStream
}

// claim counts the connection's events since the last call, and returns the bytes since then.
func (conn *connection) claim(m *module) (sent, received uint64) {
	sent, received = conn.traffic()
	m.Traffic(received, sent)
	if !conn.news.Load() {
		return sent, received
	}
	conn.news.Store(false)
	if n := conn.reconnects.Swap(0); n != 0 {
		m.Add(m.reconnects, float64(n))
	}
	if n := conn.disconnects.Swap(0); n != 0 {
		m.Add(m.disconnects, float64(n))
	}
	conn.mu.Lock()
	failures := conn.failures
	conn.failures = nil
	conn.mu.Unlock()
	for _, kind := range failures {
		m.failed(kind, nil)
	}

	return sent, received
}

func (conn *connection) traffic() (sent, received uint64) { return conn.out.Swap(0), conn.in.Swap(0) }

func (conn *connection) usable() bool { return !conn.nc.IsClosed() }

func (conn *connection) close() {
	conn.stop()
	conn.nc.Close()
}

func (conn *connection) flush(ctx context.Context) error { return conn.nc.FlushWithContext(ctx) }

func (conn *connection) drain(ctx context.Context) error {
	if err := conn.nc.Drain(); err != nil {
		return err
	}
	select {
	case <-conn.over:
		conn.stop()

		return nil
	case <-ctx.Done():
		conn.close()

		return ctx.Err()
	}
}

// sharedConnection is the connection of all VUs whose clients have equal options. The zero value
// has no connection.
type sharedConnection struct {
	mu   sync.Mutex
	conn *connection
}

func (s *sharedConnection) acquire(dial func() (*connection, error)) (conn *connection, opened bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn != nil && s.conn.usable() {
		return s.conn, false, nil
	}
	if conn, err = dial(); err != nil {
		return nil, true, err
	}
	if s.conn != nil {
		s.conn.stop()
	}
	s.conn = conn

	return conn, true, nil
}

func (s *sharedConnection) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn != nil {
		s.conn.close()
		s.conn = nil
	}
}
