package nats

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/grafana/sobek"
	natsio "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

// Expectations are sent in headers.
type streamPublishOptions struct {
	header     natsio.Header
	timeout    time.Duration
	iterations int
	tags       *k6x.Tags
}

func (h *jetStreamHandle) read(method string, value sobek.Value) (*streamPublishOptions, error) {
	if k6x.IsNullish(value) {
		return &streamPublishOptions{}, nil
	}

	return h.publish.Of(h.client.Runtime(), value, func(value sobek.Value) (*streamPublishOptions, error) {
		o := &streamPublishOptions{header: natsio.Header{}}

		return o, storing.Read(method, value, o)
	})
}

var storing = k6x.Options[streamPublishOptions]{ //nolint:gochecknoglobals // a table
	{Name: "headers", Read: func(o *streamPublishOptions, method string, value sobek.Value) error {
		own, err := headers(method, "option headers", value)
		for name, values := range own {
			o.header[name] = values
		}

		return err
	}},
	k6x.Into("timeout", func(o *streamPublishOptions) *time.Duration { return &o.timeout }, k6x.Time),
	k6x.Into("iterations", func(o *streamPublishOptions) *int { return &o.iterations }, k6x.Count),
	k6x.Into("tags", func(o *streamPublishOptions) **k6x.Tags { return &o.tags }, readTags),
	inHeader("msgID", jetstream.MsgIDHeader, k6x.Name),
	inHeader("expectStream", jetstream.ExpectedStreamHeader, k6x.Name),
	inHeader("expectLastMsgID", jetstream.ExpectedLastMsgIDHeader, k6x.Name),
	inHeader("expectLastSequence", jetstream.ExpectedLastSeqHeader, decimal),
	inHeader("expectLastSequenceForSubject", jetstream.ExpectedLastSubjSeqHeader, decimal),
	inHeader("ttl", jetstream.MsgTTLHeader, func(method, what string, value sobek.Value) (string, error) {
		ttl, err := k6x.TTL(method, what, value)
		if ttl == 0 {
			return "", err
		}

		return wholeSeconds(ttl).String(), err
	}),
}

func inHeader(
	name, header string, read func(method, what string, value sobek.Value) (string, error),
) k6x.Option[streamPublishOptions] {
	what := "option " + name

	return k6x.Option[streamPublishOptions]{
		Name: name, Read: func(o *streamPublishOptions, method string, value sobek.Value) error {
			said, err := read(method, what, value)
			if said != "" {
				o.header[header] = []string{said}
			}

			return err
		},
	}
}

func decimal(method, what string, value sobek.Value) (string, error) {
	n, err := k6x.Unsigned(method, what, value)

	return strconv.FormatUint(n, 10), err
}

func (h *jetStreamHandle) publishOne(call sobek.FunctionCall) (*task, error) {
	m, o, err := h.outgoing("publish", call)
	if err == nil && o.iterations != 0 {
		err = k6x.Misuse("publish: the option iterations is only for publishBatch")
	}
	if err != nil {
		return nil, err
	}

	return h.publication(m, o), nil
}

func (h *jetStreamHandle) publication(m *natsio.Msg, o *streamPublishOptions) *task {
	var ack *jetstream.PubAck

	return &task{
		client: h.client, operation: "js.publish", subject: m.Subject, timeout: o.timeout, tags: o.tags,
		job: func(ctx context.Context, conn *connection, r *record) error {
			js, _, err := h.bind(conn)
			if err != nil {
				return err
			}
			if ack, err = js.PublishMsg(ctx, m); err == nil {
				r.sent.add(m.Data)
			}

			return err
		},
		value: func() (sobek.Value, error) { return h.client.ack(ack), nil },
	}
}

func (h *jetStreamHandle) outgoing(method string, call sobek.FunctionCall) (*natsio.Msg, *streamPublishOptions, error) {
	m, err := h.client.outgoing(method, call)
	if err != nil {
		return nil, nil, err
	}
	o, err := h.read(method, call.Argument(2))
	if err != nil {
		return nil, nil, err
	}
	m.Header = h.client.stamped(o.header)

	return m, o, nil
}

func (c *client) ack(ack *jetstream.PubAck) sobek.Value {
	return c.plainObject(map[string]any{
		"stream": ack.Stream, "sequence": c.number(ack.Sequence), "duplicate": ack.Duplicate, "domain": ack.Domain,
	})
}

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

func (h *jetStreamHandle) publishNoWait(call sobek.FunctionCall) sobek.Value {
	c := h.client
	m, o, err := h.outgoing("publishNoWait", call)
	if err == nil && (o.iterations != 0 || o.timeout != 0) {
		err = k6x.Misuse("publishNoWait has no options iterations and timeout")
	}
	if err != nil {
		c.Throw(err)
	}
	conn := c.ready()
	js, _, err := h.bind(conn)
	if err == nil {
		_, err = js.PublishMsgAsync(m, jetstream.WithStallWait(c.config.TimeoutEach))
	}
	if err != nil {
		r := record{operation: opPublishNoWait, tags: o.tags, err: explain(c.VU().Context(), c.config.TimeoutEach, err)}
		c.note(&r, conn)
		c.Throw(r.err)
	}

	return sobek.Undefined()
}

// opPublishNoWait counts messages when acknowledgements are requested. Only complete has durations.
const opPublishNoWait = "js.publishNoWait"

func (h *jetStreamHandle) complete(call sobek.FunctionCall) (*task, error) {
	timeout, err := k6x.Duration("complete", "the timeout", call.Argument(0), 0)

	t, stored := h.acknowledged(timeout, func(context.Context, jetstream.JetStream) error { return nil })
	t.value = func() (sobek.Value, error) { return h.client.Runtime().ToValue(stored.messages), nil }

	return t, err
}

func (h *jetStreamHandle) publishBatch(call sobek.FunctionCall) (*task, error) {
	c := h.client
	subject, err := destination("publishBatch", "the subject", call.Argument(0))
	if err != nil {
		return nil, err
	}
	o, err := h.read("publishBatch", call.Argument(2))
	if err != nil {
		return nil, err
	}
	messages, err := c.publish.each(c, call.Argument(1))
	if err != nil {
		return nil, err
	}

	t, stored := h.acknowledged(o.timeout, func(ctx context.Context, js jetstream.JetStream) error {
		for range max(o.iterations, 1) {
			for _, data := range messages {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				m := &natsio.Msg{Subject: subject, Data: data, Header: c.stamped(o.header)}
				if _, err := js.PublishMsgAsync(m, jetstream.WithStallWait(c.config.TimeoutEach)); err != nil {
					return err
				}
			}
		}

		return nil
	})
	t.tags = o.tags
	t.value = func() (sobek.Value, error) {
		took := t.recorded[len(t.recorded)-1].took

		return c.batchResult(&batchResult{succeeded: stored.messages, took: took, sent: stored.bytes}), nil
	}

	return t, nil
}

// The stored messages are known when the task is done.
func (h *jetStreamHandle) acknowledged(
	timeout time.Duration, send func(context.Context, jetstream.JetStream) error,
) (*task, *volume) {
	stored := &volume{}

	return &task{
		client: h.client, operation: opPublishNoWait, timeout: timeout,
		job: func(ctx context.Context, conn *connection, r *record) error {
			js, a, err := h.bind(conn)
			if err != nil {
				return err
			}
			failure := send(ctx, js)
			select {
			case <-js.PublishAsyncComplete():
			case <-ctx.Done():
				failure = errors.Join(failure, ctx.Err())
			}
			var lost map[string]int
			var first error
			*stored, lost, first = a.claim()
			r.sent, r.many, r.times, r.lost = *stored, true, stored.messages, lost
			switch {
			case failure != nil:
				return failure
			case first != nil:
				return lossOf(*stored, lost, first)
			}

			return nil
		},
	}, stored
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
