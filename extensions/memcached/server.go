package memcached

import (
	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/memcached/wire"
)

// flushAll is client.flushAll(delay): it empties all servers, at once or after so many seconds.
func (c *client) flushAll(call sobek.FunctionCall) sobek.Value {
	c.mustBeUsable()
	q := wire.Request{Verb: wire.Flush}
	if delay := call.Argument(0); !k6glue.IsNullish(delay) {
		if q.Expire = c.expire(opFlushAll, delay); q.Expire < 0 {
			c.misuse("flushAll: the delay must not be negative")
		}
	}
	for server := range c.config.Servers {
		var a wire.Reply
		if err := c.do(opFlushAll, server, &q, &a); err != nil {
			c.throw(err)
		}
	}

	return sobek.Undefined()
}

// version is client.version(): that of the first server.
func (c *client) version(sobek.FunctionCall) sobek.Value {
	c.mustBeUsable()
	var a wire.Reply
	if err := c.do(opVersion, 0, &wire.Request{Verb: wire.Version}, &a); err != nil {
		c.throw(err)
	}

	return k6glue.FromBytes(c.vu.Runtime(), a.Value, false)
}

// noop is client.meta.noop(): one round trip to each server.
func (c *client) noop(sobek.FunctionCall) sobek.Value {
	c.mustBeUsable()
	for server := range c.config.Servers {
		var a wire.Reply
		if err := c.do("metaNoop", server, &wire.Request{Verb: wire.Noop}, &a); err != nil {
			c.throw(err)
		}
	}

	return sobek.Undefined()
}

// stats is client.stats(argument): an object of the servers' addresses, and for each one of its statistics.
func (c *client) stats(call sobek.FunctionCall) sobek.Value {
	c.mustBeUsable()
	argument := ""
	if value := call.Argument(0); !k6glue.IsNullish(value) {
		text, ok := k6glue.Text(value)
		if !ok {
			c.misuse("stats takes a string such as 'items', not %s", k6glue.Show(value))
		}
		argument = text
	}
	all := c.object()
	for server, address := range c.config.Servers {
		stats, err := c.statsOf(server, argument)
		if err != nil {
			c.throw(err)
		}
		one := c.object()
		for _, s := range stats {
			c.set(one, s.Name, s.Value)
		}
		c.set(all, address, one)
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
	c.instruments.count(opStats, err, tally{})
	c.instruments.emit(opStats, err, took)

	return stats, err
}
