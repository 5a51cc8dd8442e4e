package resp

import (
	"context"
	"errors"
	"iter"
	"strings"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/workload"
	"github.com/xk6-sweep/xk6-sweep/extensions/resp/wire"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

func (c *client) info(call sobek.FunctionCall) sobek.Value {
	section := ""
	if value := call.Argument(0); !k6x.IsNullish(value) {
		var err error
		if section, err = k6x.Text("info", "the section", value); err != nil {
			c.Throw(err)
		}
	}
	defer c.tagged("info", call.Argument(1))()

	return c.during(func() sobek.Value {
		all := c.Runtime().NewObject()
		for _, n := range c.primaries() {
			var text string
			err := n.do(func(conn *wire.Conn) (err error) {
				text, err = conn.Info(section)

				return err
			})
			c.Count("info", err)
			if err != nil {
				c.Emit()
				c.Throw(err)
			}
			c.Set(all, n.server.Address, c.infoOf(text))
		}
		c.Emit()

		return all
	})
}

func (c *client) infoOf(text string) *sobek.Object {
	one := c.Runtime().NewObject()
	for name, value := range infoLines(text) {
		c.Set(one, name, value)
	}

	return one
}

func infoLines(text string) iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		for line := range strings.Lines(text) {
			name, value, is := strings.Cut(strings.TrimRight(line, "\r\n"), ":")
			if is && !strings.HasPrefix(name, "#") && !yield(name, value) {
				return
			}
		}
	}
}

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
