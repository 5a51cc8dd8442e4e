package nats

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/grafana/sobek"
	natsio "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

type objectStore struct {
	perConnection[jetstream.ObjectStore]

	bucket string
}

func (h *jetStreamHandle) objectStoreOf(bucket string) *objectStore {
	s := &objectStore{bucket: bucket}
	s.handle = h
	s.find = func(ctx context.Context, js jetstream.JetStream) (jetstream.ObjectStore, error) {
		return js.ObjectStore(ctx, bucket)
	}

	return s
}

func (s *objectStore) at() *perConnection[jetstream.ObjectStore] { return &s.perConnection }

func (h *jetStreamHandle) objectStore(call sobek.FunctionCall) sobek.Value {
	bucket, err := k6x.Name("objectStore", "the bucket", call.Argument(0))
	if err != nil {
		h.client.Throw(err)
	}

	return h.objectStoreOf(bucket).object()
}

func changeObjectStore(
	name string, change func(jetstream.JetStream, context.Context, jetstream.ObjectStoreConfig) (jetstream.ObjectStore, error),
) operation[*jetStreamHandle] {
	return changeBucket(name, change, func(h *jetStreamHandle, cfg jetstream.ObjectStoreConfig) bucket[jetstream.ObjectStore] {
		return h.objectStoreOf(cfg.Bucket)
	})
}

func (h *jetStreamHandle) objectStores(sobek.FunctionCall) (*task, error) {
	return h.task("objectStores", func(ctx context.Context, js jetstream.JetStream) (any, error) {
		lister := js.ObjectStoreNames(ctx)
		names := all(lister.Name())

		return names, lister.Error()
	}), nil
}

func (s *objectStore) object() *sobek.Object {
	c := s.handle.client
	object := objectStoreMethods.Object(c.Runtime(), s)
	c.SetConstant(object, "bucket", s.bucket)

	return object
}

var objectStoreMethods = k6x.BothForms(map[string]operation[*objectStore]{ //nolint:gochecknoglobals // a table
	"put":    tagged("put", 2, (*objectStore).put),
	"get":    tagged("get", 1, (*objectStore).get),
	"stat":   tagged("stat", 1, (*objectStore).stat),
	"delete": tagged("delete", 1, (*objectStore).remove),
	"list":   tagged("list", 0, (*objectStore).list),
	"info":   tagged("info", 0, (*objectStore).info),
})

func (s *objectStore) task(operation string, job func(context.Context, jetstream.ObjectStore, *record) (any, error)) *task {
	var said any

	return &task{
		client: s.handle.client, operation: "object." + operation,
		job: func(ctx context.Context, conn *connection, r *record) error {
			found, err := s.on(ctx, conn)
			if err == nil {
				said, err = job(ctx, found, r)
			}

			return err
		},
		value: func() (sobek.Value, error) {
			if said == nil {
				return sobek.Undefined(), nil
			}

			return s.handle.client.toScript(said)
		},
	}
}

func (s *objectStore) put(call sobek.FunctionCall) (*task, error) {
	var meta jetstream.ObjectMeta
	if name, ok := call.Argument(0).(sobek.String); ok {
		meta.Name = name.String()
	} else if err := readObjectMeta(call.Argument(0), &meta); err != nil {
		return nil, err
	}
	if meta.Name == "" {
		return nil, k6x.Misuse("put: the name of the object must not be empty")
	}
	data, err := s.handle.client.owned("put", call.Argument(1))

	return s.task("put", func(ctx context.Context, found jetstream.ObjectStore, r *record) (any, error) {
		info, err := found.Put(ctx, meta, bytes.NewReader(data))
		if err == nil {
			r.sent.add(data)
		}

		return info, err
	}), err
}

func readObjectMeta(value sobek.Value, meta *jetstream.ObjectMeta) error {
	if object, ok := value.(*sobek.Object); !ok || object.ClassName() != "Object" {
		return k6x.Wrong("put", "the object", "a name or a description such as { name: 'a' }", value)
	}

	return objectMeta.Read("put", value, meta)
}

var objectMeta = k6x.Options[jetstream.ObjectMeta]{ //nolint:gochecknoglobals // a table
	k6x.Into("name", func(o *jetstream.ObjectMeta) *string { return &o.Name }, k6x.Name),
	{Name: "description", Read: func(o *jetstream.ObjectMeta, _ string, value sobek.Value) error {
		o.Description = value.String()

		return nil
	}},
	k6x.Into("headers", func(o *jetstream.ObjectMeta) *natsio.Header { return &o.Headers }, headers),
	{Name: "metadata", Read: func(o *jetstream.ObjectMeta, method string, value sobek.Value) error {
		own, err := headers(method, "option metadata", value)
		o.Metadata = make(map[string]string, len(own))
		for name, values := range own {
			o.Metadata[name] = values[0]
		}

		return err
	}},
	{Name: "chunkSize", Read: func(o *jetstream.ObjectMeta, method string, value sobek.Value) error {
		n, err := k6x.Count(method, "option chunkSize", value)
		o.Opts = &jetstream.ObjectMetaOptions{ChunkSize: uint32(n)}

		return err
	}},
}

func (s *objectStore) get(call sobek.FunctionCall) (*task, error) {
	name, err := k6x.Name("get", "the name", call.Argument(0))
	var data []byte
	var info *jetstream.ObjectInfo
	t := s.task("get", func(ctx context.Context, found jetstream.ObjectStore, r *record) (any, error) {
		result, err := found.Get(ctx, name)
		if err == nil {
			data, err = io.ReadAll(result)
			err = errors.Join(err, result.Close())
		}
		if err == nil {
			info, err = result.Info()
			r.received.add(data)
		}
		if errors.Is(err, jetstream.ErrObjectNotFound) {
			return nil, nil //nolint:nilnil // as documented
		}

		return nil, err
	})
	t.value = func() (sobek.Value, error) {
		if info == nil {
			return sobek.Null(), nil
		}

		return s.handle.client.stored(info, data)
	}

	return t, err
}

func (c *client) stored(info *jetstream.ObjectInfo, data []byte) (sobek.Value, error) {
	shown, err := c.toScript(info)
	if err != nil {
		return nil, err
	}
	rt := c.Runtime()
	object := shown.ToObject(rt)
	keys := append(object.Keys(), "data", "raw")

	return c.lazily(&lazyObject{keys: keys, make: func(key string) sobek.Value {
		switch key {
		case "data":
			return rt.ToValue(string(data))
		case "raw":
			return rt.ToValue(rt.NewArrayBuffer(data))
		default:
			return object.Get(key)
		}
	}}, nil), nil
}

func (s *objectStore) stat(call sobek.FunctionCall) (*task, error) {
	name, err := k6x.Name("stat", "the name", call.Argument(0))
	var info *jetstream.ObjectInfo
	t := s.task("stat", func(ctx context.Context, found jetstream.ObjectStore, _ *record) (_ any, err error) {
		if info, err = found.GetInfo(ctx, name); errors.Is(err, jetstream.ErrObjectNotFound) {
			info, err = nil, nil
		}

		return nil, err
	})
	t.value = func() (sobek.Value, error) {
		if info == nil {
			return sobek.Null(), nil
		}

		return s.handle.client.toScript(info)
	}

	return t, err
}

func (s *objectStore) remove(call sobek.FunctionCall) (*task, error) {
	name, err := k6x.Name("delete", "the name", call.Argument(0))

	return s.task("delete", func(ctx context.Context, found jetstream.ObjectStore, _ *record) (any, error) {
		err := found.Delete(ctx, name)
		if errors.Is(err, jetstream.ErrObjectNotFound) {
			err = nil
		}

		return nil, err
	}), err
}

func (s *objectStore) list(sobek.FunctionCall) (*task, error) {
	return s.task("list", func(ctx context.Context, found jetstream.ObjectStore, _ *record) (any, error) {
		infos, err := found.List(ctx)
		if errors.Is(err, jetstream.ErrNoObjectsFound) {
			return []any{}, nil
		}

		return infos, err
	}), nil
}

func (s *objectStore) info(sobek.FunctionCall) (*task, error) {
	return s.task("info", func(ctx context.Context, found jetstream.ObjectStore, _ *record) (any, error) {
		said, err := found.Status(ctx)
		if err != nil {
			return nil, err
		}

		return map[string]any{
			"bucket": said.Bucket(), "description": said.Description(), "ttl": shownTime(said.TTL()), "storage": said.Storage(),
			"replicas": said.Replicas(), "sealed": said.Sealed(), "size": said.Size(), "backingStore": said.BackingStore(),
			"metadata": said.Metadata(), "compressed": said.IsCompressed(),
		}, nil
	}), nil
}
