package memcached

import (
	"context"
	"crypto/tls"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/memcached/wire"
)

type lease struct {
	*wire.Conn

	server int
	pool   *pool // nil: the client's own connection
}

// The caller must release it.
func (c *client) acquire(server int) (lease, error) {
	ctx := c.context()
	if ctx.Err() != nil {
		return lease{}, k6x.TestEnded()
	}
	c.seat.Begin()
	l := lease{server: server}
	var err error
	if c.config.Shared {
		l.pool = c.join(server)
		if l.Conn, err = l.pool.take(ctx, c.config.Timeout); err != nil {
			return lease{}, err
		}
	} else {
		l.Conn = c.own(server)
	}
	if l.Conn == nil {
		if l.Conn, err = c.dial(ctx, server); err != nil {
			if l.pool != nil {
				l.pool.give(nil)
			}

			return lease{}, err
		}
	}
	l.Use(c.seat)
	c.watch.Begin(ctx, l.Conn, time.Time{}, 0)

	return l, nil
}

func (c *client) own(server int) *wire.Conn {
	c.mu.Lock()
	defer c.mu.Unlock()
	conn := c.conns[server]
	if conn != nil && conn.Broken() {
		conn.Close()
		conn, c.conns[server] = nil, nil
	}

	return conn
}

func (c *client) join(server int) *pool {
	c.mu.Lock()
	p := c.pools[server]
	joined := p == nil
	if joined {
		p, _ = c.shared.pools.Join(c.config.poolKey(server), func() (*pool, error) { return newPool(c.config.PoolSize), nil })
		c.pools[server] = p
	}
	c.mu.Unlock()
	if joined {
		c.Closing().Add(c, c.disconnect)
	}

	return p
}

func (c *client) dial(ctx context.Context, server int) (*wire.Conn, error) {
	cfg := wire.Config{
		Address: c.config.Servers[server], Protocol: c.config.Protocol, User: c.config.User, Password: c.config.Password,
		Timeout: c.config.Timeout, ConnectTimeout: c.config.ConnectTimeout, MaxValue: c.config.MaxValue, Greet: c.greets,
	}
	if cfg.Network() == "tcp" { // k6's dialer takes no paths
		cfg.Dial = k6x.Dial(c.VU())
	}
	if c.config.TLS != nil {
		cfg.TLS = c.config.TLS.Config(c.VU(), cfg.Address, tls.VersionTLS12)
	}

	var conn *wire.Conn
	var err error
	begin := clock.Now()
	c.seat.Away(func() { conn, err = wire.Dial(ctx, &cfg) })
	took := clock.Since(begin)
	if err == nil {
		c.account(conn, traffic{})
		if !c.config.Shared {
			c.mu.Lock()
			c.conns[server] = conn
			c.mu.Unlock()
			c.Closing().Add(c, c.disconnect)
		}
	}
	if c.effects != nil {
		c.effects.dialling += took
		c.effects.dials = append(c.effects.dials, dialled{err, took})

		return conn, err
	}
	c.dialling += took
	c.Count(opConnect, err)
	c.EmitDuration(opConnect, err, took)

	return conn, err
}

func (c *client) context() context.Context {
	if c.effects != nil {
		return c.effects.ctx
	}

	return c.VU().Context()
}

func (c *client) release(l lease) {
	c.watch.End()
	if l.pool != nil {
		l.pool.give(l.Conn)

		return
	}
	if !l.Broken() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	l.Close()
	if c.conns[l.server] == l.Conn {
		c.conns[l.server] = nil
	}
}

// Any goroutine may call it.
func (c *client) disconnect() {
	c.watch.Interrupt()
	c.watch.Stop()
	c.mu.Lock()
	for i, conn := range c.conns {
		if conn != nil {
			conn.Close()
		}
		c.conns[i] = nil
	}
	left := c.pools
	c.pools = make([]*pool, len(left))
	c.mu.Unlock()
	for server, p := range left {
		if p != nil {
			c.shared.pools.Leave(c.config.poolKey(server), (*pool).close)
		}
	}
	c.Closing().Remove(c)
}

type traffic struct {
	received, sent uint64
}

func trafficOf(conn *wire.Conn) traffic {
	received, sent := conn.Traffic()

	return traffic{received, sent}
}
