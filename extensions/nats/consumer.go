package nats

import (
	"context"
	"errors"
	"time"

	"github.com/grafana/sobek"
	natsio "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

type consumer struct {
	perConnection[jetstream.Consumer]
}

func (h *jetStreamHandle) consumerOf(find func(context.Context, jetstream.JetStream) (jetstream.Consumer, error)) *consumer {
	c := &consumer{}
	c.handle, c.find = h, find

	return c
}

func changeConsumer(
	name string,
	change func(jetstream.JetStream, context.Context, string, jetstream.ConsumerConfig) (jetstream.Consumer, error),
) operation[*jetStreamHandle] {
	return func(h *jetStreamHandle, call sobek.FunctionCall) (*task, error) {
		stream, err := k6x.Name(name, "the stream", call.Argument(0))
		if err != nil {
			return nil, err
		}
		var cfg jetstream.ConsumerConfig
		if err := apiConfig(name, call.Argument(1), &cfg); err != nil {
			return nil, err
		}
		c := h.consumerOf(nil)
		t := h.task(name, nil)
		t.job = func(ctx context.Context, conn *connection, _ *record) error {
			js, _, err := h.bind(conn)
			if err != nil {
				return err
			}
			made, err := change(js, ctx, stream, cfg)
			if err != nil {
				return err
			}
			id := made.CachedInfo().Name
			c.conn, c.found = conn, made
			c.find = func(ctx context.Context, js jetstream.JetStream) (jetstream.Consumer, error) {
				return js.Consumer(ctx, stream, id)
			}

			return nil
		}
		t.value = func() (sobek.Value, error) { return c.object(), nil }

		return t, nil
	}
}

func (h *jetStreamHandle) consumer(call sobek.FunctionCall) sobek.Value {
	stream, err := k6x.Name("consumer", "the stream", call.Argument(0))
	if err != nil {
		h.client.Throw(err)
	}
	name, err := k6x.Name("consumer", "the name", call.Argument(1))
	if err != nil {
		h.client.Throw(err)
	}

	return h.consumerOf(func(ctx context.Context, js jetstream.JetStream) (jetstream.Consumer, error) {
		return js.Consumer(ctx, stream, name)
	}).object()
}

func (h *jetStreamHandle) orderedConsumer(call sobek.FunctionCall) sobek.Value {
	stream, err := k6x.Name("orderedConsumer", "the stream", call.Argument(0))
	if err != nil {
		h.client.Throw(err)
	}
	var cfg jetstream.OrderedConsumerConfig
	if given := call.Argument(1); !k6x.IsNullish(given) {
		if err := apiConfig("orderedConsumer", given, &cfg); err != nil {
			h.client.Throw(err)
		}
	}

	return h.consumerOf(func(ctx context.Context, js jetstream.JetStream) (jetstream.Consumer, error) {
		return js.OrderedConsumer(ctx, stream, cfg)
	}).object()
}

func (c *consumer) object() *sobek.Object {
	return consumerMethods.Object(c.handle.client.Runtime(), c)
}

var consumerMethods = k6x.BothForms(map[string]operation[*consumer]{ //nolint:gochecknoglobals // a table
	"info": tagged("info", 0, (*consumer).info), "next": tagged("next", 1, (*consumer).next), "fetch": (*consumer).fetch,
}).With(k6x.Methods[*consumer]{"consume": (*consumer).consume})

func (c *consumer) info(sobek.FunctionCall) (*task, error) {
	t := c.handle.task("consumerInfo", nil)
	var info *jetstream.ConsumerInfo
	t.job = func(ctx context.Context, conn *connection, _ *record) error {
		found, err := c.on(ctx, conn)
		if err == nil {
			info, err = found.Info(ctx)
		}

		return err
	}
	t.value = func() (sobek.Value, error) { return c.handle.client.toScript(info) }

	return t, nil
}

func (c *consumer) next(call sobek.FunctionCall) (*task, error) {
	timeout, err := k6x.Duration("next", "the timeout", call.Argument(0), c.handle.client.config.TimeoutEach)
	t, b := c.pull(1)
	t.operation, b.options.timeout = "js.next", max(timeout, time.Nanosecond)
	t.timeout = b.options.timeout + graceful
	t.value = func() (sobek.Value, error) {
		if len(b.all) == 0 {
			return sobek.Null(), nil
		}
		b.feed.aged(t.tags, b.all...)

		return b.feed.make(b.all[0]), nil
	}

	return t, err
}

func (c *consumer) fetch(call sobek.FunctionCall) (*task, error) {
	n, err := k6x.Count("fetch", "the number of messages", call.Argument(0))
	if err != nil {
		return nil, err
	}
	t, b := c.pull(n)
	o := &b.options
	err = o.read(call.Argument(1), c.handle.client.config.TimeoutEach)
	t.timeout, t.tags = o.timeout+graceful, o.tags
	if err == nil && o.noWait && o.maxBytes != 0 {
		err = k6x.Misuse("fetch: noWait and maxBytes cannot be combined")
	}
	if err == nil && o.each && o.noWait {
		err = k6x.Misuse("fetch: the options each and noWait cannot be combined")
	}

	return t, err
}

const graceful = time.Second

func (c *consumer) pull(n int) (*task, *taken[jetstream.Msg]) {
	client := c.handle.client
	f := &feed[jetstream.Msg]{client: client}
	forStream(f)
	b := &taken[jetstream.Msg]{feed: f, wanted: n}

	return &task{
		client: client, operation: "js.fetch",
		job: func(ctx context.Context, conn *connection, r *record) error {
			f.conn = conn
			found, err := c.on(ctx, conn)
			if err != nil {
				return err
			}
			batch, err := ask(found, n, &b.options)
			if err != nil {
				return err
			}

			return receive(ctx, batch, b, r)
		},
		value: b.value,
	}, b
}

func ask(found jetstream.Consumer, n int, o *fetchOptions) (jetstream.MessageBatch, error) {
	wait := jetstream.FetchMaxWait(max(o.timeout, time.Millisecond))
	switch {
	case o.noWait:
		return found.FetchNoWait(n)
	case o.maxBytes != 0:
		return found.FetchBytes(o.maxBytes, wait)
	default:
		return found.Fetch(n, wait)
	}
}

func receive(ctx context.Context, batch jetstream.MessageBatch, b *taken[jetstream.Msg], r *record) error {
	for {
		select {
		case m, more := <-batch.Messages():
			if !more {
				return notEmpty(batch.Error())
			}
			if err := b.add(m, r); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func notEmpty(err error) error {
	if errors.Is(err, natsio.ErrTimeout) || errors.Is(err, jetstream.ErrNoMessages) {
		return nil
	}

	return err
}

func forStream(f *feed[jetstream.Msg]) {
	f.weigh = func(m jetstream.Msg) int { return len(m.Data()) }
	f.age = func(m jetstream.Msg) (time.Duration, bool) { return latency(m.Headers(), m) }
	f.make = func(m jetstream.Msg) sobek.Value { return f.client.storedMessage(f.conn, m) }
	f.accept = func(m jetstream.Msg) error { return m.Ack() }
}

type consumeOptions struct {
	Tags        *k6x.Tags `json:"tags"`
	MaxMessages int       `json:"maxMessages"` // requested before the callback handles them; nats.go's default is 500
}

func (c *consumer) consume(call sobek.FunctionCall) sobek.Value {
	client := c.handle.client
	callback, rest := sobek.Callable(nil), call.Argument(0)
	if fn, ok := sobek.AssertFunction(rest); ok {
		callback, rest = fn, call.Argument(1)
	} else if k6x.IsNullish(rest) {
		rest = call.Argument(1)
	}
	o := consumeOptions{MaxMessages: jetstream.DefaultMaxMessages}
	if err := k6x.ReadOptions(rest, &o); err != nil {
		client.Misuse("consume: %s", err)
	}
	if o.MaxMessages < 1 || o.MaxMessages > k6x.MaxElements {
		client.Misuse("consume: maxMessages must be from 1 to %d, not %d", k6x.MaxElements, o.MaxMessages)
	}

	var f *feed[jetstream.Msg]
	client.tasks.Now(&task{client: client, operation: "js.consume", tags: o.Tags, job: func(
		ctx context.Context, conn *connection, _ *record,
	) error {
		found, err := c.on(ctx, conn)
		if err != nil {
			return err
		}
		f = newFeed[jetstream.Msg](client, conn, "deliver", o.MaxMessages)
		f.tags = o.Tags
		forStream(f)

		return flow(f, found, o.MaxMessages)
	}})
	if callback != nil {
		f.push(callback)
	}

	return f.object()
}

func flow(f *feed[jetstream.Msg], found jetstream.Consumer, atATime int) error {
	running, err := found.Consume(func(m jetstream.Msg) {
		defer f.conn.contain("a consumer")
		select {
		case f.come <- m:
		case <-f.over:
		}
	}, jetstream.PullMaxMessages(atATime), jetstream.ConsumeErrHandler(func(_ jetstream.ConsumeContext, err error) {
		defer f.conn.contain("a consumer")
		f.conn.failed(err)
		if errors.Is(err, jetstream.ErrConsumerDeleted) || errors.Is(err, jetstream.ErrConsumerNotFound) {
			f.end()
		}
	}))
	if err != nil {
		return err
	}
	f.stop = running.Stop
	go func() {
		defer crash.Contain("the end of a consumer")
		select {
		case <-running.Closed():
		case <-f.conn.over: // without a receiver of its messages, the consumer would not notice the end
		}
		f.end()
	}()

	return nil
}

func (h *jetStreamHandle) deleteConsumer(call sobek.FunctionCall) (*task, error) {
	stream, err := k6x.Name("deleteConsumer", "the stream", call.Argument(0))
	if err != nil {
		return nil, err
	}
	name, err := k6x.Name("deleteConsumer", "the name", call.Argument(1))

	return h.task("deleteConsumer", func(ctx context.Context, js jetstream.JetStream) (any, error) {
		return nil, js.DeleteConsumer(ctx, stream, name)
	}), err
}

func (h *jetStreamHandle) consumers(call sobek.FunctionCall) (*task, error) {
	return h.withStream("consumers", call, func(ctx context.Context, stream jetstream.Stream) (any, error) {
		lister := stream.ConsumerNames(ctx)
		names := all(lister.Name())

		return names, lister.Err()
	})
}

func (h *jetStreamHandle) orderedForSubject(subject string) *consumer {
	return h.consumerOf(func(ctx context.Context, js jetstream.JetStream) (jetstream.Consumer, error) {
		stream, err := js.StreamNameBySubject(ctx, subject)
		if err != nil {
			return nil, err
		}

		return js.OrderedConsumer(ctx, stream, jetstream.OrderedConsumerConfig{FilterSubjects: []string{subject}})
	})
}
