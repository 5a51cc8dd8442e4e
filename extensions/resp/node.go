package resp

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
	"github.com/xk6-sweep/xk6-sweep/extensions/resp/wire"
)

// node is a client's connection to one server.
//
// What each operation needs comes first, side by side, and without the client between: of hundreds
// of clients in turn, each step from one object to the next waits for memory.
type node struct {
	counts *k6mod.Instruments // the module's
	seat   *eventloop.Seat    // the client's
	conn   *wire.Conn
	mu     sync.Mutex // of conn: the VU's end, and that of its context, come from other goroutines

	moved                  wire.Traffic
	toldSent, toldReceived uint64

	client *client
	server *server
	config *Config

	// others are, of a client's first node, those after it.
	others []*node
	// values is what values are read into that nobody keeps.
	values []byte
	batch  batch
}

// ready makes sure that there is a connection that the server has greeted, and returns it, at the
// seat if a run is under way.
func (n *node) ready() (*wire.Conn, error) {
	n.seat.Begin()
	conn := n.live()
	if conn == nil {
		var err error
		if conn, err = n.connect(); err != nil {
			return nil, err
		}
	}
	conn.Use(n.seat)

	return conn, nil
}

// live returns the connection if it can be used.
func (n *node) live() *wire.Conn {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.conn == nil || n.conn.Broken() {
		return nil
	}

	return n.conn
}

func (n *node) connect() (*wire.Conn, error) {
	n.watchEvictions()
	ctx, config := n.client.VU().Context(), n.wireConfig(n.dialer())
	var conn *wire.Conn
	var err error
	n.seat.Away(func() { conn, err = wire.Dial(ctx, config) })
	if err != nil {
		err = n.failed(err)
	}
	n.counts.Count("connect", err)
	if err != nil {
		return nil, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.conn != nil {
		n.conn.Close()
	}
	n.conn = conn
	n.client.Closing().Add(n.client, n.client.disconnect)
	if ctx.Err() != nil { // who interrupts has not seen this one
		conn.Interrupt()
	}

	return conn, nil
}

// dialFunc opens a connection of the network.
type dialFunc = func(ctx context.Context, network, address string) (net.Conn, error)

// dialer is k6's own.
func (n *node) dialer() dialFunc { return k6glue.Dial(n.client.VU()) }

// wireConfig is how to reach the server with a dialer, or with Go's where that takes no paths.
func (n *node) wireConfig(dial dialFunc) *wire.Config {
	s := n.server
	if s.Network == "unix" {
		dial = new(net.Dialer).DialContext
	}
	var secure *tls.Config
	if s.TLS {
		secure = n.config.TLS.Config(n.client.VU(), s.Address, tls.VersionTLS12)
	}

	return &wire.Config{
		Network: s.Network, Address: s.Address, User: s.User, Password: s.Password, DB: s.DB, TLS: secure,
		Timeout: n.config.Timeout, ConnectTimeout: n.config.ConnectTimeout, Dial: dial, Traffic: &n.moved,
	}
}

// do does a job on the connection. Its errors are the module's.
func (n *node) do(job func(*wire.Conn) error) error {
	conn, err := n.ready()
	if err != nil {
		return err
	}
	err = job(conn)
	if conn.Broken() {
		conn.Close()
	}
	if err != nil {
		return n.failed(err)
	}

	return nil
}

// failed is why an operation has failed.
func (n *node) failed(err error) error {
	if n.client.VU().Context().Err() != nil {
		return k6mod.TestEnded()
	}

	return final(err)
}

// final makes an error after which nothing can succeed one that ends a run.
func final(err error) error {
	if said, is := errors.AsType[*wire.Error](err); is && said.Kind == wire.KindUsage {
		return unusable{said}
	}

	return err
}

// interrupt ends what is under way, whatever the server does. Any goroutine may call it.
func (n *node) interrupt() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.conn != nil {
		n.conn.Interrupt()
	}
}

// close closes the connection. Any goroutine may call it.
func (n *node) close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.conn != nil {
		n.conn.Close()
	}
	n.conn = nil
}

// Traffic implements cachebench.Cache: the bytes are those of all servers.
func (n *node) Traffic() (received, sent uint64) {
	received, sent = n.traffic()
	for _, other := range n.others {
		r, s := other.traffic()
		received, sent = received+r, sent+s
	}
	n.counts.Traffic(received, sent)

	return received, sent
}

// traffic returns the bytes received and sent since it was last asked.
func (n *node) traffic() (received, sent uint64) {
	received, sent = n.moved.Received.Load()-n.toldReceived, n.moved.Sent.Load()-n.toldSent
	n.toldReceived += received
	n.toldSent += sent

	return received, sent
}
