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

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
)

// streamPublishOptions are those of a publication to a stream. What is expected of the stream travels in headers.
type streamPublishOptions struct {
	header  natsio.Header
	timeout time.Duration
	count   int
}

// expectations are the options that become headers, and those.
var expectations = map[string]string{ //nolint:gochecknoglobals // a table
	"msgID":                        jetstream.MsgIDHeader,
	"expectStream":                 jetstream.ExpectedStreamHeader,
	"expectLastMsgID":              jetstream.ExpectedLastMsgIDHeader,
	"expectLastSequence":           jetstream.ExpectedLastSeqHeader,
	"expectLastSequenceForSubject": jetstream.ExpectedLastSubjSeqHeader,
	"ttl":                          jetstream.MsgTTLHeader,
}

// read reads { headers, timeout, count, msgID, expectStream, ... }.
func (h *jetStreamHandle) read(method string, value sobek.Value) (*streamPublishOptions, error) {
	if k6glue.IsNullish(value) {
		return &streamPublishOptions{}, nil
	}

	return h.publish.Of(h.client.vu.Runtime(), value, func(value sobek.Value) (*streamPublishOptions, error) {
		object, ok := value.(*sobek.Object)
		if !ok || object.ClassName() != "Object" {
			return nil, misuse("%s: the options must be an object such as { msgID: 'a' }, not %s", method, k6glue.Show(value))
		}
		o := &streamPublishOptions{header: natsio.Header{}}
		for _, key := range object.Keys() {
			if err := o.set(method, key, object.Get(key)); err != nil {
				return nil, err
			}
		}

		return o, nil
	})
}

func (o *streamPublishOptions) set(method, key string, value sobek.Value) (err error) {
	what := method + ": the option " + key
	switch key {
	case "headers":
		own, err := header(value)
		for name, values := range own {
			o.header[name] = values
		}

		return err
	case "timeout":
		o.timeout, err = duration(what, value, 0)
	case "count":
		o.count, err = count(what, value)
	case "msgID", "expectStream", "expectLastMsgID":
		var s string
		s, err = text(what, value)
		o.header[expectations[key]] = []string{s}
	case "expectLastSequence", "expectLastSequenceForSubject":
		var n uint64
		n, err = unsigned(what, value)
		o.header[expectations[key]] = []string{strconv.FormatUint(n, 10)}
	case "ttl":
		var d time.Duration
		d, err = duration(what, value, 0)
		o.header[expectations[key]] = []string{d.String()}
	default:
		err = misuse("%s: unknown option %q; known are headers, timeout, count, msgID, expectStream, expectLastMsgID, "+
			"expectLastSequence, expectLastSequenceForSubject, ttl", method, key)
	}

	return err
}

// publishOne is jetStream.publish(subject, data, options): the stream's acknowledgement.
func (h *jetStreamHandle) publishOne(call sobek.FunctionCall) (*task, error) {
	m, o, err := h.outgoing("publish", call)
	if err == nil && o.count != 0 {
		err = misuse("publish: the option count is one of publishBatch")
	}
	if err != nil {
		return nil, err
	}

	return h.publication(m, o.timeout), nil
}

// publication publishes a message and waits for its acknowledgement.
func (h *jetStreamHandle) publication(m *natsio.Msg, timeout time.Duration) *task {
	var ack *jetstream.PubAck

	return &task{
		operation: "js.publish", subject: m.Subject, timeout: timeout,
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

// ack is what a stream says of a message that it has stored.
func (c *client) ack(ack *jetstream.PubAck) sobek.Value {
	object := c.vu.Runtime().NewObject()
	for name, value := range map[string]any{
		"stream": ack.Stream, "sequence": c.number(ack.Sequence), "duplicate": ack.Duplicate, "domain": ack.Domain,
	} {
		if err := object.Set(name, value); err != nil {
			c.throw(misuse("%s", err))
		}
	}

	return object
}

// acks are what became of messages whose acknowledgements nobody waits for one by one.
type acks struct {
	mu     sync.Mutex
	stored tally
	lost   map[string]int // by the kind of error
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
	a.lost[asError(err).Kind]++
}

// claim returns what has happened since it was last asked.
func (a *acks) claim() (stored tally, lost map[string]int, first error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	stored, lost, first = a.stored, a.lost, a.first
	a.stored, a.lost, a.first = tally{}, nil, nil

	return stored, lost, first
}

// publishAsync is jetStream.publishAsync(subject, data, options): it waits for the acknowledgement of others only, and only where
// there are maxPending of them already. What became of it is told by complete.
func (h *jetStreamHandle) publishAsync(call sobek.FunctionCall) sobek.Value {
	c := h.client
	m, o, err := h.outgoing("publishAsync", call)
	if err == nil && (o.count != 0 || o.timeout != 0) {
		err = misuse("publishAsync: the options count and timeout are not for it")
	}
	if err != nil {
		c.throw(err)
	}
	conn := c.ready()
	js, _, err := h.bind(conn)
	if err == nil {
		_, err = js.PublishMsgAsync(m, jetstream.WithStallWait(c.config.TimeoutEach))
	}
	if err != nil {
		r := record{operation: opPublishAsync, err: explain(c.vu.Context(), c.config.TimeoutEach, err)}
		c.note(&r, conn)
		c.throw(r.err)
	}

	return sobek.Undefined()
}

// opPublishAsync counts messages, as of when their acknowledgements were asked for; its durations are those of complete.
const opPublishAsync = "js.publishAsync"

// complete is jetStream.complete(timeout): it waits for all acknowledgements, and returns how many messages are stored since it was
// last called. It throws when any message was not.
func (h *jetStreamHandle) complete(call sobek.FunctionCall) (*task, error) {
	timeout, err := duration("complete: the timeout", call.Argument(0), 0)

	return h.acknowledged(timeout, func(context.Context, jetstream.JetStream) error { return nil }), err
}

// publishBatch is jetStream.publishBatch(subject, data, options): many messages in one call, in Go, of which up to maxPending wait for
// their acknowledgements. It returns and throws as complete does.
func (h *jetStreamHandle) publishBatch(call sobek.FunctionCall) (*task, error) {
	c := h.client
	subject, err := text("publishBatch: the subject", call.Argument(0))
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

	return h.acknowledged(o.timeout, func(ctx context.Context, js jetstream.JetStream) error {
		for range max(o.count, 1) {
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
	}), nil
}

// acknowledged sends something and waits for all acknowledgements.
func (h *jetStreamHandle) acknowledged(timeout time.Duration, send func(context.Context, jetstream.JetStream) error) *task {
	var stored tally

	return &task{
		operation: opPublishAsync, timeout: timeout,
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
			stored, lost, first = a.claim()
			r.sent, r.many, r.times, r.lost = stored, true, stored.messages, lost
			switch {
			case failure != nil:
				return failure
			case first != nil:
				return lossOf(stored, lost, first)
			}

			return nil
		},
		value: func() (sobek.Value, error) { return h.client.vu.Runtime().ToValue(stored.messages), nil },
	}
}

// lossOf says that messages were not stored, and why the first was not.
func lossOf(stored tally, lost map[string]int, first error) error {
	failed := 0
	for _, n := range lost {
		failed += n
	}
	e := *asError(first)
	e.Message = fmt.Sprintf("%d of %d messages were not stored: %s", failed, failed+stored.messages, e.Message)

	return &e
}
