package memcached

import (
	"context"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/workload"
	"github.com/xk6-sweep/xk6-sweep/extensions/memcached/wire"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

func (c *client) watchEvictions(cfg wire.Config) {
	session := c.Session()
	if session == nil || session.Client.Started() || c.effects != nil {
		return
	}
	cfg.Timeout, cfg.ConnectTimeout = measure.EvictionsEvery, measure.EvictionsEvery
	if cfg.Dial != nil {
		cfg.Dial = k6x.DialBeside(c.VU())
	}
	step, logger := session.Client.Step(), c.VU().State().Logger
	c.shared.watched.Watch(step, cfg.Address, logger, func(ctx context.Context) (workload.EvictionsServer, error) {
		conn, err := wire.Dial(ctx, &cfg)

		return statistics{conn}, err
	})
}

type statistics struct{ *wire.Conn }

// Read implements workload.EvictionsServer.
func (s statistics) Read() (evicted uint64, free int, err error) {
	stats, err := s.Stats("")
	if err != nil {
		return 0, 0, err
	}
	numbers := workload.Statistics{}
	for _, one := range stats {
		numbers.Add(one.Name, one.Value)
	}

	return numbers["evictions"], numbers.Free("max_connections", "curr_connections"), nil
}
