package nats

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

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
		for b.count < b.wanted && !(o.noWait && len(f.come) == 0) {
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
