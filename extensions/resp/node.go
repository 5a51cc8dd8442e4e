package resp

import (
	"crypto/tls"
	"errors"
	"net"
	"sync"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/wireconn"
	"github.com/xk6-sweep/xk6-sweep/extensions/resp/wire"
)

// node is a client's connection to one server.
//
// The fields that every operation reads come first and need no pointer to the client: with hundreds
// of clients in turn, each hop between objects is a cache miss.
type node struct {
	counts *k6x.Instruments
	seat   *eventloop.Seat
	conn   *wire.Conn
	mu     sync.Mutex

	moved                  wireconn.Traffic
	toldSent, toldReceived uint64

	client *client
	server *server
}

// During a run the connection is used at the client's seat.
func (n *node) usable() (*wire.Conn, error) {
	n.mu.Lock()
	conn := n.conn
	n.mu.Unlock()
	if conn == nil || conn.Broken() {
		var err error
		if conn, err = n.connect(); err != nil {
			return nil, err
		}
	}
	conn.Use(n.seat)

	return conn, nil
}

func (n *node) connect() (*wire.Conn, error) {
	ctx, config := n.client.VU().Context(), n.wireConfig(k6x.Dial(n.client.VU()))
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
	if ctx.Err() != nil {
		conn.Interrupt()
	}

	return conn, nil
}

// Unix sockets use Go's dialer, because k6's takes no paths.
func (n *node) wireConfig(dial wireconn.Dial) *wire.Config {
	s, config := n.server, n.client.config
	if s.Network == "unix" {
		dial = new(net.Dialer).DialContext
	}
	var secure *tls.Config
	if s.TLS {
		secure = config.TLS.Config(n.client.VU(), s.Address, tls.VersionTLS12)
	}

	return &wire.Config{
		Network: s.Network, Address: s.Address, User: s.User, Password: s.Password, DB: s.DB, TLS: secure, RESP3: config.RESP3,
		Timeout: config.Timeout, ConnectTimeout: config.ConnectTimeout, Dial: dial, Traffic: &n.moved,
	}
}

func (n *node) do(job func(*wire.Conn) error) error {
	n.seat.Begin()
	conn, err := n.usable()
	if err != nil {
		return err
	}

	return n.after(conn, job(conn))
}

func (n *node) after(conn *wire.Conn, err error) error {
	if conn.Broken() {
		conn.Close()
	}
	if err != nil {
		return n.failed(err)
	}

	return nil
}

func (n *node) failed(err error) error {
	if n.client.VU().Context().Err() != nil {
		return k6x.TestEnded()
	}

	return final(err)
}

func final(err error) error {
	if said, is := errors.AsType[*wire.Error](err); is && said.Kind == wire.KindUsage {
		return unusable{said}
	}

	return err
}

// Any goroutine may call it.
func (n *node) interrupt() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.conn != nil {
		n.conn.Interrupt()
	}
}

// Any goroutine may call it.
func (n *node) close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.conn != nil {
		n.conn.Close()
	}
	n.conn = nil
}

func (n *node) traffic() (received, sent uint64) {
	received, sent = n.moved.Received.Load()-n.toldReceived, n.moved.Sent.Load()-n.toldSent
	n.toldReceived += received
	n.toldSent += sent

	return received, sent
}
