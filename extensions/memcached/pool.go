package memcached

import (
	"context"
	"sync"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
	"github.com/xk6-sweep/xk6-sweep/extensions/memcached/wire"
)

// pools are the connections that the clients of all VUs share.
type pools = k6glue.Shared[poolKey, *pool]

// poolKey holds the settings that must be equal for clients to share connections.
type poolKey struct {
	server                  string
	protocol                wire.Protocol
	user, password          string
	useTLS                  bool
	tls                     k6glue.TLSOptions
	timeout, connectTimeout time.Duration
	maxValue, size          int
}

func (c *Config) poolKey(server int) poolKey {
	key := poolKey{
		server: c.Servers[server], protocol: c.Protocol, user: c.User, password: c.Password,
		timeout: c.Timeout, connectTimeout: c.ConnectTimeout, maxValue: c.MaxValue, size: c.PoolSize,
	}
	if c.TLS != nil {
		key.useTLS, key.tls = true, c.TLS.Options()
	}

	return key
}

type pool struct {
	slots chan struct{} // one for each connection in use

	mu     sync.Mutex
	idle   []*wire.Conn
	closed bool
}

func newPool(size int) *pool { return &pool{slots: make(chan struct{}, size)} }

// close closes the idle connections now, the others when they are given back.
func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, conn := range p.idle {
		conn.Close()
	}
	p.idle = nil
}

// take returns an idle connection, or nil if the caller may open one. It waits until fewer
// connections than the pool's size are in use.
func (p *pool) take(ctx context.Context, timeout time.Duration) (*wire.Conn, error) {
	select {
	case p.slots <- struct{}{}:
	default:
		timer := time.NewTimer(timeout)
		defer timer.Stop()
		select {
		case p.slots <- struct{}{}:
		case <-ctx.Done():
			return nil, k6mod.TestEnded()
		case <-timer.C:
			return nil, wire.Errorf(wire.KindTimeout, "none of the %d connections of the shared pool was free within timeout (%s)",
				cap(p.slots), timeout)
		}
	}

	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.idle) > 0 {
		conn := p.idle[len(p.idle)-1]
		p.idle = p.idle[:len(p.idle)-1]
		if !conn.Broken() {
			return conn, nil
		}
		conn.Close()
	}

	return nil, nil //nolint:nilnil // as documented
}

// give takes a connection back; nil if none could be opened.
func (p *pool) give(conn *wire.Conn) {
	p.mu.Lock()
	switch {
	case conn == nil:
	case conn.Broken() || p.closed:
		conn.Close()
	default:
		p.idle = append(p.idle, conn)
	}
	p.mu.Unlock()
	<-p.slots
}
