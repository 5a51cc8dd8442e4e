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

func (o *fetchOptions) read(value sobek.Value, timeout time.Duration) error {
	o.timeout = timeout
	err := fetching.Read("fetch", value, o)
	o.timeout = max(o.timeout, time.Nanosecond)

	return err
}

func (f *feed[T]) fetch(call sobek.FunctionCall) (*task, error) {
	n, err := k6x.Count("fetch", "the number of messages", call.Argument(0))
	if err != nil {
		return nil, err
	}
	b := &taken[T]{feed: f, wanted: n}
	o := &b.options
	if err = o.read(call.Argument(1), f.client.config.TimeoutEach); err == nil {
		err = f.mustFetch(o)
	}
	o.tags = cmp.Or(o.tags, f.tags)

	return &task{
		client: f.client, operation: "fetch", timeout: o.timeout, on: f.conn, tags: o.tags,
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
		return k6x.Misuse("fetch: the option maxBytes is only for a consumer's fetch")
	case o.ack && f.accept == nil:
		return k6x.Misuse("fetch: the option ack is for messages of a consumer")
	case o.each && (f.age == nil || o.noWait):
		return k6x.Misuse("fetch: the option each is only for messages of a subscription or a consumer, without noWait")
	}

	return f.mustPull("fetch")
}

type taken[T any] struct {
	feed    *feed[T]
	options fetchOptions
	wanted  int
	all     []T
	count   int
	ages    []time.Duration
}

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
	rt := b.feed.client.Runtime()
	if b.options.each {
		b.feed.client.delivered(b.ages, &b.options, b.missing()...)
	}
	if b.options.discard {
		return rt.ToValue(b.count), nil
	}
	values := make([]any, len(b.all))
	for i, next := range b.all {
		values[i] = b.feed.make(next)
	}
	if !b.options.each {
		b.feed.aged(b.options.tags, b.all...)
	}

	return rt.NewArray(values...), nil
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

const opDeliver = "deliver"

func (c *client) delivered(ages []time.Duration, o *fetchOptions, missing ...error) {
	sweep := c.Session()
	if sweep == nil {
		durations, latency := make([]k6x.Timing, len(ages)), c.instruments.call(o.tags).latency
		for i, took := range ages {
			durations[i] = k6x.Timing{Series: latency, Took: took}
		}
		c.Meter().Emit(durations...)

		return
	}
	recorder := sweep.Client.Recorder(opDeliver)
	for _, took := range ages {
		recorder.Ok(took)
	}
	for _, err := range missing {
		recorder.FailAfter(o.timeout, err)
	}
}
