package resp

import (
	"context"
	"errors"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/evictions"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/resp/wire"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/events"
)

// watchEvictions starts to count the keys that the server evicts during the current step, before
// the client connects to the server.
func (n *node) watchEvictions() {
	session := n.client.Session()
	if session == nil || session.Client.Started() {
		return
	}
	vu := n.client.VU()
	config := n.wireConfig(k6glue.DialBeside(vu))
	config.Timeout, config.ConnectTimeout = events.EvictionsEvery, events.EvictionsEvery
	config.Traffic = nil
	watched, logger := &n.client.shared.watched, vu.State().Logger
	watched.Watch(session.Client.Step(), n.server.Address, logger, func(ctx context.Context) (evictions.Server, error) {
		conn, err := wire.Dial(ctx, config)
		if err != nil {
			return nil, err
		}

		return &statistics{conn}, nil
	})
}

// statistics reads a server's statistics over its own connection.
type statistics struct{ conn *wire.Conn }

// Read implements evictions.Server.
func (s *statistics) Read() (evicted uint64, free int, err error) {
	text, err := s.conn.Info("")
	if err != nil {
		return 0, 0, err
	}

	return evictedOf(text)
}

// Close implements evictions.Server.
func (s *statistics) Close() { s.conn.Close() }

var errUntold = errors.New("the server does not report how many keys it evicts")

// evictedOf reads from an answer to INFO how many keys were evicted, and how many more connections
// the server accepts: negative if the answer does not say.
func evictedOf(text string) (evicted uint64, free int, err error) {
	numbers := evictions.Statistics{}
	for name, value := range infoLines(text) {
		numbers.Add(name, value)
	}
	evicted, told := numbers["evicted_keys"]
	if !told {
		return 0, 0, errUntold
	}

	return evicted, numbers.Free("maxclients", "connected_clients"), nil
}
