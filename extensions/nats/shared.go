package nats

import (
	"context"
	"crypto/tls"
	"fmt"
	"sync"
)

// connections are those that clients of all VUs share, by what the clients were made with.
type connections struct {
	mu    sync.Mutex
	known map[string]*sharedConnection
}

// sharedConnection is one for all VUs whose clients have equal options.
type sharedConnection struct {
	key   string
	users int // under the lock of connections

	mu   sync.Mutex
	conn *connection
}

// join returns the shared connection for a client's configuration, which need not be open. The last to leave closes it.
func (all *connections) join(cfg *Config) *sharedConnection {
	o := cfg.options
	tlsGiven := tlsOptions{}
	if o.TLS != nil {
		tlsGiven = *o.TLS
	}
	o.TLS, o.MaxReconnects, o.Servers = nil, nil, nil
	key := fmt.Sprintf("%#v %#v %t %q %d", o, tlsGiven, cfg.TLS != nil, cfg.Servers, cfg.Reconnects)
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.known == nil {
		all.known = map[string]*sharedConnection{}
	}
	s := all.known[key]
	if s == nil {
		s = &sharedConnection{key: key}
		all.known[key] = s
	}
	s.users++

	return s
}

func (all *connections) leave(s *sharedConnection) {
	all.mu.Lock()
	s.users--
	last := s.users == 0
	if last {
		delete(all.known, s.key)
	}
	all.mu.Unlock()
	if !last {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn != nil {
		s.conn.close()
		s.conn = nil
	}
}

// acquire returns the connection, which the first to come opens.
func (s *sharedConnection) acquire(ctx context.Context, cfg *Config, dial dialFunc, base *tls.Config) (*connection, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn != nil && s.conn.usable() {
		return s.conn, false, nil
	}
	conn, err := openConnection(ctx, cfg, dial, base)
	if err != nil {
		return nil, true, err
	}
	if s.conn != nil {
		s.conn.stop()
	}
	s.conn = conn

	return conn, true, nil
}
