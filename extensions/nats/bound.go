package nats

import (
	"context"
	"sync"

	"github.com/grafana/sobek"
	"github.com/nats-io/nats.go/jetstream"
)

// bound is something of JetStream's (a consumer, a bucket) that the server is asked for once for each connection.
type bound[T any] struct {
	handle *jetStreamHandle
	find   func(context.Context, jetstream.JetStream) (T, error)

	mu    sync.Mutex // promises come from other goroutines
	conn  *connection
	found T
}

func (b *bound[T]) attachedTo() *client { return b.handle.client }

// on returns it as seen through the connection. It may be called by any goroutine.
func (b *bound[T]) on(ctx context.Context, conn *connection) (T, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.conn == conn {
		return b.found, nil
	}
	var none T
	js, _, err := b.handle.bind(conn)
	if err != nil {
		return none, err
	}
	found, err := b.find(ctx, js)
	if err != nil {
		return none, err
	}
	b.conn, b.found = conn, found

	return found, nil
}

// bucket is a key-value or an object store, of which scripts have an object.
type bucket[T any] interface {
	at() *bound[T]
	object() *sobek.Object
}

// changeBucket is an operation such as createKeyValue(configuration): the bucket. of makes it of its configuration.
func changeBucket[C, T any](
	name string, change func(jetstream.JetStream, context.Context, C) (T, error), of func(*jetStreamHandle, C) bucket[T],
) operation[*jetStreamHandle] {
	return func(h *jetStreamHandle, call sobek.FunctionCall) (*task, error) {
		var cfg C
		if err := apiConfig(name, call.Argument(0), &cfg); err != nil {
			return nil, err
		}
		made := of(h, cfg)
		t := h.task(name, nil)
		t.job = func(ctx context.Context, conn *connection, _ *record) error {
			js, _, err := h.bind(conn)
			if err != nil {
				return err
			}
			found, err := change(js, ctx, cfg)
			if err == nil {
				made.at().conn, made.at().found = conn, found
			}

			return err
		}
		t.value = func() (sobek.Value, error) { return made.object(), nil }

		return t, nil
	}
}
