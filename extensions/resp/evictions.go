package resp

import (
	"context"
	"errors"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/workload"
	"github.com/xk6-sweep/xk6-sweep/extensions/resp/wire"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

func (n *node) watchEvictions() {
	session := n.client.Session()
	if session == nil || session.Client.Started() {
		return
	}
	vu := n.client.VU()
	config := n.wireConfig(k6x.DialBeside(vu))
	config.Timeout, config.ConnectTimeout = measure.EvictionsEvery, measure.EvictionsEvery
	config.Traffic = nil
	watched, logger := &n.client.shared.watched, vu.State().Logger
	watched.Watch(session.Client.Step(), n.server.Address, logger, func(ctx context.Context) (workload.EvictionsServer, error) {
		conn, err := wire.Dial(ctx, config)
		if err != nil {
			return nil, err
		}

		return &statistics{conn}, nil
	})
}

type statistics struct{ conn *wire.Conn }

// Read implements workload.EvictionsServer.
func (s *statistics) Read() (evicted uint64, free int, err error) {
	text, err := s.conn.Info("")
	if err != nil {
		return 0, 0, err
	}

	return evictedOf(text)
}

// Close implements workload.EvictionsServer.
func (s *statistics) Close() { s.conn.Close() }

var errUntold = errors.New("the server does not report how many keys it evicts")

// The free connections are negative if the answer does not say.
func evictedOf(text string) (evicted uint64, free int, err error) {
	numbers := workload.Statistics{}
	for name, value := range infoLines(text) {
		numbers.Add(name, value)
	}
	evicted, told := numbers["evicted_keys"]
	if !told {
		return 0, 0, errUntold
	}

	return evicted, numbers.Free("maxclients", "connected_clients"), nil
}
