package nats

import (
	"context"

	"github.com/grafana/sobek"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/workload"
	"github.com/xk6-sweep/xk6-sweep/extensions/nats/kvlayout"
)

type layoutOptions struct {
	Layout   string `json:"layout"`
	Database string `json:"database"`
	Replicas int    `json:"replicas"`
}

func (o *layoutOptions) read(method string, value sobek.Value) error {
	if err := k6x.ReadOptions(value, o); err != nil {
		return k6x.Misuse("%s: %s", method, err)
	}
	if _, err := kvlayout.ParseLayout(o.Layout); err != nil {
		return k6x.Misuse("%s: %s", method, err)
	}
	if o.Replicas < 0 || o.Replicas > maxReplicas {
		return k6x.Misuse("%s: replicas must be from 1 to %d, or 0 for 1, not %d", method, maxReplicas, o.Replicas)
	}

	return nil
}

const maxReplicas = 5 // JetStream's limit

type layout struct {
	perConnection[*kvlayout.Store]

	options layoutOptions
	bench   *workload.CacheBench
	store   *layoutStore // used by benchmarks
}

func (c *client) newLayout(call sobek.FunctionCall) sobek.Value {
	l := &layout{}
	if err := l.options.read("layout", call.Argument(0)); err != nil {
		c.Throw(err)
	}
	l.handle = &jetStreamHandle{client: c}
	l.find = func(ctx context.Context, js jetstream.JetStream) (*kvlayout.Store, error) {
		o := l.options

		return kvlayout.Open(ctx, js, kvlayout.Options{Layout: kvlayout.Layout(o.Layout), Database: o.Database, Replicas: o.Replicas})
	}
	target := c.config.hosts() + " " + l.options.Layout + " " + l.options.Database
	l.store = newLayoutStore(c, &l.options, l.work)
	l.bench = workload.NewCache(layoutHost{c.module, &l.store.task}, &c.shared.bench, target, l.store)
	if l.store.over != nil {
		l.bench.TakeTurns(l.store.over.seat)
	}

	return layoutMethods.Object(c.Runtime(), l)
}

var layoutMethods = k6x.BothForms(map[string]operation[*layout]{ //nolint:gochecknoglobals // a table
	"put":    (*layout).put,
	"get":    (*layout).get,
	"delete": (*layout).remove,
	"list":   (*layout).list,
	"drop":   tagged("drop", 0, (*layout).drop),
}).With(k6x.Methods[*layout]{"run": (*layout).run, "prefill": (*layout).prefill, "ycsb": (*layout).ycsb})

func (l *layout) run(call sobek.FunctionCall) sobek.Value { return l.store.inRun(l.bench.Run, call) }

func (l *layout) ycsb(call sobek.FunctionCall) sobek.Value { return l.store.inRun(l.bench.YCSB, call) }

type layoutHost struct {
	*module

	task *task
}

// Tag implements workload.BenchHost.
func (h layoutHost) Tag(tags k6x.Tags) {
	h.task.tags = nil
	if tags.Key() != "" {
		h.task.tags = &tags
	}
}

func (l *layout) prefill(call sobek.FunctionCall) sobek.Value {
	return l.store.inRun(l.bench.Prefill, call)
}

func (l *layout) work(ctx context.Context, conn *connection, r *record) error {
	found, err := l.on(ctx, conn)
	if err != nil {
		return err
	}

	return layoutJobs[l.store.job].do(l.store, ctx, found, r)
}

func (l *layout) task(
	operation string, tags *k6x.Tags, job func(ctx context.Context, store *kvlayout.Store, r *record) error,
) *task {
	return &task{client: l.handle.client, operation: "layout." + operation, tags: tags, job: func(
		ctx context.Context, conn *connection, r *record,
	) error {
		store, err := l.on(ctx, conn)
		if err != nil {
			return err
		}

		return job(ctx, store, r)
	}}
}

type recordOptions struct {
	Table    string         `json:"table"`
	Metadata map[string]any `json:"metadata"`
	Tags     *k6x.Tags      `json:"tags"`
}

func (l *layout) put(call sobek.FunctionCall) (*task, error) {
	key, err := k6x.Name("put", "the key", call.Argument(0))
	if err != nil {
		return nil, err
	}
	value, err := l.handle.client.owned("put", call.Argument(1))
	if err != nil {
		return nil, err
	}
	var o recordOptions
	if err := k6x.ReadOptions(call.Argument(2), &o); err != nil {
		return nil, k6x.Misuse("put: %s", err)
	}

	return l.task("put", o.Tags, func(ctx context.Context, store *kvlayout.Store, r *record) error {
		err := store.Put(ctx, kvlayout.Record{Table: o.Table, Key: key, Value: value, Metadata: o.Metadata})
		if err == nil {
			r.sent.add(value)
		}

		return err
	}), nil
}

type tableOptions struct {
	Table string    `json:"table"`
	Tags  *k6x.Tags `json:"tags"`
}

func named(method string, call sobek.FunctionCall) (key string, o tableOptions, err error) {
	if key, err = k6x.Name(method, "the key", call.Argument(0)); err != nil {
		return "", o, err
	}
	if err := k6x.ReadOptions(call.Argument(1), &o); err != nil {
		return "", o, k6x.Misuse("%s: %s", method, err)
	}

	return key, o, nil
}

func (l *layout) get(call sobek.FunctionCall) (*task, error) {
	key, o, err := named("get", call)
	if err != nil {
		return nil, err
	}
	var found *kvlayout.Record
	t := l.task("get", o.Tags, func(ctx context.Context, store *kvlayout.Store, r *record) error {
		record, err := store.Get(ctx, o.Table, key)
		switch {
		case err == nil:
			found = &record
			r.received.add(record.Value)
		case scriptError(err).Kind == k6x.KindNotFound:
			return nil
		}

		return err
	})
	t.value = func() (sobek.Value, error) {
		if found == nil {
			return sobek.Null(), nil
		}

		return l.handle.client.layoutRecord(found), nil
	}

	return t, nil
}

var layoutRecordKeys = []string{"table", "key", "value", "raw", "metadata"} //nolint:gochecknoglobals // a constant

func (c *client) layoutRecord(found *kvlayout.Record) sobek.Value {
	rt := c.Runtime()

	return c.lazily(&lazyObject{keys: layoutRecordKeys, make: func(key string) sobek.Value {
		switch key {
		case "table":
			return rt.ToValue(found.Table)
		case "key":
			return rt.ToValue(found.Key)
		case "value":
			return rt.ToValue(string(found.Value))
		case "raw":
			return rt.ToValue(rt.NewArrayBuffer(found.Value))
		}
		if found.Metadata == nil {
			return sobek.Null()
		}

		return k6x.Plain(rt, found.Metadata)
	}}, nil)
}

func (l *layout) remove(call sobek.FunctionCall) (*task, error) {
	key, o, err := named("delete", call)

	return l.task("delete", o.Tags, func(ctx context.Context, store *kvlayout.Store, _ *record) error {
		return store.Delete(ctx, o.Table, key)
	}), err
}

type layoutListOptions struct {
	Table  string `json:"table"`
	Prefix string `json:"prefix"`
	Suffix string `json:"suffix"`
	Limit  uint32 `json:"limit"`
	Offset uint32 `json:"offset"`

	Tags *k6x.Tags `json:"tags"`
}

func (l *layout) list(call sobek.FunctionCall) (*task, error) {
	var o layoutListOptions
	if err := k6x.ReadOptions(call.Argument(0), &o); err != nil {
		return nil, k6x.Misuse("list: %s", err)
	}
	var keys []string
	t := l.task("list", o.Tags, func(ctx context.Context, store *kvlayout.Store, r *record) (err error) {
		keys, err = store.List(ctx, kvlayout.ListOptions{
			Table: o.Table, Prefix: o.Prefix, Suffix: o.Suffix, Limit: uint(o.Limit), Offset: uint(o.Offset),
		})
		r.received.messages = len(keys)

		return err
	})
	t.value = func() (sobek.Value, error) { return l.handle.client.stringArray(keys), nil }

	return t, nil
}

func (l *layout) drop(sobek.FunctionCall) (*task, error) {
	t := l.task("drop", nil, func(ctx context.Context, store *kvlayout.Store, _ *record) error { return store.Drop(ctx) })
	t.value = func() (sobek.Value, error) {
		l.store.forget()

		return sobek.Undefined(), nil
	}

	return t, nil
}
