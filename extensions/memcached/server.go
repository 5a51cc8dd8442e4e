package memcached

import (
	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/memcached/wire"
)

func (c *client) flushAll(call sobek.FunctionCall) sobek.Value {
	c.ready()
	q := wire.Request{Verb: wire.Flush}
	var err error
	q.Expire, err = expiry("flushAll", "the delay", call.Argument(0))
	c.check(err)
	q.Expire = max(q.Expire, 0)
	defer c.tagged("flushAll", call.Argument(1))()
	for server := range c.config.Servers {
		var a wire.Reply
		c.check(c.do("flushAll", server, &q, &a))
	}

	return sobek.Undefined()
}

func (c *client) version(call sobek.FunctionCall) sobek.Value {
	c.ready()
	defer c.tagged("version", call.Argument(0))()
	var a wire.Reply
	c.check(c.do("version", 0, &wire.Request{Verb: wire.Version}, &a))

	return k6x.FromBytes(c.Runtime(), a.Value, false)
}

func (c *client) noop(call sobek.FunctionCall) sobek.Value {
	c.ready()
	defer c.tagged("noop", call.Argument(0))()
	for server := range c.config.Servers {
		var a wire.Reply
		c.check(c.do("metaNoop", server, &wire.Request{Verb: wire.Noop}, &a))
	}

	return sobek.Undefined()
}

func (c *client) stats(call sobek.FunctionCall) sobek.Value {
	c.ready()
	argument := ""
	if value := call.Argument(0); !k6x.IsNullish(value) {
		var err error
		argument, err = k6x.Text("stats", "the argument", value)
		c.check(err)
	}
	defer c.tagged("stats", call.Argument(1))()
	all := c.object()
	for server, address := range c.config.Servers {
		stats, err := c.statsOf(server, argument)
		c.check(err)
		one := c.object()
		for _, s := range stats {
			c.Set(one, s.Name, s.Value)
		}
		c.Set(all, address, one)
	}

	return all
}

func (c *client) statsOf(server int, argument string) (stats []wire.Stat, err error) {
	took := c.timed(func() {
		err = c.exchange(server, func(conn *wire.Conn) (err error) {
			stats, err = conn.Stats(argument)

			return err
		})
	})
	c.Count("stats", err)
	c.EmitDuration("stats", err, took)

	return stats, err
}
