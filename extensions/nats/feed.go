package nats

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/grafana/sobek"
	"github.com/sirupsen/logrus"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

const opDeliver = "deliver"

// feed is a queue of messages of a subscription, a consumer or a watch.
type feed[T any] struct {
	through
	source[T]

	conn *connection
	come chan T
	// over is closed after the last message.
	over chan struct{}
	end  func()
	stop func()

	// dropped is nil if the feed drops none.
	dropped  func() int
	reported int
	pushed   bool
	tags     *k6x.Tags
}

// source describes the messages of a feed.
type source[T any] struct {
	data func(T) []byte
	age  func(T) (time.Duration, bool)
	show func(*client, *connection, T) sobek.Value
	// accept acknowledges a message; nil if messages need no acknowledgement.
	accept func(T) error
}

func newFeed[T any](c *client, conn *connection, source source[T], capacity int, tags *k6x.Tags) *feed[T] {
	f := &feed[T]{through: through{c}, source: source, conn: conn, come: make(chan T, capacity), over: make(chan struct{}), tags: tags}
	f.end = sync.OnceFunc(func() { close(f.over) })

	return f
}

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
	select {
	case next = <-f.come:
		return next, true
	default:
		return next, false
	}
}

// put waits until there is room for a message, or the feed has ended.
func (f *feed[T]) put(next T) {
	select {
	case f.come <- next:
	case <-f.over:
	case <-f.conn.over:
		f.end()
	}
}

type feeder interface {
	object
	next(t *task)
	fetch(t *task)
	close(call sobek.FunctionCall) sobek.Value
	pending(call sobek.FunctionCall) sobek.Value
	isClosed(call sobek.FunctionCall) sobek.Value
}

func feedMethods[F feeder]() k6x.Methods[F] {
	return calls("", map[string]func(F, *task){"next": F.next, "fetch": F.fetch}).
		With(k6x.Methods[F]{"close": F.close, "pending": F.pending, "isClosed": F.isClosed})
}

var methodsOfFeeds = feedMethods[feeder]() //nolint:gochecknoglobals // a table

func (f *feed[T]) object() *sobek.Object { return methodsOfFeeds.Object(f.client.Runtime(), f) }

func (f *feed[T]) finish() {
	f.stop()
	f.end()
}

func (f *feed[T]) close(sobek.FunctionCall) sobek.Value {
	f.finish()

	return sobek.Undefined()
}

func (f *feed[T]) pending(sobek.FunctionCall) sobek.Value {
	return f.client.Runtime().ToValue(len(f.come))
}

func (f *feed[T]) isClosed(sobek.FunctionCall) sobek.Value {
	return f.client.Runtime().ToValue(f.isOver())
}

func (f *feed[T]) isOver() bool {
	select {
	case <-f.over:
		return true
	default:
		return false
	}
}

func (f *feed[T]) mustPull(t *task) {
	if f.pushed {
		t.refuse("the messages go to the callback")
	}
}

// next sets a task's job: to take the next message; null without one.
func (f *feed[T]) next(t *task) {
	timeout := t.duration("the timeout", f.client.config.timeout)
	f.mustPull(t)
	t.tags, t.on, t.timeout = f.tags, f.conn, max(timeout, time.Nanosecond)
	var next T
	var ok bool
	t.job = func(ctx context.Context, _ *connection, r *record) error {
		if next, ok = f.take(ctx); ok {
			r.received.add(f.data(next))
		}

		return ended(ctx)
	}
	t.value = func() (sobek.Value, error) {
		if !ok {
			return sobek.Null(), nil
		}
		f.aged(t.tags, next)

		return f.show(f.client, f.conn, next), nil
	}
}

// The timeout of a call is no failure.
func ended(ctx context.Context) error {
	if ctx.Err() == context.Canceled {
		return k6x.TestEnded()
	}

	return nil
}

func (f *feed[T]) aged(tags *k6x.Tags, all ...T) {
	if f.age == nil || f.client.Session() != nil {
		return
	}
	var ages []time.Duration
	for _, next := range all {
		if took, ok := f.age(next); ok {
			ages = append(ages, took)
		}
	}
	f.client.emitLatencies(tags, ages)
}

func (m *module) emitLatencies(tags *k6x.Tags, ages []time.Duration) {
	if len(ages) == 0 {
		return
	}
	durations, latency := make([]k6x.Timing, len(ages)), m.series(m.latency, tags)
	for i, took := range ages {
		durations[i] = k6x.Timing{Series: latency, Took: took}
	}
	m.EmitTimings(durations...)
}

const maxBatch = 256

// push passes messages to a callback on k6's event loop, until the feed or the iteration ends.
func (f *feed[T]) push(callback sobek.Callable) {
	if callback == nil {
		return
	}
	f.pushed = true
	f.client.callbacks.Add(1)
	ctx := f.client.VU().Context()
	back := k6x.RegisterCallback(f.client.VU())
	waiting := f.client.shared.idle.watch(f.client.VU().State().Logger)
	again := make(chan func(func() error), 1)
	go func() {
		defer f.client.callbacks.Add(-1)
		defer waiting.over.Store(true)
		for {
			var batch []T
			err := crash.Guard(func() error {
				if next, ok := f.take(ctx); ok {
					batch = f.more(next)
				}

				return nil
			})
			if err != nil || batch == nil {
				f.finish()
				back(func() error { return err })

				return
			}
			waiting.came.Store(true)
			back(func() error {
				again <- k6x.RegisterCallback(f.client.VU())

				return f.call(ctx, callback, batch)
			})
			back = <-again
		}
	}()
}

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

// An exception ends the feed.
func (f *feed[T]) call(ctx context.Context, callback sobek.Callable, batch []T) error {
	failed := true
	defer func() {
		if failed { // also after a panic
			f.finish()
		}
	}()
	for _, next := range batch {
		if ctx.Err() != nil {
			break
		}
		r := record{operation: opDeliver, tags: f.tags}
		r.received.add(f.data(next))
		begin := clock.Now()
		_, err := callback(sobek.Undefined(), f.show(f.client, f.conn, next))
		r.took = clock.Since(begin)
		f.client.note(&r, f.conn)
		f.aged(f.tags, next)
		if err != nil {
			return err
		}
	}
	failed = false

	return nil
}

const idleHint = 5 * time.Second

// idle logs, once per test, that an iteration waits for messages that do not arrive: k6 does
// not end an iteration with an open callback.
type idle struct {
	after time.Duration
	once  sync.Once
}

type idleWatch struct {
	came, over atomic.Bool
}

func (i *idle) watch(logger logrus.FieldLogger) *idleWatch {
	w := &idleWatch{}
	i.check(w, logger)

	return w
}

func (i *idle) check(w *idleWatch, logger logrus.FieldLogger) {
	time.AfterFunc(i.after, func() {
		switch {
		case w.over.Load():
		case w.came.Swap(false):
			i.check(w, logger)
		default:
			i.once.Do(func() {
				logger.Warnf("a callback has received no message for %s, and the iteration lasts until its subscription is closed: "+
					"call close() of the subscription, or set its option max", i.after)
			})
		}
	})
}

type fetchOptions struct {
	timeout  time.Duration
	maxBytes int
	noWait   bool
	discard  bool // count the messages without passing them to JavaScript
	ack      bool // acknowledge them in Go
	each     bool // each message is an operation, from its sending until it is taken
	tags     *k6x.Tags
}

var fetching = k6x.Options[fetchOptions]{ //nolint:gochecknoglobals // a table
	k6x.Into("timeout", func(o *fetchOptions) *time.Duration { return &o.timeout }, k6x.Time),
	k6x.Into("noWait", func(o *fetchOptions) *bool { return &o.noWait }, truth),
	k6x.Into("maxBytes", func(o *fetchOptions) *int { return &o.maxBytes }, k6x.Count),
	k6x.Into("discard", func(o *fetchOptions) *bool { return &o.discard }, truth),
	k6x.Into("ack", func(o *fetchOptions) *bool { return &o.ack }, truth),
	k6x.Into("each", func(o *fetchOptions) *bool { return &o.each }, truth),
	k6x.Into("tags", func(o *fetchOptions) **k6x.Tags { return &o.tags }, readTags),
}

// taken are the messages of a call of fetch or, for a consumer, of next.
type taken[T any] struct {
	feed    *feed[T]
	options fetchOptions
	wanted  int
	all     []T
	count   int
	ages    []time.Duration
}

// newTaken reads the arguments of fetch.
func newTaken[T any](f *feed[T], t *task) *taken[T] {
	b := &taken[T]{feed: f, wanted: read(&t.args, "the number of messages", k6x.Count)}
	o := &b.options
	o.timeout = t.client.config.timeout
	readOptions(&t.args, fetching, o)
	o.timeout = max(o.timeout, time.Nanosecond)
	o.tags = cmp.Or(o.tags, f.tags)
	t.tags, t.timeout, t.value = o.tags, o.timeout, b.value

	return b
}

func (f *feed[T]) fetch(t *task) {
	b := newTaken(f, t)
	o := &b.options
	switch {
	case o.maxBytes != 0:
		t.refuse("the option maxBytes is only for a consumer's fetch")
	case o.ack && f.accept == nil:
		t.refuse("the option ack is for messages of a consumer")
	case o.each && (f.age == nil || o.noWait):
		t.refuse("the option each is only for messages of a subscription or a consumer, without noWait")
	}
	f.mustPull(t)
	t.on = f.conn
	t.job = func(ctx context.Context, _ *connection, r *record) error {
		for b.count < b.wanted && (!o.noWait || len(f.come) > 0) {
			next, ok := f.take(ctx)
			if !ok {
				break
			}
			if err := b.add(next, r); err != nil {
				return err
			}
		}

		return ended(ctx)
	}
}

func (b *taken[T]) add(next T, r *record) error {
	r.received.add(b.feed.data(next))
	b.count++
	if !b.options.discard {
		b.all = append(b.all, next)
	}
	if b.options.each {
		took, ok := b.feed.age(next)
		if !ok {
			return k6x.Misuse("fetch: the option each needs messages with a time: set the option stamp of the client that sends them")
		}
		b.ages = append(b.ages, took)
	}
	if b.options.ack {
		return b.feed.accept(next)
	}

	return nil
}

func (b *taken[T]) value() (sobek.Value, error) {
	f := b.feed
	switch {
	case b.options.each:
		b.deliver()
	case !b.options.discard:
		f.aged(b.options.tags, b.all...)
	}
	if b.options.discard {
		return f.client.Runtime().ToValue(b.count), nil
	}

	return array(f.client.module, b.all, func(next T) any { return f.show(f.client, f.conn, next) }), nil
}

// deliver records each message as an operation of the step, or outside of a sweep its latency.
func (b *taken[T]) deliver() {
	c := b.feed.client
	missing := b.missing()
	sweep := c.Session()
	if sweep == nil {
		c.emitLatencies(b.options.tags, b.ages)

		return
	}
	recorder := sweep.Client.Recorder(opDeliver)
	for _, took := range b.ages {
		recorder.Ok(took)
	}
	for _, err := range missing {
		recorder.FailAfter(b.options.timeout, err)
	}
}

func (b *taken[T]) missing() []error {
	missing, dropped := b.wanted-b.count, 0
	if b.feed.dropped != nil {
		all := b.feed.dropped()
		dropped = min(missing, all-b.feed.reported)
		b.feed.reported = all
	}
	slow := k6x.Errorf(kindSlowConsumer,
		"slow consumer: messages were dropped, since as many were waiting as the option pending allows (%d)", cap(b.feed.come))
	late := k6x.Errorf(k6x.KindTimeout, "messages did not arrive within %s", b.options.timeout)

	return slices.Concat(slices.Repeat([]error{slow}, dropped), slices.Repeat([]error{late}, missing-dropped))
}
