package memcached

import (
	"context"
	"sync"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/memcached/wire"
)

type pools = k6x.Shared[poolKey, *pool]

type poolKey struct {
	server string
	settings
	useTLS bool
	tls    k6x.TLSOptions
}

func (c *Config) poolKey(server int) poolKey {
	key := poolKey{server: c.Servers[server], settings: c.settings}
	if c.TLS != nil {
		key.useTLS, key.tls = true, c.TLS.Options()
	}

	return key
}

type pool struct {
	slots chan struct{}

	mu     sync.Mutex
	idle   []*wire.Conn
	closed bool
}

func newPool(size int) *pool { return &pool{slots: make(chan struct{}, size)} }

func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, conn := range p.idle {
		conn.Close()
	}
	p.idle = nil
}

func (p *pool) take(ctx context.Context, timeout time.Duration) (*wire.Conn, error) {
	select {
	case p.slots <- struct{}{}:
	default:
		timer := time.NewTimer(timeout)
		defer timer.Stop()
		select {
		case p.slots <- struct{}{}:
		case <-ctx.Done():
			return nil, k6x.TestEnded()
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
