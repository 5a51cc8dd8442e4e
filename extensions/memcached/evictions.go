package memcached

import (
	"context"
	"strconv"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/evictions"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/memcached/wire"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/happened"
)

// watchEvictions marks what the server evicts in the step that the client is of, before the client
// connects to it.
func (c *client) watchEvictions(cfg wire.Config) {
	session := c.Session()
	if session == nil || session.Client.Started() || c.effects != nil {
		return
	}
	cfg.Timeout, cfg.ConnectTimeout = happened.EvictionsEvery, happened.EvictionsEvery
	if cfg.Dial != nil {
		cfg.Dial = k6glue.DialBeside(c.VU())
	}
	c.shared.watched.Watch(session.Client.Step(), cfg.Address, c.VU().State().Logger, func(ctx context.Context) (evictions.Server, error) {
		conn, err := wire.Dial(ctx, &cfg)

		return statistics{conn}, err
	})
}

// statistics are those of a server.
type statistics struct{ *wire.Conn }

// Read implements evictions.Server.
func (s statistics) Read() (evicted uint64, free int, err error) {
	stats, err := s.Stats("")
	if err != nil {
		return 0, 0, err
	}
	free = -1
	numbers := map[string]uint64{}
	for _, one := range stats {
		if n, err := strconv.ParseUint(one.Value, 10, 64); err == nil {
			numbers[one.Name] = n
		}
	}
	if most, told := numbers["max_connections"]; told {
		free = int(most) - int(min(numbers["curr_connections"], most))
	}

	return numbers["evictions"], free, nil
}
