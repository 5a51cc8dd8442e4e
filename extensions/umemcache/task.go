package umemcache

import (
	"bytes"
	"context"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/umemcache/wire"
)

// task is a call with a promise. It owns its buffers, since other calls run while it waits.
type task struct {
	client    *client
	operation string
	job       func(context.Context, *wire.Client, *done) error
	close     bool

	tags       k6x.Tags
	key, value []byte
	// found means that value is the result; given, that the call has a value.
	found, given bool

	began bool
	done  done
}

// Tasks implements k6x.Tasker.
func (c *client) Tasks() *k6x.Tasks { return c.tasks }

func (c *client) newTask(operation string, call sobek.FunctionCall, arguments int) (*task, error) {
	t := &task{client: c, operation: operation}
	if c.calling {
		return t, errCalling
	}
	if arguments > 0 {
		key, err := k6x.Bytes(c.Runtime(), operation, "the key", call.Argument(0), &t.key)
		if err != nil {
			return t, err
		}
		t.key = bytes.Clone(key)
	}
	if options := call.Argument(arguments); !k6x.IsNullish(options) {
		return t, callOptions.Read(operation, options, &t.tags)
	}

	return t, nil
}

func (c *client) newStoring(operation string, call sobek.FunctionCall) (*task, error) {
	const arguments = 2
	t, err := c.newTask(operation, call, arguments)
	if err != nil {
		return t, err
	}
	value, err := k6x.Bytes(c.Runtime(), operation, "the value", call.Argument(1), &t.value)
	t.value = bytes.Clone(value)

	return t, err
}

func (c *client) connectTask(call sobek.FunctionCall) (*task, error) {
	t, err := c.newTask("connect", call, 0)
	t.job = func(ctx context.Context, w *wire.Client, _ *done) error { return w.Connect(ctx) }

	return t, err
}

func (c *client) closeTask(sobek.FunctionCall) (*task, error) {
	return &task{client: c, close: true}, nil
}

func (c *client) getTask(call sobek.FunctionCall) (*task, error) {
	t, err := c.newTask("get", call, 1)
	t.given = true
	t.job = func(ctx context.Context, w *wire.Client, d *done) (err error) {
		t.value, t.found, err = w.Get(ctx, t.key, nil)
		d.asked(t.found)

		return err
	}

	return t, err
}

// getOrSetTask accepts no function, which another goroutine could not call.
func (c *client) getOrSetTask(call sobek.FunctionCall) (*task, error) {
	t, err := c.newStoring("getOrSet", call)
	t.given = true
	t.job = func(ctx context.Context, w *wire.Client, d *done) error {
		value, found, err := w.GetOrSet(ctx, t.key, nil, func() ([]byte, error) { return t.value, nil })
		d.asked(found)
		t.value, t.found = value, true

		return err
	}

	return t, err
}

func (c *client) setTask(call sobek.FunctionCall) (*task, error) {
	t, err := c.newStoring("set", call)
	t.job = func(ctx context.Context, w *wire.Client, _ *done) error { return w.Set(ctx, t.key, t.value) }

	return t, err
}

func (c *client) deleteTask(call sobek.FunctionCall) (*task, error) {
	t, err := c.newTask("delete", call, 1)
	t.job = func(ctx context.Context, w *wire.Client, _ *done) error { return w.Del(ctx, t.key) }

	return t, err
}

// CallTags implements k6x.Tagged.
func (t *task) CallTags() k6x.Tags { return t.tags }

// Do implements k6x.Task.
func (t *task) Do(ctx context.Context, _ bool) error {
	c := t.client
	if t.close {
		c.disconnect()

		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	d, err := c.perform(ctx, &t.done, t.operation, t.job)
	t.began = d != nil

	return err
}

// Finish implements k6x.Task.
func (t *task) Finish(err error) (sobek.Value, error) {
	c := t.client
	if t.began {
		c.record(&t.done)
		c.Step(0, t.done.received, t.done.sent)
	}
	switch {
	case err != nil:
		return nil, err
	case !t.given:
		return sobek.Undefined(), nil
	case !t.found:
		return sobek.Null(), nil
	default:
		return k6x.FromBytes(c.Runtime(), t.value, c.config.Binary), nil
	}
}
