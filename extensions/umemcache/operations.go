package umemcache

import (
	"context"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/umemcache/wire"
)

func (c *client) get(call sobek.FunctionCall) sobek.Value {
	key := c.keyOf("get", call)
	defer c.tagged("get", call.Argument(1))()
	var value []byte
	var found bool
	c.do("get", func(ctx context.Context, w *wire.Client, d *done) (err error) {
		value, found, err = w.Get(ctx, key, c.into[:0])
		c.asked(d, value, found)

		return err
	})
	if !found {
		return sobek.Null()
	}

	return k6x.FromBytes(c.Runtime(), value, c.config.Binary)
}

func (c *client) getOrSet(call sobek.FunctionCall) sobek.Value {
	key := c.keyOf("getOrSet", call)
	fill := c.filler(call.Argument(1))
	defer c.tagged("getOrSet", call.Argument(2))()
	var value []byte
	c.do("getOrSet", func(ctx context.Context, w *wire.Client, d *done) (err error) {
		var found bool
		value, found, err = w.GetOrSet(ctx, key, c.into[:0], fill)
		c.asked(d, value, found)

		return err
	})

	return k6x.FromBytes(c.Runtime(), value, c.config.Binary)
}

func (c *client) asked(d *done, value []byte, found bool) {
	d.asked(found)
	if found {
		c.into = value
	}
}

func (c *client) filler(value sobek.Value) func() ([]byte, error) {
	fn, isFunction := sobek.AssertFunction(value)
	if !isFunction {
		bytes := c.valueOf("getOrSet", value)

		return func() ([]byte, error) { return bytes, nil }
	}

	return func() ([]byte, error) {
		made, err := fn(sobek.Undefined())
		if err != nil {
			return nil, err
		}

		return k6x.Bytes(c.Runtime(), "getOrSet", "what the function returns", made, &c.value)
	}
}

func (c *client) set(call sobek.FunctionCall) sobek.Value {
	key, value := c.keyOf("set", call), c.valueOf("set", call.Argument(1))
	defer c.tagged("set", call.Argument(2))()
	c.do("set", func(ctx context.Context, w *wire.Client, _ *done) error { return w.Set(ctx, key, value) })

	return sobek.Undefined()
}

func (c *client) remove(call sobek.FunctionCall) sobek.Value {
	key := c.keyOf("delete", call)
	defer c.tagged("delete", call.Argument(1))()
	c.do("delete", func(ctx context.Context, w *wire.Client, _ *done) error { return w.Del(ctx, key) })

	return sobek.Undefined()
}

func (c *client) keyOf(operation string, call sobek.FunctionCall) []byte {
	c.notCalling()

	return c.bytesOf(operation, "the key", call.Argument(0), &c.key)
}

func (c *client) valueOf(operation string, value sobek.Value) []byte {
	return c.bytesOf(operation, "the value", value, &c.value)
}

func (c *client) bytesOf(operation, what string, value sobek.Value, buffer *[]byte) []byte {
	bytes, err := k6x.Bytes(c.Runtime(), operation, what, value, buffer)
	if err != nil {
		c.Throw(err)
	}

	return bytes
}
