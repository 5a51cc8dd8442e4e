package nats

import (
	"context"
	"strings"
	"time"

	"github.com/grafana/sobek"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

type keyValue struct {
	perConnection[jetstream.KeyValue]

	bucket string
}

func (h *jetStreamHandle) keyValueOf(bucket string) *keyValue {
	kv := &keyValue{bucket: bucket}
	kv.handle = h
	kv.find = func(ctx context.Context, js jetstream.JetStream) (jetstream.KeyValue, error) {
		return js.KeyValue(ctx, bucket)
	}

	return kv
}

func (kv *keyValue) at() *perConnection[jetstream.KeyValue] { return &kv.perConnection }

func (h *jetStreamHandle) keyValue(call sobek.FunctionCall) sobek.Value {
	bucket, err := k6x.Name("keyValue", "the bucket", call.Argument(0))
	if err != nil {
		h.client.Throw(err)
	}
	if !sobek.IsUndefined(call.Argument(1)) {
		h.client.Misuse("keyValue: takes only the bucket's name; ensureKeyValue({ bucket, ttl: '60s' }) creates one with options")
	}

	return h.keyValueOf(bucket).object()
}

func changeKeyValue(
	name string, change func(jetstream.JetStream, context.Context, jetstream.KeyValueConfig) (jetstream.KeyValue, error),
) operation[*jetStreamHandle] {
	return changeBucket(name, change, func(h *jetStreamHandle, cfg jetstream.KeyValueConfig) bucket[jetstream.KeyValue] {
		return h.keyValueOf(cfg.Bucket)
	})
}

func (h *jetStreamHandle) keyValues(sobek.FunctionCall) (*task, error) {
	return h.task("keyValues", func(ctx context.Context, js jetstream.JetStream) (any, error) {
		lister := js.KeyValueStoreNames(ctx)
		names := all(lister.Name())

		return names, lister.Error()
	}), nil
}

func (kv *keyValue) object() *sobek.Object {
	c := kv.handle.client
	object := keyValueMethods.Object(c.Runtime(), kv)
	c.SetConstant(object, "bucket", kv.bucket)

	return object
}

var keyValueMethods = k6x.BothForms(map[string]operation[*keyValue]{ //nolint:gochecknoglobals // a table
	"get":          tagged("get", 1, (*keyValue).get),
	"getRevision":  tagged("getRevision", 2, (*keyValue).getRevision),
	"put":          tagged("put", 2, (*keyValue).put),
	"create":       (*keyValue).create,
	"update":       tagged("update", 3, (*keyValue).update),
	"delete":       tagged("delete", 2, removeKey("delete", jetstream.KeyValue.Delete)),
	"purge":        tagged("purge", 2, removeKey("purge", jetstream.KeyValue.Purge)),
	"purgeDeletes": tagged("purgeDeletes", 1, (*keyValue).purgeDeletes),
	"keys":         tagged("keys", 1, (*keyValue).keys),
	"history":      tagged("history", 1, (*keyValue).history),
	"info":         tagged("info", 0, (*keyValue).info),
}).With(k6x.Methods[*keyValue]{"watch": (*keyValue).watch})

func (kv *keyValue) task(operation string, job func(ctx context.Context, found jetstream.KeyValue, r *record) error) *task {
	return &task{client: kv.handle.client, operation: "kv." + operation, job: func(ctx context.Context, conn *connection, r *record) error {
		found, err := kv.on(ctx, conn)
		if err != nil {
			return err
		}

		return job(ctx, found, r)
	}}
}

func (kv *keyValue) get(call sobek.FunctionCall) (*task, error) {
	key, err := k6x.Name("get", "the key", call.Argument(0))

	return kv.lookup("get", func(ctx context.Context, found jetstream.KeyValue) (jetstream.KeyValueEntry, error) {
		return found.Get(ctx, key)
	}), err
}

func (kv *keyValue) getRevision(call sobek.FunctionCall) (*task, error) {
	key, err := k6x.Name("getRevision", "the key", call.Argument(0))
	if err != nil {
		return nil, err
	}
	revision, err := k6x.Unsigned("getRevision", "the revision", call.Argument(1))

	return kv.lookup("getRevision", func(ctx context.Context, found jetstream.KeyValue) (jetstream.KeyValueEntry, error) {
		return found.GetRevision(ctx, key, revision)
	}), err
}

func (kv *keyValue) lookup(operation string, ask func(context.Context, jetstream.KeyValue) (jetstream.KeyValueEntry, error)) *task {
	var entry jetstream.KeyValueEntry
	t := kv.task(operation, func(ctx context.Context, found jetstream.KeyValue, r *record) (err error) {
		entry, err = ask(ctx, found)
		switch {
		case err == nil:
			r.received.add(entry.Value())
		case scriptError(err).Kind == k6x.KindNotFound:
			entry, err = nil, nil
		}

		return err
	})
	t.value = func() (sobek.Value, error) {
		if entry == nil {
			return sobek.Null(), nil
		}

		return kv.handle.client.entry(entry), nil
	}

	return t
}

func (kv *keyValue) put(call sobek.FunctionCall) (*task, error) {
	return kv.write("put", call, func(ctx context.Context, found jetstream.KeyValue, key string, value []byte) (uint64, error) {
		return found.Put(ctx, key, value)
	})
}

type createOptions struct {
	ttl  time.Duration
	tags *k6x.Tags
}

var creating = k6x.Options[createOptions]{ //nolint:gochecknoglobals // a table
	k6x.Into("ttl", func(o *createOptions) *time.Duration { return &o.ttl }, k6x.TTL),
	k6x.Into("tags", func(o *createOptions) **k6x.Tags { return &o.tags }, readTags),
}

func (kv *keyValue) create(call sobek.FunctionCall) (*task, error) {
	var o createOptions
	if err := creating.Read("create", call.Argument(2), &o); err != nil {
		return nil, err
	}
	var opts []jetstream.KVCreateOpt
	if o.ttl != 0 {
		opts = append(opts, jetstream.KeyTTL(wholeSeconds(o.ttl)))
	}

	t, err := kv.write("create", call, func(ctx context.Context, found jetstream.KeyValue, key string, value []byte) (uint64, error) {
		revision, err := found.Create(ctx, key, value, opts...)
		if err != nil {
			if e := scriptError(err); e.Kind == kindWrongSequence {
				err = &k6x.Error{Kind: k6x.KindConflict, Code: e.Code, Message: withCode("key exists", e.Code)}
			}
		}

		return revision, err
	})
	if err == nil {
		t.tags = o.tags
	}

	return t, err
}

func (kv *keyValue) update(call sobek.FunctionCall) (*task, error) {
	revision, err := k6x.Unsigned("update", "the revision", call.Argument(2))
	if err != nil {
		return nil, err
	}

	return kv.write("update", call, func(ctx context.Context, found jetstream.KeyValue, key string, value []byte) (uint64, error) {
		return found.Update(ctx, key, value, revision)
	})
}

func (kv *keyValue) write(
	operation string, call sobek.FunctionCall, do func(context.Context, jetstream.KeyValue, string, []byte) (uint64, error),
) (*task, error) {
	c := kv.handle.client
	key, err := k6x.Name(operation, "the key", call.Argument(0))
	if err != nil {
		return nil, err
	}
	value, err := c.owned(operation, call.Argument(1))
	if err != nil {
		return nil, err
	}
	var revision uint64
	t := kv.task(operation, func(ctx context.Context, found jetstream.KeyValue, r *record) (err error) {
		if revision, err = do(ctx, found, key, value); err == nil {
			r.sent.add(value)
		}

		return err
	})
	t.value = func() (sobek.Value, error) { return c.number(revision), nil }

	return t, nil
}

type removal struct {
	revision uint64
	ttl      time.Duration
}

var removalOptions = k6x.Options[removal]{ //nolint:gochecknoglobals // a table
	k6x.Into("revision", func(o *removal) *uint64 { return &o.revision }, k6x.Unsigned),
	k6x.Into("ttl", func(o *removal) *time.Duration { return &o.ttl }, k6x.TTL),
}

// The marker of a purge with a ttl expires.
func removeKey(
	name string, do func(jetstream.KeyValue, context.Context, string, ...jetstream.KVDeleteOpt) error,
) operation[*keyValue] {
	return func(kv *keyValue, call sobek.FunctionCall) (*task, error) {
		key, err := k6x.Name(name, "the key", call.Argument(0))
		if err != nil {
			return nil, err
		}
		var o removal
		given := call.Argument(1)
		if object, is := given.(*sobek.Object); is && object.ClassName() == "Object" && name == "purge" {
			err = removalOptions.Read(name, given, &o)
		} else if !k6x.IsNullish(given) {
			o.revision, err = k6x.Unsigned(name, "the revision", given)
		}
		if err != nil {
			return nil, err
		}
		var opts []jetstream.KVDeleteOpt
		if o.revision != 0 {
			opts = append(opts, jetstream.LastRevision(o.revision))
		}
		if o.ttl != 0 {
			opts = append(opts, jetstream.PurgeTTL(wholeSeconds(o.ttl)))
		}

		return kv.task(name, func(ctx context.Context, found jetstream.KeyValue, _ *record) error {
			return do(found, ctx, key, opts...)
		}), nil
	}
}

func (kv *keyValue) purgeDeletes(call sobek.FunctionCall) (*task, error) {
	const usual = 30 * time.Minute
	older, err := k6x.Duration("purgeDeletes", "the time", call.Argument(0), usual)
	if older == 0 {
		older = -1 // all older entries
	}

	return kv.task("purgeDeletes", func(ctx context.Context, found jetstream.KeyValue, _ *record) error {
		return found.PurgeDeletes(ctx, jetstream.DeleteMarkersOlderThan(older))
	}), err
}

func (kv *keyValue) info(sobek.FunctionCall) (*task, error) {
	var said jetstream.KeyValueStatus
	t := kv.task("info", func(ctx context.Context, found jetstream.KeyValue, _ *record) (err error) {
		said, err = found.Status(ctx)

		return err
	})
	t.value = func() (sobek.Value, error) {
		c := kv.handle.client
		config, err := c.toScript(said.Config())
		if err != nil {
			return nil, err
		}
		rt := c.Runtime()

		return c.plainObject(map[string]any{
			"bucket": said.Bucket(), "values": c.number(said.Values()), "bytes": c.number(said.Bytes()), "history": said.History(),
			"ttl": shownTime(said.TTL()), "backingStore": said.BackingStore(),
			"compressed": said.IsCompressed(), "config": rt.ToValue(config),
		}), nil
	}

	return t, nil
}

var entryKeys = []string{ //nolint:gochecknoglobals // a constant
	"bucket", "key", "value", "raw", "revision", "created", "operation", "delta",
}

func (c *client) entry(e jetstream.KeyValueEntry) sobek.Value {
	rt := c.Runtime()

	return c.lazily(&lazyObject{keys: entryKeys, make: func(key string) sobek.Value {
		switch key {
		case "bucket":
			return rt.ToValue(e.Bucket())
		case "key":
			return rt.ToValue(e.Key())
		case "value":
			return rt.ToValue(string(e.Value()))
		case "raw":
			return rt.ToValue(rt.NewArrayBuffer(e.Value()))
		case "revision":
			return c.number(e.Revision())
		case "created":
			return c.date(e.Created())
		case "delta":
			return c.number(e.Delta())
		default:
			name := strings.TrimSuffix(strings.TrimPrefix(e.Operation().String(), "KeyValue"), "Op")

			return rt.ToValue(strings.ToLower(name))
		}
	}}, nil)
}
