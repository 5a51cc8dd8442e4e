package nats

import (
	"context"

	"github.com/grafana/sobek"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

func changeStream(
	name string, change func(jetstream.JetStream, context.Context, jetstream.StreamConfig) (jetstream.Stream, error),
) operation[*jetStreamHandle] {
	return func(h *jetStreamHandle, call sobek.FunctionCall) (*task, error) {
		var cfg jetstream.StreamConfig
		if err := apiConfig(name, call.Argument(0), &cfg); err != nil {
			return nil, err
		}

		return h.task(name, func(ctx context.Context, js jetstream.JetStream) (any, error) {
			stream, err := change(js, ctx, cfg)
			if err != nil {
				return nil, err
			}

			return stream.CachedInfo(), nil
		}), nil
	}
}

func (h *jetStreamHandle) streamInfo(call sobek.FunctionCall) (*task, error) {
	return h.withStream("streamInfo", call, func(_ context.Context, stream jetstream.Stream) (any, error) {
		return stream.CachedInfo(), nil // requested just now
	})
}

func (h *jetStreamHandle) withStream(
	operation string, call sobek.FunctionCall, ask func(context.Context, jetstream.Stream) (any, error),
) (*task, error) {
	name, err := k6x.Name(operation, "the stream", call.Argument(0))

	return h.task(operation, func(ctx context.Context, js jetstream.JetStream) (any, error) {
		stream, err := js.Stream(ctx, name)
		if err != nil {
			return nil, err
		}

		return ask(ctx, stream)
	}), err
}

func (h *jetStreamHandle) deleteStream(call sobek.FunctionCall) (*task, error) {
	name, err := k6x.Name("deleteStream", "the stream", call.Argument(0))

	return h.task("deleteStream", func(ctx context.Context, js jetstream.JetStream) (any, error) {
		return nil, js.DeleteStream(ctx, name)
	}), err
}

type purgeOptions struct {
	all  []jetstream.StreamPurgeOpt
	tags *k6x.Tags
}

func (h *jetStreamHandle) purgeStream(call sobek.FunctionCall) (*task, error) {
	var o purgeOptions
	if err := purging.Read("purgeStream", call.Argument(1), &o); err != nil {
		return nil, err
	}
	t, err := h.withStream("purgeStream", call, func(ctx context.Context, stream jetstream.Stream) (any, error) {
		return nil, stream.Purge(ctx, o.all...)
	})
	t.tags = o.tags

	return t, err
}

var purging = k6x.Options[purgeOptions]{ //nolint:gochecknoglobals // a table
	purgeOption("subject", k6x.Name, jetstream.WithPurgeSubject),
	purgeOption("keep", k6x.Unsigned, jetstream.WithPurgeKeep),
	purgeOption("sequence", k6x.Unsigned, jetstream.WithPurgeSequence),
	k6x.Into("tags", func(o *purgeOptions) **k6x.Tags { return &o.tags }, readTags),
}

func purgeOption[V any](
	name string, read func(method, what string, value sobek.Value) (V, error), option func(V) jetstream.StreamPurgeOpt,
) k6x.Option[purgeOptions] {
	return k6x.Option[purgeOptions]{Name: name, Read: func(o *purgeOptions, method string, value sobek.Value) error {
		v, err := read(method, "option "+name, value)
		o.all = append(o.all, option(v))

		return err
	}}
}

func (h *jetStreamHandle) streams(call sobek.FunctionCall) (*task, error) {
	var opts []jetstream.StreamListOpt
	if given := call.Argument(0); !k6x.IsNullish(given) {
		subject, err := k6x.Name("streams", "the subject", given)
		if err != nil {
			return nil, err
		}
		opts = append(opts, jetstream.WithStreamListSubject(subject))
	}

	return h.task("streams", func(ctx context.Context, js jetstream.JetStream) (any, error) {
		lister := js.StreamNames(ctx, opts...)
		names := all(lister.Name())

		return names, lister.Err()
	}), nil
}

func all[T any](values <-chan T) []T {
	list := []T{}
	for v := range values {
		list = append(list, v)
	}

	return list
}

func (h *jetStreamHandle) getMessage(call sobek.FunctionCall) (*task, error) {
	place := call.Argument(1)
	subject, sequence := "", uint64(0)
	if s, ok := place.(sobek.String); ok {
		subject = s.String()
	} else {
		var err error
		if sequence, err = k6x.Unsigned("getMessage", "the sequence", place); err != nil {
			return nil, err
		}
	}
	var found *jetstream.RawStreamMsg
	t, err := h.withStream("getMessage", call, func(ctx context.Context, stream jetstream.Stream) (said any, err error) {
		if subject != "" {
			found, err = stream.GetLastMsgForSubject(ctx, subject)
		} else {
			found, err = stream.GetMsg(ctx, sequence)
		}
		if err != nil && scriptError(err).Kind == k6x.KindNotFound {
			return nil, nil //nolint:nilnil // as documented
		}

		return nil, err
	})
	if err != nil {
		return nil, err
	}
	t.value = func() (sobek.Value, error) {
		if found == nil {
			return sobek.Null(), nil
		}

		return h.client.raw(found), nil
	}

	return t, nil
}

func (h *jetStreamHandle) deleteMessage(call sobek.FunctionCall) (*task, error) {
	sequence, err := k6x.Unsigned("deleteMessage", "the sequence", call.Argument(1))
	if err != nil {
		return nil, err
	}

	return h.withStream("deleteMessage", call, func(ctx context.Context, stream jetstream.Stream) (any, error) {
		return nil, stream.DeleteMsg(ctx, sequence)
	})
}

func (c *client) raw(found *jetstream.RawStreamMsg) sobek.Value {
	rt := c.Runtime()

	return c.lazily(&lazyObject{
		keys: []string{"subject", "data", "raw", "headers", "sequence", "timestamp"},
		make: func(key string) sobek.Value {
			switch key {
			case "subject":
				return rt.ToValue(found.Subject)
			case "data":
				return rt.ToValue(string(found.Data))
			case "raw":
				return rt.ToValue(rt.NewArrayBuffer(found.Data))
			case "headers":
				return c.headers(found.Header)
			case "sequence":
				return c.number(found.Sequence)
			default:
				return c.date(found.Time)
			}
		},
	}, nil)
}
