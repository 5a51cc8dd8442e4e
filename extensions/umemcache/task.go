package umemcache

import (
	"bytes"
	"context"
	"errors"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/common"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/umemcache/wire"
)

// operation is a method with the forms name and asyncName.
type operation struct {
	name      string
	arguments int  // before the options: none, a key, or a key and a value
	reads     bool // returns a value, or null
	run       func(ctx context.Context, w *wire.Client, t *task) error
}

var connect = &operation{ //nolint:gochecknoglobals // a table
	name: "connect", run: func(ctx context.Context, w *wire.Client, _ *task) error { return w.Connect(ctx) },
}

var operations = []*operation{ //nolint:gochecknoglobals // a table
	connect,
	{name: "get", arguments: 1, reads: true, run: func(ctx context.Context, w *wire.Client, t *task) (err error) {
		t.result, t.found, err = w.Get(ctx, t.key, t.into[:0])
		t.asked(t.found)

		return err
	}},
	{name: "getOrSet", arguments: 2, reads: true, run: func(ctx context.Context, w *wire.Client, t *task) (err error) {
		var found bool
		t.result, found, err = w.GetOrSet(ctx, t.key, t.into[:0], t.fill)
		t.asked(found)
		t.found = true

		return err
	}},
	{name: "set", arguments: 2, run: func(ctx context.Context, w *wire.Client, t *task) error { return w.Set(ctx, t.key, t.value) }},
	{name: "delete", arguments: 1, run: func(ctx context.Context, w *wire.Client, t *task) error { return w.Del(ctx, t.key) }},
}

func bothForms() k6x.Methods[*client] {
	methods := k6x.Methods[*client]{}
	for _, o := range operations {
		methods[o.name] = k6x.Blocking(o.read)
		methods[k6x.AsyncName(o.name)] = k6x.Promising(o.later)
	}

	return methods
}

// task is a call with parsed arguments. It owns its buffers, since other calls run while it waits.
type task struct {
	client    *client
	operation *operation // nil: close

	tags       k6x.Tags
	key, value []byte
	fill       func() ([]byte, error)

	result []byte
	found  bool // result is the result

	into, keyBuffer, valueBuffer []byte

	began bool
	done  done
}

// asked counts a read. A value that was found is in into, which may have grown.
func (t *task) asked(found bool) {
	if t.done.asked(found); found {
		t.into = t.result
	}
}

// Tasks implements k6x.Tasker.
func (c *client) Tasks() *k6x.Tasks { return c.tasks }

var callOptions = k6x.Options[k6x.Tags]{ //nolint:gochecknoglobals // a table
	k6x.TagsOption(func(t *k6x.Tags) *k6x.Tags { return t }),
}

// read reads the arguments of a call. The key and the value may be memory of the script.
func (o *operation) read(c *client, call sobek.FunctionCall) (t *task, err error) {
	if c.calling {
		return nil, errCalling
	}
	if t, c.spare = c.spare, nil; t == nil {
		t = &task{}
	}
	*t = task{client: c, operation: o, into: t.into, keyBuffer: t.keyBuffer, valueBuffer: t.valueBuffer}
	if o.arguments > 0 {
		if t.key, err = k6x.Bytes(c.Runtime(), o.name, "the key", call.Argument(0), &t.keyBuffer); err != nil {
			return t, err
		}
	}
	if o.arguments > 1 {
		if err = t.readValue(call.Argument(1)); err != nil {
			return t, err
		}
	}
	if options := call.Argument(o.arguments); !k6x.IsNullish(options) {
		return t, callOptions.Read(o.name, options, &t.tags)
	}

	return t, nil
}

// readValue reads the value to store. getOrSet takes a function that returns it, too.
func (t *task) readValue(value sobek.Value) (err error) {
	rt := t.client.Runtime()
	if fn, is := sobek.AssertFunction(value); is && t.operation.reads {
		t.fill = func() ([]byte, error) {
			made, err := fn(sobek.Undefined())
			if err != nil {
				return nil, err
			}

			return k6x.Bytes(rt, t.operation.name, "what the function returns", made, &t.valueBuffer)
		}

		return nil
	}
	t.value, err = k6x.Bytes(rt, t.operation.name, "the value", value, &t.valueBuffer)
	t.fill = func() ([]byte, error) { return t.value, nil }

	return err
}

// later reads the arguments of a call with a promise. It accepts no function, which another
// goroutine could not call.
func (o *operation) later(c *client, call sobek.FunctionCall) (*task, error) {
	t, err := o.read(c, call)
	if err != nil {
		return t, err
	}
	if o.arguments > 1 && t.value == nil {
		_, err = k6x.Bytes(c.Runtime(), o.name, "the value", call.Argument(1), &t.valueBuffer)
	}
	t.key, t.value = bytes.Clone(t.key), bytes.Clone(t.value)

	return t, err
}

func (c *client) closeTask(sobek.FunctionCall) (*task, error) { return &task{client: c}, nil }

// CallTags implements k6x.Tagged.
func (t *task) CallTags() k6x.Tags { return t.tags }

// Do implements k6x.Task.
func (t *task) Do(ctx context.Context, waits bool) error {
	c := t.client
	if t.operation == nil {
		c.disconnect()

		return nil
	}
	if waits {
		c.calling = true
		defer func() { c.calling = false }()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	d, err := c.perform(ctx, &t.done, t.operation.name, func(ctx context.Context, w *wire.Client, _ *done) error {
		return t.operation.run(ctx, w, t)
	})
	t.began = d != nil

	return err
}

// Finish implements k6x.Task. An exception of the script's function is thrown unchanged.
func (t *task) Finish(err error) (sobek.Value, error) {
	c := t.client
	defer func() { c.spare = t }()
	if t.began {
		c.record(&t.done)
		c.Step(0, t.done.received, t.done.sent)
	}
	if thrown, is := errors.AsType[*sobek.Exception](err); is {
		panic(thrown)
	}
	if interrupted, is := errors.AsType[*sobek.InterruptedError](err); is {
		common.Throw(c.Runtime(), interrupted)
	}
	switch {
	case err != nil:
		return nil, err
	case t.operation == nil || !t.operation.reads:
		return sobek.Undefined(), nil
	case !t.found:
		return sobek.Null(), nil
	default:
		return k6x.FromBytes(c.Runtime(), t.result, c.config.Binary), nil
	}
}
