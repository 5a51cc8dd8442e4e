package nats

import (
	"context"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

func (f *feed[T]) messages(sobek.FunctionCall) sobek.Value {
	c := f.client
	rt := c.Runtime()
	iterator := iteratorMethods.Object(rt, f)
	self := func(sobek.FunctionCall) sobek.Value { return iterator }
	if err := iterator.SetSymbol(asyncIterator(rt), self); err != nil {
		c.Throw(err)
	}

	return iterator
}

var iteratorMethods = k6x.Methods[feeder]{ //nolint:gochecknoglobals // a table
	"next": k6x.Promising(feeder.iterate), "return": feeder.leave,
}

func (f *feed[T]) leave(call sobek.FunctionCall) sobek.Value {
	f.stop()
	f.end()
	rt := f.client.Runtime()
	promise, resolve, _ := rt.NewPromise()
	if err := resolve(f.step(call.Argument(0), true)); err != nil {
		f.client.Throw(err)
	}

	return rt.ToValue(promise)
}

// Compiled code uses this symbol if the engine has no Symbol.asyncIterator.
func asyncIterator(rt *sobek.Runtime) *sobek.Symbol {
	symbols := rt.Get("Symbol").ToObject(rt)
	if known, ok := symbols.Get("asyncIterator").(*sobek.Symbol); ok {
		return known
	}
	named, _ := sobek.AssertFunction(symbols.Get("for"))
	value, err := named(sobek.Undefined(), rt.ToValue("Symbol.asyncIterator"))
	if err != nil {
		panic(err)
	}
	symbol, _ := value.(*sobek.Symbol)

	return symbol
}

func (f *feed[T]) iterate(sobek.FunctionCall) (*task, error) {
	var got T
	var ok bool

	return &task{
		client: f.client, operation: "next", timeout: forever, on: f.conn, tags: f.tags,
		job: func(ctx context.Context, _ *connection, r *record) error {
			if got, ok = f.take(ctx); ok {
				r.received.messages, r.received.bytes = 1, f.weigh(got)
			}

			return ended(ctx)
		},
		value: func() (sobek.Value, error) {
			if !ok {
				return f.step(sobek.Undefined(), true), nil
			}
			f.aged(f.tags, got)

			return f.step(f.make(got), false), nil
		},
	}, f.mustPull("messages")
}

const forever = 1 << 62

func (f *feed[T]) step(value sobek.Value, done bool) sobek.Value {
	return f.client.plainObject(map[string]any{"value": value, "done": done})
}
