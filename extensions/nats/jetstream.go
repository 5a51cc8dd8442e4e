package nats

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/grafana/sobek"
	natsio "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

// perConnection is a JetStream value, such as a bucket, that is requested once per connection.
type perConnection[T any] struct {
	through

	find func(context.Context, *connection) (T, error)

	mu    sync.Mutex // promises run in other goroutines
	conn  *connection
	found T
}

func (b *perConnection[T]) on(ctx context.Context, conn *connection) (T, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.conn == conn {
		return b.found, nil
	}
	found, err := b.find(ctx, conn)
	if err == nil {
		b.conn, b.found = conn, found
	}

	return found, err
}

// use sets a task's job.
func (b *perConnection[T]) use(t *task, do func(ctx context.Context, found T, r *record) error) {
	t.job = func(ctx context.Context, conn *connection, r *record) error {
		found, err := b.on(ctx, conn)
		if err != nil {
			return err
		}

		return do(ctx, found, r)
	}
}

// ask sets a task's job. The call returns the answer, in the form of JetStream's API.
func (b *perConnection[T]) ask(t *task, ask func(ctx context.Context, found T, r *record) (any, error)) {
	var answer any
	b.use(t, func(ctx context.Context, found T, r *record) (err error) {
		answer, err = ask(ctx, found, r)

		return err
	})
	t.value = func() (sobek.Value, error) {
		if answer == nil {
			return sobek.Undefined(), nil
		}

		return b.client.toScript(answer)
	}
}

// lookUp sets a task's job. The call returns what show makes of the found value, or null.
func lookUp[T, V any](
	b *perConnection[T], t *task, find func(context.Context, T, *record) (V, error), show func(V) (sobek.Value, error),
) {
	var value V
	missing := false
	b.use(t, func(ctx context.Context, found T, r *record) (err error) {
		value, err = find(ctx, found, r)
		if missing = isMissing(err); missing {
			return nil
		}

		return err
	})
	t.value = func() (sobek.Value, error) {
		if missing {
			return sobek.Null(), nil
		}

		return show(value)
	}
}

const defaultMaxPending = 4000

type jetStreamOptions struct {
	Domain     string `json:"domain"`
	APIPrefix  string `json:"apiPrefix"`
	MaxPending int    `json:"maxPending"` // maximum publications without an acknowledgement, for publishNoWait and publishBatch
}

type jetStreamHandle struct {
	*perConnection[*jetStream]

	options jetStreamOptions
}

type jetStream struct {
	jetstream.JetStream

	acks acks
}

func (c *client) jetStream(call sobek.FunctionCall) sobek.Value {
	a, h := c.args("jetStream", call), newJetStream(c)
	a.options(&h.options)
	switch o := h.options; {
	case o.Domain != "" && o.APIPrefix != "":
		a.refuse("only one of domain and apiPrefix can be given")
	case o.MaxPending < 0 || o.MaxPending > k6x.MaxElements:
		a.refuse("maxPending must be from 1 to %d, or 0 for %d, not %d", k6x.MaxElements, defaultMaxPending, o.MaxPending)
	}
	a.must()

	return jetStreamMethods.Object(c.Runtime(), h)
}

func newJetStream(c *client) *jetStreamHandle {
	h := &jetStreamHandle{}
	h.perConnection = &perConnection[*jetStream]{through: through{c}, find: h.open}

	return h
}

var jetStreamMethods = calls("js.", map[string]func(*jetStreamHandle, *task){ //nolint:gochecknoglobals // a table
	"publish":      (*jetStreamHandle).publish,
	"publishBatch": (*jetStreamHandle).publishBatch,
	"complete":     (*jetStreamHandle).complete,
	"createStream": changeStream(jetstream.JetStream.CreateStream),
	"updateStream": changeStream(jetstream.JetStream.UpdateStream),
	"ensureStream": changeStream(jetstream.JetStream.CreateOrUpdateStream),
	"deleteStream": remove("the stream", jetstream.JetStream.DeleteStream),
	"streams": names(func(js jetstream.JetStream, ctx context.Context) jetstream.StreamNameLister {
		return js.StreamNames(ctx)
	}, jetstream.StreamNameLister.Err),
	"streamInfo":  (*jetStreamHandle).streamInfo,
	"purgeStream": (*jetStreamHandle).purgeStream,
	"getMessage":  (*jetStreamHandle).getMessage,

	"createConsumer": changeConsumer(jetstream.JetStream.CreateConsumer),
	"updateConsumer": changeConsumer(jetstream.JetStream.UpdateConsumer),
	"ensureConsumer": changeConsumer(jetstream.JetStream.CreateOrUpdateConsumer),
	"deleteConsumer": (*jetStreamHandle).deleteConsumer,

	"createKeyValue": changeBucket(&keyValueKind, jetstream.JetStream.CreateKeyValue),
	"updateKeyValue": changeBucket(&keyValueKind, jetstream.JetStream.UpdateKeyValue),
	"ensureKeyValue": changeBucket(&keyValueKind, jetstream.JetStream.CreateOrUpdateKeyValue),
	"deleteKeyValue": remove("the bucket", jetstream.JetStream.DeleteKeyValue),
	"keyValues":      names(jetstream.JetStream.KeyValueStoreNames, jetstream.KeyValueNamesLister.Error),

	"createObjectStore": changeBucket(&objectStoreKind, jetstream.JetStream.CreateObjectStore),
	"updateObjectStore": changeBucket(&objectStoreKind, jetstream.JetStream.UpdateObjectStore),
	"ensureObjectStore": changeBucket(&objectStoreKind, jetstream.JetStream.CreateOrUpdateObjectStore),
	"deleteObjectStore": remove("the bucket", jetstream.JetStream.DeleteObjectStore),
	"objectStores":      names(jetstream.JetStream.ObjectStoreNames, jetstream.ObjectStoreNamesLister.Error),
}).With(k6x.Methods[*jetStreamHandle]{
	"publishNoWait":   (*jetStreamHandle).publishNoWait,
	"consumer":        (*jetStreamHandle).consumer,
	"orderedConsumer": (*jetStreamHandle).orderedConsumer,
	"keyValue":        existing("keyValue", &keyValueKind),
	"objectStore":     existing("objectStore", &objectStoreKind),
})

func (h *jetStreamHandle) open(_ context.Context, conn *connection) (js *jetStream, err error) {
	js = &jetStream{}
	opts := []jetstream.JetStreamOpt{
		jetstream.WithDefaultTimeout(h.client.config.timeout), jetstream.WithPublishAsyncTimeout(h.client.config.timeout),
		jetstream.WithPublishAsyncMaxPending(cmp.Or(h.options.MaxPending, defaultMaxPending)),
		jetstream.WithPublishAsyncAckHandler(js.acks.acked), jetstream.WithPublishAsyncErrHandler(js.acks.failed),
	}
	switch {
	case h.options.Domain != "":
		js.JetStream, err = jetstream.NewWithDomain(conn.nc, h.options.Domain, opts...)
	case h.options.APIPrefix != "":
		js.JetStream, err = jetstream.NewWithAPIPrefix(conn.nc, h.options.APIPrefix, opts...)
	default:
		js.JetStream, err = jetstream.New(conn.nc, opts...)
	}

	return js, err
}

// within returns a value of JetStream.
func within[T any](h *jetStreamHandle, find func(context.Context, jetstream.JetStream) (T, error)) *perConnection[T] {
	return &perConnection[T]{through: h.through, find: func(ctx context.Context, conn *connection) (found T, err error) {
		js, err := h.on(ctx, conn)
		if err != nil {
			return found, err
		}

		return find(ctx, js)
	}}
}

func changeStream(
	change func(jetstream.JetStream, context.Context, jetstream.StreamConfig) (jetstream.Stream, error),
) func(*jetStreamHandle, *task) {
	return func(h *jetStreamHandle, t *task) {
		cfg := apiConfig[jetstream.StreamConfig](&t.args)
		h.ask(t, func(ctx context.Context, js *jetStream, _ *record) (any, error) {
			stream, err := change(js, ctx, cfg)
			if err != nil {
				return nil, err
			}

			return stream.CachedInfo(), nil
		})
	}
}

func remove(what string, remove func(jetstream.JetStream, context.Context, string) error) func(*jetStreamHandle, *task) {
	return func(h *jetStreamHandle, t *task) {
		name := read(&t.args, what, k6x.Name)
		h.use(t, func(ctx context.Context, js *jetStream, _ *record) error { return remove(js, ctx, name) })
	}
}

func names[L interface{ Name() <-chan string }](
	list func(jetstream.JetStream, context.Context) L, failure func(L) error,
) func(*jetStreamHandle, *task) {
	return func(h *jetStreamHandle, t *task) {
		h.ask(t, func(ctx context.Context, js *jetStream, _ *record) (any, error) {
			lister, all := list(js, ctx), []string{}
			for name := range lister.Name() {
				all = append(all, name)
			}

			return all, failure(lister)
		})
	}
}

func inStream[T any](
	t *task, ask func(context.Context, jetstream.Stream) (T, error),
) func(context.Context, *jetStream, *record) (T, error) {
	name := read(&t.args, "the stream", k6x.Name)

	return func(ctx context.Context, js *jetStream, _ *record) (answer T, err error) {
		stream, err := js.Stream(ctx, name)
		if err != nil {
			return answer, err
		}

		return ask(ctx, stream)
	}
}

func (h *jetStreamHandle) streamInfo(t *task) {
	h.ask(t, inStream(t, func(_ context.Context, stream jetstream.Stream) (any, error) {
		return stream.CachedInfo(), nil // requested just now
	}))
}

func (h *jetStreamHandle) purgeStream(t *task) {
	h.ask(t, inStream(t, func(ctx context.Context, stream jetstream.Stream) (any, error) { return nil, stream.Purge(ctx) }))
}

func (h *jetStreamHandle) getMessage(t *task) {
	subject, sequence := "", uint64(0)
	find := inStream(t, func(ctx context.Context, stream jetstream.Stream) (*jetstream.RawStreamMsg, error) {
		if subject != "" {
			return stream.GetLastMsgForSubject(ctx, subject)
		}

		return stream.GetMsg(ctx, sequence)
	})
	if s, ok := t.call.Argument(t.at).(sobek.String); ok && s.String() != "" {
		subject = read(&t.args, "the subject", k6x.Name)
	} else {
		sequence = read(&t.args, "the sequence", k6x.Unsigned)
	}
	lookUp(h.perConnection, t, find, func(found *jetstream.RawStreamMsg) (sobek.Value, error) {
		return lazily(h.client.module, found, rawProperties), nil
	})
}

var rawProperties = []property[*jetstream.RawStreamMsg]{ //nolint:gochecknoglobals // a table
	{"subject", func(m *jetstream.RawStreamMsg) any { return m.Subject }},
	{"data", func(m *jetstream.RawStreamMsg) any { return string(m.Data) }},
	{"raw", func(m *jetstream.RawStreamMsg) any { return m.Data }},
	{"headers", func(m *jetstream.RawStreamMsg) any { return m.Header }},
	{"sequence", func(m *jetstream.RawStreamMsg) any { return m.Sequence }},
	{"timestamp", func(m *jetstream.RawStreamMsg) any { return m.Time }},
}

// bucket is the JavaScript object KeyValue or ObjectStore.
type bucket[T any] struct {
	*perConnection[T]

	name    string
	methods k6x.Methods[*bucket[T]]
}

// bucketKind is a kind of buckets, with configurations of type C.
type bucketKind[C, T any] struct {
	methods k6x.Methods[*bucket[T]]
	find    func(jetstream.JetStream, context.Context, string) (T, error)
	name    func(C) string
}

func (k *bucketKind[C, T]) named(h *jetStreamHandle, name string) *bucket[T] {
	found := within(h, func(ctx context.Context, js jetstream.JetStream) (T, error) { return k.find(js, ctx, name) })

	return &bucket[T]{found, name, k.methods}
}

func (b *bucket[T]) object() *sobek.Object {
	object := b.methods.Object(b.client.Runtime(), b)
	b.client.SetConstant(object, "bucket", b.name)

	return object
}

func existing[C, T any](method string, kind *bucketKind[C, T]) k6x.Method[*jetStreamHandle] {
	return func(h *jetStreamHandle, call sobek.FunctionCall) sobek.Value {
		a := h.client.args(method, call)
		name := read(&a, "the bucket", k6x.Name)
		if !sobek.IsUndefined(a.next()) {
			a.refuse("takes only the bucket's name; ensure%s creates one with options", strings.ToUpper(method[:1])+method[1:])
		}
		a.must()

		return kind.named(h, name).object()
	}
}

func changeBucket[C, T any](
	kind *bucketKind[C, T], change func(jetstream.JetStream, context.Context, C) (T, error),
) func(*jetStreamHandle, *task) {
	return func(h *jetStreamHandle, t *task) {
		cfg := apiConfig[C](&t.args)
		made := kind.named(h, kind.name(cfg))
		t.job = func(ctx context.Context, conn *connection, _ *record) error {
			js, err := h.on(ctx, conn)
			if err == nil {
				made.found, err = change(js, ctx, cfg)
			}
			if err == nil {
				made.conn = conn
			}

			return err
		}
		t.value = func() (sobek.Value, error) { return made.object(), nil }
	}
}

func (h *jetStreamHandle) publish(t *task) {
	m, o := t.outgoing(ofStream)
	h.publishes(t, m, o)
}

func (h *jetStreamHandle) publishes(t *task, m *natsio.Msg, o *messageOptions) {
	t.subject, t.timeout = m.Subject, o.timeout
	var ack *jetstream.PubAck
	h.use(t, func(ctx context.Context, js *jetStream, r *record) (err error) {
		if ack, err = js.PublishMsg(ctx, m); err == nil {
			r.sent.add(m.Data)
		}

		return err
	})
	t.value = func() (sobek.Value, error) {
		return h.client.plainObject(map[string]any{
			"stream": ack.Stream, "sequence": h.client.show(ack.Sequence), "duplicate": ack.Duplicate, "domain": ack.Domain,
		}), nil
	}
}

// acks counts acknowledgements until complete claims them.
type acks struct {
	mu     sync.Mutex
	stored volume
	lost   map[string]int
	first  error
}

func (a *acks) acked(_ jetstream.JetStream, m *natsio.Msg, _ *jetstream.PubAck) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stored.add(m.Data)
}

func (a *acks) failed(_ jetstream.JetStream, _ *natsio.Msg, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.first == nil {
		a.first, a.lost = err, map[string]int{}
	}
	a.lost[scriptError(err).Kind]++
}

func (a *acks) claim() (stored volume, lost map[string]int, first error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	stored, lost, first = a.stored, a.lost, a.first
	a.stored, a.lost, a.first = volume{}, nil, nil

	return stored, lost, first
}

// opPublishNoWait counts messages when acknowledgements are requested. Only complete has durations.
const opPublishNoWait = "js.publishNoWait"

func (h *jetStreamHandle) publishNoWait(call sobek.FunctionCall) sobek.Value {
	c := h.client
	a := c.args("publishNoWait", call)
	m, o := a.outgoing(ofStreamNoWait)
	a.must()
	conn := c.ready()
	js, err := h.on(c.VU().Context(), conn)
	if err == nil {
		err = js.publishAsync(m, c.config.timeout)
	}
	if err != nil {
		c.timed(conn, &record{operation: opPublishNoWait, tags: o.tags}, func() error { return err })
	}

	return sobek.Undefined()
}

func (js *jetStream) publishAsync(m *natsio.Msg, stall time.Duration) error {
	_, err := js.PublishMsgAsync(m, jetstream.WithStallWait(stall))

	return err
}

func (h *jetStreamHandle) complete(t *task) {
	t.timeout = t.duration("the timeout", 0)
	stored := h.acknowledged(t, func(context.Context, *jetStream) error { return nil })
	t.value = func() (sobek.Value, error) { return h.client.Runtime().ToValue(stored.messages), nil }
}

func (h *jetStreamHandle) publishBatch(t *task) {
	c := h.client
	subject, messages, o := t.args.subject(), t.messages(), t.messageOptions(ofStreamBatch)
	t.timeout = o.timeout
	stored := h.acknowledged(t, func(ctx context.Context, js *jetStream) error {
		for range max(o.iterations, 1) {
			for _, data := range messages {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				if err := js.publishAsync(&natsio.Msg{Subject: subject, Data: data, Header: c.stamped(o.header)}, c.config.timeout); err != nil {
					return err
				}
			}
		}

		return nil
	})
	t.value = func() (sobek.Value, error) {
		took := t.recorded[len(t.recorded)-1].took

		return c.batchResult(&batchResult{succeeded: stored.messages, took: took, sent: stored.bytes}), nil
	}
}

// acknowledged sets a task's job: to send messages, and to wait for the missing acknowledgements.
// The stored messages are known when the task is done.
func (h *jetStreamHandle) acknowledged(t *task, send func(context.Context, *jetStream) error) (stored *volume) {
	stored = &volume{}
	t.operation = opPublishNoWait
	h.use(t, func(ctx context.Context, js *jetStream, r *record) error {
		failure := send(ctx, js)
		select {
		case <-js.PublishAsyncComplete():
		case <-ctx.Done():
			failure = errors.Join(failure, ctx.Err())
		}
		var lost map[string]int
		var first error
		*stored, lost, first = js.acks.claim()
		r.sent, r.many, r.lost = *stored, true, lost
		if failure == nil && first != nil {
			return lossOf(*stored, lost, first)
		}

		return failure
	})

	return stored
}

func lossOf(stored volume, lost map[string]int, first error) error {
	failed := 0
	for _, n := range lost {
		failed += n
	}
	e := scriptError(first)
	e.Message = fmt.Sprintf("%d of %d messages were not stored: %s", failed, failed+stored.messages, e.Message)

	return &e
}
