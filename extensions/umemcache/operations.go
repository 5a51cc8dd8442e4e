package umemcache

import (
	"context"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/umemcache/wire"
)

// get is client.get(key): the value, or null.
func (c *client) get(call sobek.FunctionCall) sobek.Value {
	key := c.keyOf(opGet, call)
	var value []byte
	var found bool
	c.do(opGet, func(ctx context.Context, w *wire.Client, d *done) (err error) {
		value, found, err = w.Get(ctx, key, c.into[:0])
		c.asked(d, value, found)

		return err
	})
	if !found {
		return sobek.Null()
	}

	return k6glue.FromBytes(c.vu.Runtime(), value, c.config.Binary)
}

// getOrSet is client.getOrSet(key, value) or client.getOrSet(key, fn): the value that is there or, where there is none,
// the one given or returned by fn, which is stored.
func (c *client) getOrSet(call sobek.FunctionCall) sobek.Value {
	key := c.keyOf(opGetOrSet, call)
	fill := c.filler(call.Argument(1))
	var value []byte
	c.do(opGetOrSet, func(ctx context.Context, w *wire.Client, d *done) (err error) {
		var found bool
		value, found, err = w.GetOrSet(ctx, key, c.into[:0], fill)
		c.asked(d, value, found)

		return err
	})

	return k6glue.FromBytes(c.vu.Runtime(), value, c.config.Binary)
}

// asked counts a hit or a miss, and keeps the memory of a value that was read.
func (c *client) asked(d *done, value []byte, found bool) {
	d.asked(found)
	if found {
		c.into = value
	}
}

// filler is what makes the value of a key that is missing.
func (c *client) filler(value sobek.Value) func() ([]byte, error) {
	fn, isFunction := sobek.AssertFunction(value)
	if !isFunction {
		bytes := c.valueOf(opGetOrSet, value)

		return func() ([]byte, error) { return bytes, nil }
	}

	return func() ([]byte, error) {
		made, err := fn(sobek.Undefined())
		if err != nil {
			return nil, err
		}
		bytes, ok := k6glue.Bytes(c.vu.Runtime(), made, c.value)
		if !ok {
			return nil, misuse("getOrSet: the function must return a string, an ArrayBuffer or a typed array, and at once, not %s", made.String())
		}

		return bytes, nil
	}
}

// set is client.set(key, value).
func (c *client) set(call sobek.FunctionCall) sobek.Value {
	key, value := c.keyOf(opSet, call), c.valueOf(opSet, call.Argument(1))
	c.do(opSet, func(ctx context.Context, w *wire.Client, _ *done) error { return w.Set(ctx, key, value) })

	return sobek.Undefined()
}

// del is client.del(key).
func (c *client) del(call sobek.FunctionCall) sobek.Value {
	key := c.keyOf(opDel, call)
	c.do(opDel, func(ctx context.Context, w *wire.Client, _ *done) error { return w.Del(ctx, key) })

	return sobek.Undefined()
}

func (c *client) keyOf(operation string, call sobek.FunctionCall) []byte {
	c.notCalling()
	value := call.Argument(0)
	key, ok := k6glue.Bytes(c.vu.Runtime(), value, c.key)
	if !ok {
		c.throw(misuse("%s: the key must be a string, an ArrayBuffer or a typed array, not %s", operation, k6glue.Show(value)))
	}
	c.keep(&c.key, value, key)

	return key
}

func (c *client) valueOf(operation string, value sobek.Value) []byte {
	bytes, ok := k6glue.Bytes(c.vu.Runtime(), value, c.value)
	if !ok {
		c.throw(misuse("%s: the value must be a string, an ArrayBuffer or a typed array, not %s", operation, k6glue.Show(value)))
	}
	c.keep(&c.value, value, bytes)

	return bytes
}

// keep keeps the memory into which a string was copied.
func (*client) keep(buffer *[]byte, value sobek.Value, bytes []byte) {
	if _, isText := value.(sobek.String); isText {
		*buffer = bytes
	}
}
