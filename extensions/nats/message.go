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

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

// lazyObject is a read-only JavaScript object that makes its properties on demand: most scripts
// read only one or two of a message.
type lazyObject[T any] struct {
	module     *module
	of         T
	properties []property[T]
	values     map[string]sobek.Value // made so far
}

type property[T any] struct {
	name string
	get  func(T) any
}

func prop[T, V any](name string, get func(T) V) property[T] {
	return property[T]{name, func(of T) any { return get(of) }}
}

func lazily[T any](m *module, of T, properties []property[T]) *sobek.Object {
	return m.Runtime().NewDynamicObject(&lazyObject[T]{module: m, of: of, properties: properties})
}

// Get implements sobek.DynamicObject.
func (l *lazyObject[T]) Get(key string) sobek.Value {
	if v, ok := l.values[key]; ok {
		return v
	}
	at := l.index(key)
	if at < 0 {
		return nil
	}
	if l.values == nil {
		l.values = map[string]sobek.Value{}
	}
	l.values[key] = l.module.show(l.properties[at].get(l.of))

	return l.values[key]
}

func (l *lazyObject[T]) index(key string) int {
	return slices.IndexFunc(l.properties, func(p property[T]) bool { return p.name == key })
}

// Keys implements sobek.DynamicObject.
func (l *lazyObject[T]) Keys() []string {
	keys := make([]string, len(l.properties))
	for i := range l.properties {
		keys[i] = l.properties[i].name
	}

	return keys
}

// Has implements sobek.DynamicObject.
func (l *lazyObject[T]) Has(key string) bool { return l.index(key) >= 0 }

// Set implements sobek.DynamicObject.
func (*lazyObject[T]) Set(string, sobek.Value) bool { return false }

// Delete implements sobek.DynamicObject.
func (*lazyObject[T]) Delete(string) bool { return false }

// show converts a value to JavaScript.
func (m *module) show(value any) sobek.Value {
	rt := m.Runtime()
	switch v := value.(type) {
	case nil:
		return sobek.Undefined()
	case uint64:
		return k6x.FromUnsigned(rt, v)
	case []byte:
		return rt.ToValue(rt.NewArrayBuffer(v))
	case time.Time:
		object, err := rt.New(rt.Get("Date"), rt.ToValue(v.UnixMilli()))
		if err != nil {
			panic(err)
		}

		return object
	case natsio.Header:
		object := rt.NewObject()
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if len(v[name]) > 0 {
				m.Set(object, name, v[name][0])
			}
		}

		return object
	default:
		return k6x.Plain(rt, value)
	}
}

func (m *module) plainObject(values map[string]any) *sobek.Object {
	return k6x.Plain(m.Runtime(), values).(*sobek.Object) //nolint:forcetypeassert // Plain converts maps to objects
}

// array returns a JavaScript array of what show makes of the values.
func array[T any](m *module, values []T, show func(T) any) *sobek.Object {
	all := make([]any, len(values))
	for i, v := range values {
		all[i] = show(v)
	}

	return m.Runtime().NewArray(all...)
}

func (m *module) stringArray(texts []string) *sobek.Object {
	return array(m, texts, func(text string) any { return text })
}

// message is a message of a subscription or a consumer, or an answer.
type message struct {
	through

	conn           *connection
	subject, reply string
	header         natsio.Header
	data           []byte

	stored jetstream.Msg // message of a consumer
	meta   *jetstream.MsgMetadata
}

var (
	coreProperties = []property[*message]{ //nolint:gochecknoglobals // a table
		{"subject", func(m *message) any { return m.subject }},
		{"reply", func(m *message) any { return m.reply }},
		{"data", func(m *message) any { return string(m.data) }},
		{"raw", func(m *message) any { return m.data }},
		{"headers", func(m *message) any { return m.header }},
		{"topic", func(m *message) any { return m.subject }},
	}
	storedProperties = append(slices.Clone(coreProperties), //nolint:gochecknoglobals // a table
		ofMeta("stream", func(meta *jetstream.MsgMetadata) any { return meta.Stream }),
		ofMeta("consumer", func(meta *jetstream.MsgMetadata) any { return meta.Consumer }),
		ofMeta("sequence", func(meta *jetstream.MsgMetadata) any { return meta.Sequence.Stream }),
		ofMeta("consumerSequence", func(meta *jetstream.MsgMetadata) any { return meta.Sequence.Consumer }),
		ofMeta("deliveries", func(meta *jetstream.MsgMetadata) any { return meta.NumDelivered }),
		ofMeta("pending", func(meta *jetstream.MsgMetadata) any { return meta.NumPending }),
		ofMeta("timestamp", func(meta *jetstream.MsgMetadata) any { return meta.Timestamp }),
	)
)

func ofMeta(name string, get func(*jetstream.MsgMetadata) any) property[*message] {
	return property[*message]{name, func(m *message) any {
		if m.meta == nil {
			var err error
			if m.meta, err = m.stored.Metadata(); err != nil {
				return nil
			}
		}

		return get(m.meta)
	}}
}

func (c *client) message(conn *connection, m *natsio.Msg) sobek.Value {
	msg := &message{through: through{c}, conn: conn, subject: m.Subject, reply: m.Reply, header: m.Header, data: m.Data}

	return c.shown(msg, coreProperties, c.prototypes.core)
}

func (c *client) storedMessage(conn *connection, m jetstream.Msg) sobek.Value {
	msg := &message{through: through{c}, conn: conn, subject: m.Subject(), reply: m.Reply(), header: m.Headers(), data: m.Data(), stored: m}

	return c.shown(msg, storedProperties, c.prototypes.stored)
}

func (c *client) shown(msg *message, properties []property[*message], prototype *sobek.Object) sobek.Value {
	object := lazily(c.module, msg, properties)
	if err := object.SetPrototype(prototype); err != nil {
		c.Throw(err)
	}

	return object
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
		"header": messageMethod((*message).headerOf), "respond": messageMethod((*message).respond),
	}
	doubleAck     = called("", "ackSync", (*message).doubleAck) //nolint:gochecknoglobals // a constant
	storedMethods = k6x.Methods[*module]{                       //nolint:gochecknoglobals // a table
		"header":       messageMethod((*message).headerOf),
		"ack":          acknowledge("ack", func(msg jetstream.Msg, _ *args) func() error { return msg.Ack }),
		"inProgress":   acknowledge("inProgress", func(msg jetstream.Msg, _ *args) func() error { return msg.InProgress }),
		"ackSync":      messageMethod(k6x.Blocking(doubleAck)),
		"asyncAckSync": messageMethod(k6x.Promising(doubleAck)),
		"nak": acknowledge("nak", func(msg jetstream.Msg, a *args) func() error {
			delay := a.duration("the delay", 0)
			if delay == 0 {
				return msg.Nak
			}

			return func() error { return msg.NakWithDelay(delay) }
		}),
		"term": acknowledge("term", func(msg jetstream.Msg, a *args) func() error {
			reason := a.next()
			if k6x.IsNullish(reason) {
				return msg.Term
			}

			return func() error { return msg.TermWithReason(k6x.Show(reason)) }
		}),
	}
)

func messageMethod(method k6x.Method[*message]) k6x.Method[*module] {
	return func(m *module, call sobek.FunctionCall) sobek.Value {
		if object, ok := call.This.(*sobek.Object); ok {
			if shown, ok := object.Export().(*lazyObject[*message]); ok {
				return method(shown.of, call)
			}
		}
		m.Misuse("this is a method of a message, and must be called as msg.method()")

		return nil
	}
}

func (m *message) headerOf(call sobek.FunctionCall) sobek.Value {
	return m.client.stringArray(m.header[k6x.Show(call.Argument(0))])
}

func acknowledge(operation string, prepare func(jetstream.Msg, *args) func() error) k6x.Method[*module] {
	return messageMethod(func(m *message, call sobek.FunctionCall) sobek.Value {
		a := m.client.args(operation, call)
		tell := prepare(m.stored, &a)
		a.readTags()
		a.must()
		m.client.timed(m.conn, &record{operation: operation, tags: a.tags}, tell)

		return sobek.Undefined()
	})
}

func (m *message) doubleAck(t *task) {
	t.timeout, t.on = t.duration("the timeout", t.client.config.timeout), m.conn
	t.job = func(ctx context.Context, _ *connection, _ *record) error { return m.stored.DoubleAck(ctx) }
}

func (m *message) respond(call sobek.FunctionCall) sobek.Value {
	a := m.client.args("respond", call)
	if m.reply == "" {
		a.refuse("the message is not a request: it has no reply subject")
	}
	data, o := a.data(), a.messageOptions(ofPublish)
	a.must()
	m.client.publishOne(m.reply, data, o)

	return sobek.Undefined()
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
