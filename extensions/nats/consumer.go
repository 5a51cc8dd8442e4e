package nats

import (
	"context"
	"errors"
	"time"

	"github.com/grafana/sobek"
	natsio "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

type consumer struct {
	*perConnection[jetstream.Consumer]
}

func (h *jetStreamHandle) consumerOf(find func(context.Context, jetstream.JetStream) (jetstream.Consumer, error)) *consumer {
	return &consumer{within(h, find)}
}

func changeConsumer(
	change func(jetstream.JetStream, context.Context, string, jetstream.ConsumerConfig) (jetstream.Consumer, error),
) func(*jetStreamHandle, *task) {
	return func(h *jetStreamHandle, t *task) {
		stream, cfg := read(&t.args, "the stream", k6x.Name), apiConfig[jetstream.ConsumerConfig](&t.args)
		var name string
		c := h.consumerOf(func(ctx context.Context, js jetstream.JetStream) (jetstream.Consumer, error) {
			return js.Consumer(ctx, stream, name)
		})
		t.job = func(ctx context.Context, conn *connection, _ *record) error {
			js, err := h.on(ctx, conn)
			if err == nil {
				c.found, err = change(js, ctx, stream, cfg)
			}
			if err == nil {
				c.conn, name = conn, c.found.CachedInfo().Name
			}

			return err
		}
		t.value = func() (sobek.Value, error) { return c.object(), nil }
	}
}

func (h *jetStreamHandle) consumer(call sobek.FunctionCall) sobek.Value {
	a := h.client.args("consumer", call)
	stream, name := read(&a, "the stream", k6x.Name), read(&a, "the name", k6x.Name)
	a.must()

	return h.consumerOf(func(ctx context.Context, js jetstream.JetStream) (jetstream.Consumer, error) {
		return js.Consumer(ctx, stream, name)
	}).object()
}

func (h *jetStreamHandle) orderedConsumer(call sobek.FunctionCall) sobek.Value {
	a := h.client.args("orderedConsumer", call)
	stream := read(&a, "the stream", k6x.Name)
	var cfg jetstream.OrderedConsumerConfig
	if !k6x.IsNullish(call.Argument(1)) {
		cfg = apiConfig[jetstream.OrderedConsumerConfig](&a)
	}
	a.must()

	return h.consumerOf(func(ctx context.Context, js jetstream.JetStream) (jetstream.Consumer, error) {
		return js.OrderedConsumer(ctx, stream, cfg)
	}).object()
}

func (h *jetStreamHandle) deleteConsumer(t *task) {
	stream, name := read(&t.args, "the stream", k6x.Name), read(&t.args, "the name", k6x.Name)
	h.use(t, func(ctx context.Context, js *jetStream, _ *record) error { return js.DeleteConsumer(ctx, stream, name) })
}

func (c *consumer) object() *sobek.Object { return consumerMethods.Object(c.client.Runtime(), c) }

var consumerMethods = calls("js.", map[string]func(*consumer, *task){ //nolint:gochecknoglobals // a table
	"info": (*consumer).info, "next": (*consumer).next, "fetch": (*consumer).fetch,
}).With(k6x.Methods[*consumer]{"consume": (*consumer).consume})

func (c *consumer) info(t *task) {
	t.operation = "js.consumerInfo"
	c.ask(t, func(ctx context.Context, found jetstream.Consumer, _ *record) (any, error) { return found.Info(ctx) })
}

const graceful = time.Second

func (c *consumer) next(t *task) {
	b := &taken[jetstream.Msg]{feed: c.feed(), wanted: 1}
	b.options.timeout = max(t.duration("the timeout", t.client.config.timeout), time.Nanosecond)
	c.pull(t, b)
	t.value = func() (sobek.Value, error) {
		if len(b.all) == 0 {
			return sobek.Null(), nil
		}
		b.feed.aged(t.tags, b.all...)

		return t.client.storedMessage(b.feed.conn, b.all[0]), nil
	}
}

func (c *consumer) fetch(t *task) {
	b := newTaken(c.feed(), t)
	if o := &b.options; o.noWait && (o.maxBytes != 0 || o.each) {
		t.refuse("the option noWait cannot be combined with maxBytes or each")
	}
	c.pull(t, b)
}

var storedSource = source[jetstream.Msg]{ //nolint:gochecknoglobals // a constant
	data:   jetstream.Msg.Data,
	age:    func(m jetstream.Msg) (time.Duration, bool) { return latency(m.Headers(), m) },
	show:   (*client).storedMessage,
	accept: jetstream.Msg.Ack,
}

// feed returns a feed that only describes messages.
func (c *consumer) feed() *feed[jetstream.Msg] {
	return &feed[jetstream.Msg]{through: c.through, source: storedSource}
}

// pull sets a task's job: to request messages, and to take them.
func (c *consumer) pull(t *task, b *taken[jetstream.Msg]) {
	o := &b.options
	t.timeout = o.timeout + graceful
	t.job = func(ctx context.Context, conn *connection, r *record) error {
		b.feed.conn = conn
		found, err := c.on(ctx, conn)
		if err != nil {
			return err
		}
		var batch jetstream.MessageBatch
		wait := jetstream.FetchMaxWait(max(o.timeout, time.Millisecond))
		switch {
		case o.noWait:
			batch, err = found.FetchNoWait(b.wanted)
		case o.maxBytes != 0:
			batch, err = found.FetchBytes(o.maxBytes, wait)
		default:
			batch, err = found.Fetch(b.wanted, wait)
		}
		if err != nil {
			return err
		}

		return receive(ctx, batch, b, r)
	}
}

func receive(ctx context.Context, batch jetstream.MessageBatch, b *taken[jetstream.Msg], r *record) error {
	for {
		select {
		case m, more := <-batch.Messages():
			if more {
				if err := b.add(m, r); err != nil {
					return err
				}

				continue
			}
			if err := batch.Error(); !errors.Is(err, natsio.ErrTimeout) && !errors.Is(err, jetstream.ErrNoMessages) {
				return err
			}

			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

type consumeOptions struct {
	Tags        *k6x.Tags `json:"tags"`
	MaxMessages int       `json:"maxMessages"` // requested before the callback handles them; nats.go's default is 500
}

func (c *consumer) consume(call sobek.FunctionCall) sobek.Value {
	client := c.client
	a := client.args("consume", call)
	callback, o := a.callback(), consumeOptions{MaxMessages: jetstream.DefaultMaxMessages}
	a.options(&o)
	if o.MaxMessages < 1 || o.MaxMessages > k6x.MaxElements {
		a.refuse("maxMessages must be from 1 to %d, not %d", k6x.MaxElements, o.MaxMessages)
	}
	a.must()
	a.tags = o.Tags

	var f *feed[jetstream.Msg]
	client.tasks.Now(&task{args: a, operation: "js.consume", job: func(ctx context.Context, conn *connection, _ *record) error {
		found, err := c.on(ctx, conn)
		if err != nil {
			return err
		}
		f = newFeed(client, conn, storedSource, o.MaxMessages, o.Tags)

		return flow(f, found, o.MaxMessages)
	}})
	f.push(callback)

	return f.object()
}

func flow(f *feed[jetstream.Msg], found jetstream.Consumer, atATime int) error {
	running, err := found.Consume(func(m jetstream.Msg) {
		defer f.conn.contain("a consumer")
		f.put(m)
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
		select {
		case <-running.Closed():
		case <-f.conn.over: // without a receiver of its messages, the consumer would not notice the end
		}
		f.end()
	}()

	return nil
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
