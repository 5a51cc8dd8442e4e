package nats

import (
	"context"
	"sync"
	"time"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
)

// maxBatch bounds how many messages reach their callback before anything else in the VU has its turn.
const maxBatch = 256

// feed is where messages wait that come by themselves: those of a subscription, of a consumer, of a watch. They are taken one by one,
// many at once, or by a callback on k6's event loop.
type feed[T any] struct {
	client    *client
	conn      *connection
	operation string // as the metrics have it

	come chan T
	over chan struct{} // closed when nothing more comes
	end  func()        // closes over, once
	stop func()        // tells who sends them that no more are wanted

	weigh  func(T) int                   // bytes of the data
	age    func(T) (time.Duration, bool) // since it was sent
	make   func(T) sobek.Value           // what the script gets
	accept func(T) error                 // when the script wants its messages acknowledged in Go; nil where there are none to be
	pushed bool                          // there is a callback
}

func newFeed[T any](c *client, conn *connection, operation string, capacity int) *feed[T] {
	f := &feed[T]{client: c, conn: conn, operation: operation, come: make(chan T, capacity), over: make(chan struct{})}
	f.end = sync.OnceFunc(func() { close(f.over) })

	return f
}

// take waits for the next message. There is none when the time is over, or nothing more comes.
func (f *feed[T]) take(ctx context.Context) (next T, ok bool) {
	select {
	case next = <-f.come:
		return next, true
	default:
	}
	select {
	case next = <-f.come:
		return next, true
	case <-ctx.Done():
		return next, false
	case <-f.over:
	}
	select { // what came just before the end
	case next = <-f.come:
		return next, true
	default:
		return next, false
	}
}

// feeder is a feed of anything, as scripts see it.
type feeder interface {
	attached
	next(call sobek.FunctionCall) (*task, error)
	fetch(call sobek.FunctionCall) (*task, error)
	close(call sobek.FunctionCall) sobek.Value
	pending(call sobek.FunctionCall) sobek.Value
	isClosed(call sobek.FunctionCall) sobek.Value
	messages(call sobek.FunctionCall) sobek.Value
	iterate(call sobek.FunctionCall) (*task, error)
	leave(call sobek.FunctionCall) sobek.Value
}

// feedMethods are those of the JavaScript object.
func feedMethods[F feeder]() k6glue.Methods[F] {
	return bothForms(map[string]operation[F]{"next": F.next, "fetch": F.fetch}).
		With(k6glue.Methods[F]{"close": F.close, "pending": F.pending, "isClosed": F.isClosed, "messages": F.messages})
}

var methodsOfFeeds = feedMethods[feeder]() //nolint:gochecknoglobals // a table

// object is the feed as scripts see it.
func (f *feed[T]) object() *sobek.Object { return methodsOfFeeds.Object(f.client.vu.Runtime(), f) }

func (f *feed[T]) attachedTo() *client { return f.client }

// close is feed.close(): no more messages are wanted.
func (f *feed[T]) close(sobek.FunctionCall) sobek.Value {
	f.stop()
	f.end()

	return sobek.Undefined()
}

// pending is feed.pending(): how many messages are waiting.
func (f *feed[T]) pending(sobek.FunctionCall) sobek.Value {
	return f.client.vu.Runtime().ToValue(len(f.come))
}

// isClosed is feed.isClosed(): whether nothing more comes.
func (f *feed[T]) isClosed(sobek.FunctionCall) sobek.Value {
	return f.client.vu.Runtime().ToValue(f.isOver())
}

func (f *feed[T]) isOver() bool {
	select {
	case <-f.over:
		return true
	default:
		return false
	}
}

// next is feed.next(timeout): the next message; null when none has come in time, or none can come any more.
func (f *feed[T]) next(call sobek.FunctionCall) (*task, error) {
	timeout, err := duration("next: the timeout", call.Argument(0), f.client.config.TimeoutEach)
	if err == nil {
		err = f.mustPull("next")
	}
	var got T
	var ok bool

	return &task{
		operation: "next", timeout: max(timeout, time.Nanosecond), bound: f.conn,
		job: func(ctx context.Context, _ *connection, r *record) error {
			if got, ok = f.take(ctx); ok {
				r.received.messages, r.received.bytes = 1, f.weigh(got)
			}

			return ended(ctx)
		},
		value: func() (sobek.Value, error) {
			if !ok {
				return sobek.Null(), nil
			}
			f.aged(got)

			return f.make(got), nil
		},
	}, err
}

// ended tells that the test has, and not just the time of a call: that messages do not come is no failure.
func ended(ctx context.Context) error {
	if ctx.Err() == context.Canceled {
		return errTestEnded()
	}

	return nil
}

// fetchOptions are those of fetch.
type fetchOptions struct {
	timeout  time.Duration
	maxBytes int
	noWait   bool
	discard  bool // they are counted, and no JavaScript sees them
	ack      bool // they are acknowledged, in Go
	each     bool // each is an operation of its own, which took from when it was sent until it was taken
}

func readFetchOptions(value sobek.Value, fallback time.Duration) (fetchOptions, error) {
	o := fetchOptions{timeout: fallback}
	if k6glue.IsNullish(value) {
		return o, nil
	}
	object, ok := value.(*sobek.Object)
	if !ok || object.ClassName() != "Object" {
		return o, misuse("fetch: the options must be an object such as { timeout: '1s' }, not %s", k6glue.Show(value))
	}
	for _, key := range object.Keys() {
		var err error
		switch v := object.Get(key); key {
		case "timeout":
			o.timeout, err = duration("fetch: the timeout", v, fallback)
		case "noWait":
			o.noWait = v.ToBoolean()
		case "maxBytes":
			o.maxBytes, err = count("fetch: the option maxBytes", v)
		case "discard":
			o.discard = v.ToBoolean()
		case "ack":
			o.ack = v.ToBoolean()
		case "each":
			o.each = v.ToBoolean()
		default:
			err = misuse("fetch: unknown option %q; known are timeout, noWait, maxBytes, discard, ack, each", key)
		}
		if err != nil {
			return o, err
		}
	}
	o.timeout = max(o.timeout, time.Nanosecond)

	return o, nil
}

// fetch is feed.fetch(n, options): up to n messages, those that have come when there are n or the time is over.
func (f *feed[T]) fetch(call sobek.FunctionCall) (*task, error) {
	n, err := count("fetch: the number of messages", call.Argument(0))
	if err != nil {
		return nil, err
	}
	o, err := readFetchOptions(call.Argument(1), f.client.config.TimeoutEach)
	if err == nil {
		err = f.mustFetch(&o)
	}
	b := &taken[T]{feed: f, options: o, wanted: n}

	return &task{
		operation: "fetch", timeout: o.timeout, bound: f.conn,
		job: func(ctx context.Context, _ *connection, r *record) error {
			for r.received.messages < n {
				if o.noWait && len(f.come) == 0 {
					break
				}
				next, ok := f.take(ctx)
				if !ok {
					break
				}
				if err := b.add(next, r); err != nil {
					return err
				}
			}

			return ended(ctx)
		},
		value: b.value,
	}, err
}

func (f *feed[T]) mustFetch(o *fetchOptions) error {
	switch {
	case o.maxBytes != 0:
		return misuse("fetch: the option maxBytes is one of a consumer's fetch")
	case o.ack && f.accept == nil:
		return misuse("fetch: the option ack is for messages of a consumer")
	case o.each && (f.age == nil || o.noWait):
		return misuse("fetch: the option each is for messages, of a subscription or a consumer, and does not go together with noWait")
	}

	return f.mustPull("fetch")
}

// taken are the messages of one call.
type taken[T any] struct {
	feed    *feed[T]
	options fetchOptions
	wanted  int
	all     []T
	count   int
	ages    []time.Duration // with the option each
}

// add takes a message, on any goroutine.
func (b *taken[T]) add(next T, r *record) error {
	r.received.messages++
	r.received.bytes += b.feed.weigh(next)
	b.count++
	if !b.options.discard {
		b.all = append(b.all, next)
	}
	if b.options.each {
		took, ok := b.feed.age(next)
		if !ok {
			return misuse("fetch: the option each is for messages that have the time: give the client that sends them the option stamp")
		}
		b.ages = append(b.ages, took)
	}
	if b.options.ack {
		return b.feed.accept(next)
	}

	return nil
}

// value is what the script gets: an array of the messages or, where it discards them, their number.
func (b *taken[T]) value() (sobek.Value, error) {
	rt := b.feed.client.vu.Runtime()
	if b.options.each {
		b.feed.client.delivered(b.ages, b.wanted-b.count, b.options.timeout)
	}
	if b.options.discard {
		return rt.ToValue(b.count), nil
	}
	values := make([]any, len(b.all))
	for i, next := range b.all {
		values[i] = b.feed.make(next)
	}
	if !b.options.each {
		b.feed.aged(b.all...)
	}

	return rt.NewArray(values...), nil
}

// aged emits how long messages took to come. A sweep takes no such durations.
func (f *feed[T]) aged(all ...T) {
	if f.age == nil || k6glue.SessionOf(f.client.vu) != nil {
		return
	}
	var durations []k6glue.Duration
	for _, next := range all {
		if took, ok := f.age(next); ok {
			durations = append(durations, k6glue.Duration{Series: f.client.instruments.latency, Took: took})
		}
	}
	if len(durations) > 0 {
		f.client.instruments.meter.Emit(durations...)
	}
}

func (f *feed[T]) mustPull(method string) error {
	if f.pushed {
		return misuse("%s: the messages go to the callback", method)
	}

	return nil
}

// messages is feed.messages(): an asynchronous iterator. sobek has no `for await` yet: its next() is called by hand, or by what a
// compiler such as esbuild makes of `for await`, which looks for the method under Symbol.for('Symbol.asyncIterator').
func (f *feed[T]) messages(sobek.FunctionCall) sobek.Value {
	c := f.client
	rt := c.vu.Runtime()
	iterator := iteratorMethods.Object(rt, f)
	self := func(sobek.FunctionCall) sobek.Value { return iterator }
	if err := iterator.SetSymbol(asyncIterator(rt), self); err != nil {
		c.throw(err)
	}

	return iterator
}

var iteratorMethods = k6glue.Methods[feeder]{ //nolint:gochecknoglobals // a table
	"next": promising(feeder.iterate), "return": feeder.leave,
}

// leave is what an iterator's return() does.
func (f *feed[T]) leave(call sobek.FunctionCall) sobek.Value {
	f.stop()
	f.end()
	rt := f.client.vu.Runtime()
	promise, resolve, _ := rt.NewPromise()
	if err := resolve(f.step(call.Argument(0), true)); err != nil {
		f.client.throw(err)
	}

	return rt.ToValue(promise)
}

// asyncIterator is the symbol by which compiled code asks for an asynchronous iterator where the engine has none.
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

// iterate waits for the next message, however long it takes.
func (f *feed[T]) iterate(sobek.FunctionCall) (*task, error) {
	var got T
	var ok bool

	return &task{
		operation: "next", timeout: forever, bound: f.conn,
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
			f.aged(got)

			return f.step(f.make(got), false), nil
		},
	}, f.mustPull("messages")
}

const forever = 1 << 62

// step is what an iterator's next() gives.
func (f *feed[T]) step(value sobek.Value, done bool) sobek.Value {
	object := f.client.vu.Runtime().NewObject()
	for name, v := range map[string]any{"value": value, "done": done} {
		if err := object.Set(name, v); err != nil {
			f.client.throw(err)
		}
	}

	return object
}

// push hands all messages to a callback, on k6's event loop, until nothing more comes or the iteration has ended.
func (f *feed[T]) push(callback sobek.Callable) {
	f.pushed = true
	ctx := f.client.vu.Context()
	back := k6glue.RegisterCallback(f.client.vu)
	again := make(chan func(func() error), 1)
	go func() {
		defer crash.Contain("the callback of a feed")
		for {
			var batch []T
			err := crash.Guard(func() error {
				if next, ok := f.take(ctx); ok {
					batch = f.more(next)
				}

				return nil
			})
			if err != nil || batch == nil {
				f.stop()
				f.end()
				back(func() error { return err })

				return
			}
			back(func() error {
				again <- k6glue.RegisterCallback(f.client.vu)

				return f.call(ctx, callback, batch)
			})
			back = <-again
		}
	}()
}

// more takes what has come besides.
func (f *feed[T]) more(first T) []T {
	batch := []T{first}
	for len(batch) < maxBatch {
		select {
		case next := <-f.come:
			batch = append(batch, next)
		default:
			return batch
		}
	}

	return batch
}

// call calls the callback for each message. The feed ends where that fails.
func (f *feed[T]) call(ctx context.Context, callback sobek.Callable, batch []T) error {
	failed := true
	defer func() {
		if failed { // in a panic too
			f.stop()
			f.end()
		}
	}()
	for _, next := range batch {
		if ctx.Err() != nil {
			break // nobody is there any more
		}
		r := record{operation: f.operation, received: tally{1, f.weigh(next)}}
		begin := time.Now()
		_, err := callback(sobek.Undefined(), f.make(next))
		r.took = time.Since(begin)
		f.client.note(&r, f.conn)
		f.aged(next)
		if err != nil {
			return err
		}
	}
	failed = false

	return nil
}
