package resp

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/evictions"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/happened"
)

// watchEvictions marks what the server evicts in the step that the client is of, before the client
// connects to it.
func (n *node) watchEvictions() {
	session := n.client.Session()
	if session == nil || session.Client.Started() {
		return
	}
	vu := n.client.VU()
	dial, secure := n.dialer(k6glue.DialBeside(vu)), n.secure()
	config := *n.config
	config.Timeout, config.ConnectTimeout = happened.EvictionsEvery, happened.EvictionsEvery
	n.client.shared.watched.Watch(session.Client.Step(), n.server.Address, vu.State().Logger, func(ctx context.Context) (evictions.Server, error) {
		beside := &node{server: n.server, config: &config}
		made, err := beside.open(ctx, dial, secure)
		if err != nil {
			return nil, errors.New(describe(err))
		}
		beside.next = made

		return &statistics{made, beside.newClient()}, nil
	})
}

// statistics are those of a server, which it tells over a connection of its own.
type statistics struct {
	conn   *conn
	client *redis.Client
}

// Read implements evictions.Server.
func (s *statistics) Read() (evicted uint64, free int, err error) {
	text, err := s.client.Info(context.Background()).Result()
	if err != nil {
		return 0, 0, errors.New(describe(err))
	}

	return evictedOf(text)
}

// Close implements evictions.Server.
func (s *statistics) Close() {
	_ = s.client.Close() // there is nothing to lose
	_ = s.conn.Close()   // which go-redis may not have taken
}

var errUntold = errors.New("the server does not tell how many keys it evicts")

// evictedOf is what an answer to INFO says of evicted keys, and of connections that the server
// still takes: below zero where it says nothing of them.
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
