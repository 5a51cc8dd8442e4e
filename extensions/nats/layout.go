package nats

import (
	"context"

	"github.com/grafana/sobek"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/workload"
	"github.com/xk6-sweep/xk6-sweep/extensions/nats/kvlayout"
)

const maxReplicas = 5 // JetStream's limit

type layout struct {
	*perConnection[*kvlayout.Store]

	bench *workload.CacheBench
	store *layoutStore // used by benchmarks
}

func (c *client) layout(call sobek.FunctionCall) sobek.Value {
	a, l := c.args("layout", call), &layout{}
	var o kvlayout.Options
	a.options(&o)
	if _, err := kvlayout.ParseLayout(string(o.Layout)); err != nil {
		a.refuse("%s", err)
	}
	if o.Replicas < 0 || o.Replicas > maxReplicas {
		a.refuse("replicas must be from 1 to %d, or 0 for 1, not %d", maxReplicas, o.Replicas)
	}
	a.must()
	l.perConnection = within(newJetStream(c), func(ctx context.Context, js jetstream.JetStream) (*kvlayout.Store, error) {
		return kvlayout.Open(ctx, js, o)
	})
	target := c.config.hosts() + " " + string(o.Layout) + " " + o.Database
	l.store = newLayoutStore(c, o, l.work)
	l.bench = workload.NewCache(layoutHost{c.module, &l.store.task}, &c.shared.bench, target, l.store)
	if l.store.over != nil {
		l.bench.TakeTurns(l.store.over.seat)
	}

	return layoutMethods.Object(c.Runtime(), l)
}

var layoutMethods = calls("layout.", map[string]func(*layout, *task){ //nolint:gochecknoglobals // a table
	"put":    (*layout).put,
	"get":    (*layout).get,
	"delete": (*layout).remove,
	"list":   (*layout).list,
	"drop":   (*layout).drop,
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

	return l.store.overStore(ctx, found, r)
}

type recordOptions struct {
	Table    string         `json:"table"`
	Metadata map[string]any `json:"metadata"`
	Tags     *k6x.Tags      `json:"tags"`
}

func (l *layout) put(t *task) {
	key, value := read(&t.args, "the key", k6x.Name), t.owned()
	var o recordOptions
	t.options(&o)
	t.tags = o.Tags
	l.use(t, func(ctx context.Context, store *kvlayout.Store, r *record) error {
		err := store.Put(ctx, kvlayout.Record{Table: o.Table, Key: key, Value: value, Metadata: o.Metadata})
		if err == nil {
			r.sent.add(value)
		}

		return err
	})
}

type tableOptions struct {
	Table string    `json:"table"`
	Tags  *k6x.Tags `json:"tags"`
}

func (t *task) record() (key, table string) {
	key = read(&t.args, "the key", k6x.Name)
	var o tableOptions
	t.options(&o)
	t.tags = o.Tags

	return key, o.Table
}

func (l *layout) get(t *task) {
	key, table := t.record()
	find := func(ctx context.Context, store *kvlayout.Store, r *record) (*kvlayout.Record, error) {
		found, err := store.Get(ctx, table, key)
		if err == nil {
			r.received.add(found.Value)
		}

		return &found, err
	}
	lookUp(l.perConnection, t, find, func(found *kvlayout.Record) (sobek.Value, error) {
		return lazily(l.client.module, found, recordProperties), nil
	})
}

var recordProperties = []property[*kvlayout.Record]{ //nolint:gochecknoglobals // a table
	{"table", func(r *kvlayout.Record) any { return r.Table }},
	{"key", func(r *kvlayout.Record) any { return r.Key }},
	{"value", func(r *kvlayout.Record) any { return string(r.Value) }},
	{"raw", func(r *kvlayout.Record) any { return r.Value }},
	{"metadata", func(r *kvlayout.Record) any {
		if r.Metadata == nil {
			return sobek.Null()
		}

		return r.Metadata
	}},
}

func (l *layout) remove(t *task) {
	key, table := t.record()
	l.use(t, func(ctx context.Context, store *kvlayout.Store, _ *record) error {
		return store.Delete(ctx, table, key)
	})
}

type layoutListOptions struct {
	kvlayout.ListOptions

	Tags *k6x.Tags `json:"tags"`
}

func (l *layout) list(t *task) {
	var o layoutListOptions
	t.options(&o)
	t.tags = o.Tags
	var keys []string
	l.use(t, func(ctx context.Context, store *kvlayout.Store, r *record) (err error) {
		keys, err = store.List(ctx, o.ListOptions)
		r.received.messages = len(keys)

		return err
	})
	t.value = func() (sobek.Value, error) { return l.client.stringArray(keys), nil }
}

func (l *layout) drop(t *task) {
	l.use(t, func(ctx context.Context, store *kvlayout.Store, _ *record) error { return store.Drop(ctx) })
	t.value = func() (sobek.Value, error) {
		l.store.forget()

		return sobek.Undefined(), nil
	}
}
