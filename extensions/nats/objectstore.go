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

type objectStore = bucket[jetstream.ObjectStore]

var objectStoreKind = bucketKind[jetstream.ObjectStoreConfig, jetstream.ObjectStore]{ //nolint:gochecknoglobals // a table
	find: jetstream.JetStream.ObjectStore,
	name: func(cfg jetstream.ObjectStoreConfig) string { return cfg.Bucket },
	methods: calls("object.", map[string]func(*objectStore, *task){
		"put": putObject, "get": getObject, "stat": statObject, "delete": deleteObject, "list": listObjects, "info": objectStoreInfo,
	}),
}

func putObject(s *objectStore, t *task) {
	meta, data := read(&t.args, "the object", readObjectMeta), t.owned()
	s.ask(t, func(ctx context.Context, found jetstream.ObjectStore, r *record) (any, error) {
		info, err := found.Put(ctx, meta, bytes.NewReader(data))
		if err == nil {
			r.sent.add(data)
		}

		return info, err
	})
}

func readObjectMeta(method, what string, value sobek.Value) (meta jetstream.ObjectMeta, err error) {
	if name, ok := value.(sobek.String); ok {
		meta.Name = name.String()
	} else if object, ok := value.(*sobek.Object); !ok || object.ClassName() != "Object" {
		return meta, k6x.Wrong(method, what, "a name or a description such as { name: 'a' }", value)
	} else if err := objectMeta.Read(method, value, &meta); err != nil {
		return meta, err
	}
	if meta.Name == "" {
		return meta, k6x.Misuse("%s: the name of the object must not be empty", method)
	}

	return meta, nil
}

var objectMeta = k6x.Options[jetstream.ObjectMeta]{ //nolint:gochecknoglobals // a table
	k6x.Into("name", func(o *jetstream.ObjectMeta) *string { return &o.Name }, k6x.Name),
	k6x.Into("description", func(o *jetstream.ObjectMeta) *string { return &o.Description }, k6x.Text),
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

type storedObject struct {
	info *jetstream.ObjectInfo
	data []byte
}

func getObject(s *objectStore, t *task) {
	name := read(&t.args, "the name", k6x.Name)
	get := func(ctx context.Context, found jetstream.ObjectStore, r *record) (o storedObject, err error) {
		result, err := found.Get(ctx, name)
		if err != nil {
			return o, err
		}
		o.data, err = io.ReadAll(result)
		if err = errors.Join(err, result.Close()); err == nil {
			o.info, err = result.Info()
			r.received.add(o.data)
		}

		return o, err
	}
	lookUp(s.perConnection, t, get, func(o storedObject) (sobek.Value, error) {
		shown, err := s.client.toScript(o.info)
		if err != nil {
			return nil, err
		}
		object := shown.ToObject(s.client.Runtime())
		properties := []property[storedObject]{
			{"data", func(o storedObject) any { return string(o.data) }}, {"raw", func(o storedObject) any { return o.data }},
		}
		for _, key := range object.Keys() {
			properties = append(properties, property[storedObject]{key, func(storedObject) any { return object.Get(key) }})
		}

		return lazily(s.client.module, o, properties), nil
	})
}

func statObject(s *objectStore, t *task) {
	name := read(&t.args, "the name", k6x.Name)
	lookUp(s.perConnection, t, func(ctx context.Context, found jetstream.ObjectStore, _ *record) (*jetstream.ObjectInfo, error) {
		return found.GetInfo(ctx, name)
	}, func(info *jetstream.ObjectInfo) (sobek.Value, error) { return s.client.toScript(info) })
}

func deleteObject(s *objectStore, t *task) {
	name := read(&t.args, "the name", k6x.Name)
	s.use(t, func(ctx context.Context, found jetstream.ObjectStore, _ *record) error {
		err := found.Delete(ctx, name)
		if isMissing(err) {
			return nil
		}

		return err
	})
}

func listObjects(s *objectStore, t *task) {
	s.ask(t, func(ctx context.Context, found jetstream.ObjectStore, _ *record) (any, error) {
		infos, err := found.List(ctx)
		if errors.Is(err, jetstream.ErrNoObjectsFound) {
			return []any{}, nil
		}

		return infos, err
	})
}

func objectStoreInfo(s *objectStore, t *task) {
	s.ask(t, func(ctx context.Context, found jetstream.ObjectStore, _ *record) (any, error) {
		said, err := found.Status(ctx)
		if err != nil {
			return nil, err
		}

		return map[string]any{
			"bucket": said.Bucket(), "description": said.Description(), "ttl": shownTime(said.TTL()), "storage": said.Storage(),
			"replicas": said.Replicas(), "sealed": said.Sealed(), "size": said.Size(), "backingStore": said.BackingStore(),
			"metadata": said.Metadata(), "compressed": said.IsCompressed(),
		}, nil
	})
}
