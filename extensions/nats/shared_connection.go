package nats

import (
	"context"
	"crypto/tls"
	"sync"
)

// sharedConnection is the connection of all VUs whose clients have equal options. The zero value
// has no connection.
type sharedConnection struct {
	mu   sync.Mutex
	conn *connection
}

func (s *sharedConnection) acquire(
	ctx context.Context, cfg *Config, dial dialFunc, secure *tls.Config,
) (conn *connection, opened bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn != nil && s.conn.usable() {
		return s.conn, false, nil
	}
	if conn, err = openConnection(ctx, cfg, dial, secure); err != nil {
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
