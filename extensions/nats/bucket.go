package nats

import (
	"context"

	"github.com/grafana/sobek"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

type bucket[T any] interface {
	at() *perConnection[T]
	object() *sobek.Object
}

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

func deleteBucket(name string, remove func(jetstream.JetStream, context.Context, string) error) operation[*jetStreamHandle] {
	return func(h *jetStreamHandle, call sobek.FunctionCall) (*task, error) {
		bucket, err := k6x.Name(name, "the bucket", call.Argument(0))

		return h.task(name, func(ctx context.Context, js jetstream.JetStream) (any, error) { return nil, remove(js, ctx, bucket) }), err
	}
}
