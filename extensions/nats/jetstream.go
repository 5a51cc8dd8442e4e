package nats

import (
	"context"
	"sync"

	"github.com/grafana/sobek"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

const defaultMaxPending = 4000

type jetStreamOptions struct {
	Domain     string `json:"domain"`
	APIPrefix  string `json:"apiPrefix"`
	MaxPending int    `json:"maxPending"` // maximum publications without an acknowledgement, for publishNoWait and publishBatch
}

type jetStreamHandle struct {
	client  *client
	options jetStreamOptions
	publish k6x.Frozen[*streamPublishOptions]

	mu   sync.Mutex // promises run in other goroutines
	conn *connection
	js   jetstream.JetStream
	acks *acks
}

func (c *client) jetStream(call sobek.FunctionCall) sobek.Value {
	h := &jetStreamHandle{client: c}
	if err := k6x.ReadOptions(call.Argument(0), &h.options); err != nil {
		c.Misuse("jetStream: %s", err)
	}
	switch o := h.options; {
	case o.Domain != "" && o.APIPrefix != "":
		c.Misuse("jetStream: only one of domain and apiPrefix can be given")
	case o.MaxPending < 0 || o.MaxPending > k6x.MaxElements:
		c.Misuse("jetStream: maxPending must be from 1 to %d, or 0 for %d, not %d", k6x.MaxElements, defaultMaxPending, o.MaxPending)
	}

	return jetStreamMethods.Object(c.Runtime(), h)
}

var jetStreamMethods = k6x.BothForms(map[string]operation[*jetStreamHandle]{ //nolint:gochecknoglobals // a table
	"publish":       (*jetStreamHandle).publishOne,
	"publishBatch":  (*jetStreamHandle).publishBatch,
	"complete":      tagged("complete", 1, (*jetStreamHandle).complete),
	"createStream":  tagged("createStream", 1, changeStream("createStream", jetstream.JetStream.CreateStream)),
	"updateStream":  tagged("updateStream", 1, changeStream("updateStream", jetstream.JetStream.UpdateStream)),
	"ensureStream":  tagged("ensureStream", 1, changeStream("ensureStream", jetstream.JetStream.CreateOrUpdateStream)),
	"streamInfo":    tagged("streamInfo", 1, (*jetStreamHandle).streamInfo),
	"deleteStream":  tagged("deleteStream", 1, (*jetStreamHandle).deleteStream),
	"purgeStream":   (*jetStreamHandle).purgeStream,
	"streams":       tagged("streams", 1, (*jetStreamHandle).streams),
	"getMessage":    tagged("getMessage", 2, (*jetStreamHandle).getMessage),
	"deleteMessage": tagged("deleteMessage", 2, (*jetStreamHandle).deleteMessage),
	"info":          tagged("info", 0, (*jetStreamHandle).info),

	"createConsumer": tagged("createConsumer", 2, changeConsumer("createConsumer", jetstream.JetStream.CreateConsumer)),
	"updateConsumer": tagged("updateConsumer", 2, changeConsumer("updateConsumer", jetstream.JetStream.UpdateConsumer)),
	"ensureConsumer": tagged("ensureConsumer", 2, changeConsumer("ensureConsumer", jetstream.JetStream.CreateOrUpdateConsumer)),
	"deleteConsumer": tagged("deleteConsumer", 2, (*jetStreamHandle).deleteConsumer),
	"consumers":      tagged("consumers", 1, (*jetStreamHandle).consumers),

	"createKeyValue": tagged("createKeyValue", 1, changeKeyValue("createKeyValue", jetstream.JetStream.CreateKeyValue)),
	"updateKeyValue": tagged("updateKeyValue", 1, changeKeyValue("updateKeyValue", jetstream.JetStream.UpdateKeyValue)),
	"ensureKeyValue": tagged("ensureKeyValue", 1, changeKeyValue("ensureKeyValue", jetstream.JetStream.CreateOrUpdateKeyValue)),
	"deleteKeyValue": tagged("deleteKeyValue", 1, deleteBucket("deleteKeyValue", jetstream.JetStream.DeleteKeyValue)),
	"keyValues":      tagged("keyValues", 0, (*jetStreamHandle).keyValues),

	"createObjectStore": tagged("createObjectStore", 1, changeObjectStore("createObjectStore", jetstream.JetStream.CreateObjectStore)),
	"updateObjectStore": tagged("updateObjectStore", 1, changeObjectStore("updateObjectStore", jetstream.JetStream.UpdateObjectStore)),
	"ensureObjectStore": tagged("ensureObjectStore", 1, changeObjectStore("ensureObjectStore", jetstream.JetStream.CreateOrUpdateObjectStore)),
	"deleteObjectStore": tagged("deleteObjectStore", 1, deleteBucket("deleteObjectStore", jetstream.JetStream.DeleteObjectStore)),
	"objectStores":      tagged("objectStores", 0, (*jetStreamHandle).objectStores),
}).With(k6x.Methods[*jetStreamHandle]{
	"publishNoWait":   (*jetStreamHandle).publishNoWait,
	"consumer":        (*jetStreamHandle).consumer,
	"orderedConsumer": (*jetStreamHandle).orderedConsumer,
	"keyValue":        (*jetStreamHandle).keyValue,
	"objectStore":     (*jetStreamHandle).objectStore,
})

// Tasks implements k6x.Tasker.
func (h *jetStreamHandle) Tasks() *k6x.Tasks { return h.client.tasks }

// Any goroutine may call it.
func (h *jetStreamHandle) bind(conn *connection) (jetstream.JetStream, *acks, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.conn == conn {
		return h.js, h.acks, nil
	}
	pending := h.options.MaxPending
	if pending == 0 {
		pending = defaultMaxPending
	}
	a := &acks{}
	opts := []jetstream.JetStreamOpt{
		jetstream.WithDefaultTimeout(h.client.config.TimeoutEach), jetstream.WithPublishAsyncTimeout(h.client.config.TimeoutEach),
		jetstream.WithPublishAsyncMaxPending(pending), jetstream.WithPublishAsyncAckHandler(a.acked),
		jetstream.WithPublishAsyncErrHandler(a.failed),
	}
	var js jetstream.JetStream
	var err error
	switch {
	case h.options.Domain != "":
		js, err = jetstream.NewWithDomain(conn.nc, h.options.Domain, opts...)
	case h.options.APIPrefix != "":
		js, err = jetstream.NewWithAPIPrefix(conn.nc, h.options.APIPrefix, opts...)
	default:
		js, err = jetstream.New(conn.nc, opts...)
	}
	if err != nil {
		return nil, nil, err
	}
	h.conn, h.js, h.acks = conn, js, a

	return js, a, nil
}

func (h *jetStreamHandle) task(operation string, ask func(context.Context, jetstream.JetStream) (any, error)) *task {
	var said any

	return &task{
		client: h.client, operation: "js." + operation,
		job: func(ctx context.Context, conn *connection, _ *record) error {
			js, _, err := h.bind(conn)
			if err != nil {
				return err
			}
			said, err = ask(ctx, js)

			return err
		},
		value: func() (sobek.Value, error) {
			if said == nil {
				return sobek.Undefined(), nil
			}

			return h.client.toScript(said)
		},
	}
}

func (h *jetStreamHandle) info(sobek.FunctionCall) (*task, error) {
	return h.task("info", func(ctx context.Context, js jetstream.JetStream) (any, error) { return js.AccountInfo(ctx) }), nil
}
