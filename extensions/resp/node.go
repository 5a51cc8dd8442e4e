package resp

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
	"sync/atomic"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
	"github.com/xk6-sweep/xk6-sweep/extensions/resp/wire"
)

// node is a client's connection to one server.
type node struct {
	client *client
	server *server
	config *Config

	sent, received         atomic.Uint64
	toldSent, toldReceived uint64

	mu    sync.Mutex // the VU's end, and that of its context, come from other goroutines
	conn  *conn
	next  *conn // for go-redis to take
	redis *redis.Client
}

// ready makes sure that there is a connection that the server has greeted, and returns the client
// to use it with. It connects by itself, so that go-redis neither tries again nor writes to the log
// when it cannot.
func (n *node) ready() (*redis.Client, error) {
	if client := n.live(); client != nil {
		return client, nil
	}
	ctx, cancel := context.WithTimeout(n.client.VU().Context(), n.config.ConnectTimeout)
	defer cancel()
	n.watchEvictions()
	var err error
	n.client.seat.Away(func() { _, err = n.connect(ctx) })
	n.client.Count("connect", err)
	if err != nil {
		return nil, err
	}
	if client := n.live(); client != nil {
		return client, nil
	}

	return nil, n.failed(errBroken)
}

// errBroken is why there is no connection any more.
var errBroken error = k6mod.Errorf(k6mod.KindConnection, "the connection broke")

func (n *node) connect(ctx context.Context) (*redis.Client, error) {
	made, err := n.dial(ctx)
	if err != nil {
		return nil, err
	}
	client := n.use(made)
	if err := client.Ping(ctx).Err(); err != nil { // after the login, which go-redis does first
		err = n.failed(err)
		n.close()

		return nil, err
	}

	return client, nil
}

// use makes a connection the one that go-redis uses.
func (n *node) use(made *conn) *redis.Client {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.redis != nil {
		_ = n.redis.Close() // it would use the connection that broke
	}
	n.conn, n.next, n.redis = made, made, n.newClient()
	n.client.Closing().Add(n.client, n.client.disconnect)

	return n.redis
}

// live returns the client if its connection can be used, at the seat if a run is under way.
func (n *node) live() *redis.Client {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.conn == nil || n.conn.closed.Load() {
		return nil
	}
	n.conn.socket.Use(n.client.seat)

	return n.redis
}

// bufferSize is that of each of the two buffers of a connection, in bytes. go-redis's own default
// is twice as much, which was a fifth of what a client keeps.
const bufferSize = 16 << 10

func (n *node) newClient() *redis.Client {
	return redis.NewClient(&redis.Options{
		Addr: n.server.Address, Network: n.server.Network, Username: n.server.User, Password: n.server.Password, DB: n.server.DB,
		Protocol: 2, Dialer: n.take, DialerRetries: 1, MaxRetries: -1, // as it comes: what fails is counted
		ReadTimeout: n.config.Timeout, WriteTimeout: n.config.Timeout, PoolTimeout: n.config.Timeout,
		ConnMaxIdleTime: -1, DisableIdentity: true, ReadBufferSize: bufferSize, WriteBufferSize: bufferSize,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
}

// take hands the connection that ready has made to go-redis, whose own attempts come to nothing.
func (n *node) take(context.Context, string, string) (net.Conn, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.next == nil {
		return nil, errBroken
	}
	made := n.next
	n.next = nil

	return made, nil
}

// dial connects the client.
func (n *node) dial(ctx context.Context) (*conn, error) {
	made, err := n.open(ctx, n.dialer(k6glue.Dial(n.client.VU())), n.secure())
	if err != nil {
		return nil, n.cannotConnect(ctx, err)
	}

	return made, nil
}

// dialFunc opens a connection of the network.
type dialFunc = func(ctx context.Context, network, address string) (net.Conn, error)

// dialer is k6's own dialer, or Go's: k6's takes no paths.
func (n *node) dialer(k6s dialFunc) dialFunc {
	if n.server.Network == "unix" {
		return new(net.Dialer).DialContext
	}

	return k6s
}

// secure is how TLS is spoken with the server: nil where it is not.
func (n *node) secure() *tls.Config {
	if !n.server.TLS {
		return nil
	}

	return n.config.TLS.Config(n.client.VU(), n.server.Address, tls.VersionTLS12)
}

// open connects, and does the handshake of TLS. Any goroutine may call it.
func (n *node) open(ctx context.Context, dial dialFunc, secure *tls.Config) (*conn, error) {
	raw, err := dial(ctx, n.server.Network, n.server.Address)
	if err != nil {
		return nil, err
	}
	socket := eventloop.NewConn(raw)
	if secure == nil {
		return &conn{Conn: socket, socket: socket, node: n, replies: &wire.Bounds{}}, nil
	}
	encrypted := tls.Client(&conn{Conn: socket, node: n}, secure)
	if err := encrypted.HandshakeContext(ctx); err != nil {
		_ = socket.Close() // there is nothing to lose

		return nil, err
	}

	return &conn{Conn: encrypted, socket: socket, replies: &wire.Bounds{}}, nil
}

// cannotConnect explains in one line why there is no connection.
func (n *node) cannotConnect(ctx context.Context, err error) error {
	why := describe(err)
	switch {
	case n.client.VU().Context().Err() != nil:
		return k6mod.Errorf(k6mod.KindCancelled, "the test ended before the connection was made")
	case ctx.Err() != nil:
		why = "no answer within connectTimeout (" + n.config.ConnectTimeout.String() + ")"
	}

	return k6mod.Errorf(k6mod.KindConnect, "cannot connect to %s: %s", n.server.Address, why)
}

// interrupt ends what is under way, whatever the server does. Any goroutine may call it.
func (n *node) interrupt() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.conn != nil {
		_ = n.conn.Close() // it may be closed
	}
}

// close closes the connection. Any goroutine may call it.
func (n *node) close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.conn != nil {
		_ = n.conn.Close() // see above
	}
	if n.redis != nil {
		_ = n.redis.Close() // there is nothing to lose
	}
	n.conn, n.next, n.redis = nil, nil, nil
}

// traffic returns the bytes received and sent since it was last asked.
func (n *node) traffic() (received, sent uint64) {
	received, sent = n.received.Load()-n.toldReceived, n.sent.Load()-n.toldSent
	n.toldReceived += received
	n.toldSent += sent

	return received, sent
}
