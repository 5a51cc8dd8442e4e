package nats

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/grafana/sobek"
	natsio "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

type message struct {
	client *client
	conn   *connection
	core   *natsio.Msg
	stored jetstream.Msg // message of a consumer

	meta *jetstream.MsgMetadata
}

type prototypes struct {
	core, stored *sobek.Object
}

func (m *module) newPrototypes() prototypes {
	rt := m.Runtime()

	return prototypes{coreMethods.Prototype(rt, m), storedMethods.Prototype(rt, m)}
}

var (
	coreMethods = k6x.Methods[*module]{ //nolint:gochecknoglobals // a table
		"header": (*module).headerOf, "respond": (*module).respondTo,
	}
	storedMethods = k6x.Methods[*module]{ //nolint:gochecknoglobals // a table
		"header": (*module).headerOf,
		"ack":    acknowledge("ack", 0, func(msg jetstream.Msg, _ sobek.Value) error { return msg.Ack() }),
		"nak": acknowledge("nak", 1, func(msg jetstream.Msg, value sobek.Value) error {
			delay, err := k6x.Duration("nak", "the delay", value, 0)
			if err != nil || delay == 0 {
				return orElse(err, msg.Nak)
			}

			return msg.NakWithDelay(delay)
		}),
		"term": acknowledge("term", 1, func(msg jetstream.Msg, value sobek.Value) error {
			if k6x.IsNullish(value) {
				return msg.Term()
			}

			return msg.TermWithReason(k6x.Show(value))
		}),
		"inProgress":   acknowledge("inProgress", 0, func(msg jetstream.Msg, _ sobek.Value) error { return msg.InProgress() }),
		"ackSync":      messageMethod(k6x.Blocking(tagged("ackSync", 1, (*message).doubleAck))),
		"asyncAckSync": messageMethod(k6x.Promising(tagged("ackSync", 1, (*message).doubleAck))),
	}
)

// Tasks implements k6x.Tasker.
func (msg *message) Tasks() *k6x.Tasks { return msg.client.tasks }

func messageMethod(method k6x.Method[*message]) k6x.Method[*module] {
	return func(m *module, call sobek.FunctionCall) sobek.Value { return method(m.messageOf(call), call) }
}

func (m *module) headerOf(call sobek.FunctionCall) sobek.Value {
	return m.stringArray(m.messageOf(call).header()[k6x.Show(call.Argument(0))])
}

func orElse(err error, fn func() error) error {
	if err != nil {
		return err
	}

	return fn()
}

func (m *module) messageOf(call sobek.FunctionCall) *message {
	if object, ok := call.This.(*sobek.Object); ok {
		if shown, ok := object.Export().(*lazyObject); ok {
			if msg, ok := shown.of.(*message); ok {
				return msg
			}
		}
	}
	m.Misuse("this is a method of a message, and must be called as msg.method()")

	return nil
}

// The options { tags } are argument at.
func acknowledge(operation string, at int, tell func(jetstream.Msg, sobek.Value) error) k6x.Method[*module] {
	return func(m *module, call sobek.FunctionCall) sobek.Value {
		msg := m.messageOf(call)
		tags, err := msg.client.tags(operation, call.Argument(at))
		if err != nil {
			m.Throw(err)
		}
		r := record{operation: operation, tags: tags}
		begin := clock.Now()
		err = tell(msg.stored, call.Argument(0))
		r.took = clock.Since(begin)
		r.err = explain(m.VU().Context(), msg.client.config.TimeoutEach, err)
		msg.client.note(&r, msg.conn)
		if r.err != nil {
			m.Throw(r.err)
		}

		return sobek.Undefined()
	}
}

func (msg *message) doubleAck(call sobek.FunctionCall) (*task, error) {
	timeout, err := k6x.Duration("ackSync", "the timeout", call.Argument(0), msg.client.config.TimeoutEach)

	return &task{
		client: msg.client, operation: "ackSync", timeout: timeout, on: msg.conn,
		job: func(ctx context.Context, _ *connection, _ *record) error { return msg.stored.DoubleAck(ctx) },
	}, err
}

func (m *module) respondTo(call sobek.FunctionCall) sobek.Value {
	msg := m.messageOf(call)
	if msg.core.Reply == "" {
		m.Misuse("respond: the message is not a request: it has no reply subject")
	}
	c := msg.client
	o, err := c.publish.readOne(c, "respond", call.Argument(1))
	if err != nil {
		m.Throw(err)
	}
	data, err := c.data("respond", call.Argument(0))
	if err != nil {
		m.Throw(err)
	}
	c.publish.send(c, msg.core.Reply, data, o)

	return sobek.Undefined()
}

func (c *client) message(conn *connection, m *natsio.Msg) sobek.Value {
	msg := &message{client: c, conn: conn, core: m}

	return c.lazily(&lazyObject{of: msg, keys: coreKeys, make: msg.make}, c.prototypes.core)
}

func (c *client) storedMessage(conn *connection, m jetstream.Msg) sobek.Value {
	msg := &message{client: c, conn: conn, stored: m}

	return c.lazily(&lazyObject{of: msg, keys: storedKeys, make: msg.make}, c.prototypes.stored)
}

var (
	coreKeys   = []string{"subject", "reply", "data", "raw", "headers", "topic"} //nolint:gochecknoglobals // a constant
	storedKeys = append(slices.Clone(coreKeys),                                  //nolint:gochecknoglobals // a constant
		"stream", "consumer", "sequence", "consumerSequence", "deliveries", "pending", "timestamp")
)

func (msg *message) make(key string) sobek.Value {
	rt := msg.client.Runtime()
	switch key {
	case "subject", "topic":
		return rt.ToValue(msg.subject())
	case "data":
		return rt.ToValue(string(msg.data()))
	case "raw":
		return rt.ToValue(rt.NewArrayBuffer(msg.data()))
	case "reply":
		if msg.core != nil {
			return rt.ToValue(msg.core.Reply)
		}

		return rt.ToValue(msg.stored.Reply())
	case "headers":
		return msg.client.headers(msg.header())
	}
	if msg.stored == nil {
		return nil
	}

	return msg.makeStored(key)
}

func (msg *message) makeStored(key string) sobek.Value {
	rt, c := msg.client.Runtime(), msg.client
	if msg.meta == nil {
		meta, err := msg.stored.Metadata()
		if err != nil {
			return nil
		}
		msg.meta = meta
	}
	switch key {
	case "stream":
		return rt.ToValue(msg.meta.Stream)
	case "consumer":
		return rt.ToValue(msg.meta.Consumer)
	case "sequence":
		return c.number(msg.meta.Sequence.Stream)
	case "consumerSequence":
		return c.number(msg.meta.Sequence.Consumer)
	case "deliveries":
		return c.number(msg.meta.NumDelivered)
	case "pending":
		return c.number(msg.meta.NumPending)
	case "timestamp":
		return c.date(msg.meta.Timestamp)
	default:
		return nil
	}
}

func (msg *message) subject() string {
	if msg.core != nil {
		return msg.core.Subject
	}

	return msg.stored.Subject()
}

func (msg *message) data() []byte {
	if msg.core != nil {
		return msg.core.Data
	}

	return msg.stored.Data()
}

func (msg *message) header() natsio.Header {
	if msg.core != nil {
		return msg.core.Header
	}

	return msg.stored.Headers()
}

func (m *module) headers(h natsio.Header) sobek.Value {
	object := m.Runtime().NewObject()
	for _, name := range slices.Sorted(maps.Keys(h)) {
		if len(h[name]) > 0 {
			m.Set(object, name, h[name][0])
		}
	}

	return object
}

func (m *module) date(t time.Time) sobek.Value {
	rt := m.Runtime()
	object, err := rt.New(rt.Get("Date"), rt.ToValue(t.UnixMilli()))
	if err != nil {
		panic(err)
	}

	return object
}

func latency(h natsio.Header, stored jetstream.Msg) (time.Duration, bool) {
	if values := h[sentHeader]; len(values) == 1 {
		if ns, err := strconv.ParseInt(values[0], 10, 64); err == nil {
			return max(time.Since(time.Unix(0, ns)), 0), true
		}
	}
	if stored == nil {
		return 0, false
	}
	meta, err := stored.Metadata()
	if err != nil {
		return 0, false
	}

	return max(time.Since(meta.Timestamp), 0), true
}
