package nats

import (
	"context"
	"strings"
	"time"

	"github.com/grafana/sobek"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/nats/kvlayout"
)

type keyValue = bucket[jetstream.KeyValue]

var keyValueKind = bucketKind[jetstream.KeyValueConfig, jetstream.KeyValue]{ //nolint:gochecknoglobals // a table
	find: jetstream.JetStream.KeyValue,
	name: func(cfg jetstream.KeyValueConfig) string { return cfg.Bucket },
	methods: calls("kv.", map[string]func(*keyValue, *task){
		"get":         getKey,
		"getRevision": getRevision,
		"put":         putKey,
		"create":      createKey,
		"update":      updateKey,
		"delete":      removeKey(jetstream.KeyValue.Delete),
		"purge":       removeKey(jetstream.KeyValue.Purge),
		"keys":        listKeys,
		"history":     history,
		"info":        bucketInfo,
	}).With(k6x.Methods[*keyValue]{"watch": watch}),
}

func getKey(kv *keyValue, t *task) {
	key := read(&t.args, "the key", k6x.Name)
	lookUpKey(kv, t, func(ctx context.Context, found jetstream.KeyValue) (jetstream.KeyValueEntry, error) {
		return found.Get(ctx, key)
	})
}

func getRevision(kv *keyValue, t *task) {
	key, revision := read(&t.args, "the key", k6x.Name), read(&t.args, "the revision", k6x.Unsigned)
	lookUpKey(kv, t, func(ctx context.Context, found jetstream.KeyValue) (jetstream.KeyValueEntry, error) {
		return found.GetRevision(ctx, key, revision)
	})
}

func lookUpKey(kv *keyValue, t *task, get func(context.Context, jetstream.KeyValue) (jetstream.KeyValueEntry, error)) {
	find := func(ctx context.Context, found jetstream.KeyValue, r *record) (jetstream.KeyValueEntry, error) {
		entry, err := get(ctx, found)
		if err == nil {
			r.received.add(entry.Value())
		}

		return entry, err
	}
	lookUp(kv.perConnection, t, find, func(entry jetstream.KeyValueEntry) (sobek.Value, error) { return kv.client.entry(nil, entry), nil })
}

func putKey(kv *keyValue, t *task) { writeKey(kv, t, jetstream.KeyValue.Put) }

// writeKey reads a key and a value. The call returns the revision.
func writeKey(kv *keyValue, t *task, do func(jetstream.KeyValue, context.Context, string, []byte) (uint64, error)) {
	key, value := read(&t.args, "the key", k6x.Name), t.owned()
	var revision uint64
	kv.use(t, func(ctx context.Context, found jetstream.KeyValue, r *record) (err error) {
		if revision, err = do(found, ctx, key, value); err == nil {
			r.sent.add(value)
		}

		return err
	})
	t.value = func() (sobek.Value, error) { return kv.client.show(revision), nil }
}

type keyOptions struct {
	revision uint64
	ttl      time.Duration
	tags     *k6x.Tags
}

var (
	creating = k6x.Options[keyOptions]{ //nolint:gochecknoglobals // a table
		k6x.Into("ttl", func(o *keyOptions) *time.Duration { return &o.ttl }, k6x.TTL),
		k6x.Into("tags", func(o *keyOptions) **k6x.Tags { return &o.tags }, readTags),
	}
	removing = k6x.Options[keyOptions]{ //nolint:gochecknoglobals // a table
		k6x.Into("revision", func(o *keyOptions) *uint64 { return &o.revision }, k6x.Unsigned),
		k6x.Into("ttl", func(o *keyOptions) *time.Duration { return &o.ttl }, k6x.TTL),
	}
)

func createKey(kv *keyValue, t *task) {
	var opts []jetstream.KVCreateOpt
	writeKey(kv, t, func(found jetstream.KeyValue, ctx context.Context, key string, value []byte) (uint64, error) {
		revision, err := found.Create(ctx, key, value, opts...)
		if err == nil {
			return revision, nil
		}
		if e := scriptError(err); e.Kind == kindWrongSequence {
			err = &k6x.Error{Kind: k6x.KindConflict, Code: e.Code, Message: withCode("key exists", e.Code)}
		}

		return revision, err
	})
	var o keyOptions
	readOptions(&t.args, creating, &o)
	t.tags = o.tags
	if o.ttl != 0 {
		opts = append(opts, jetstream.KeyTTL(wholeSeconds(o.ttl)))
	}
}

func updateKey(kv *keyValue, t *task) {
	var revision uint64
	writeKey(kv, t, func(found jetstream.KeyValue, ctx context.Context, key string, value []byte) (uint64, error) {
		return found.Update(ctx, key, value, revision)
	})
	revision = read(&t.args, "the revision", k6x.Unsigned)
}

// The marker of a purge with a ttl expires.
func removeKey(do func(jetstream.KeyValue, context.Context, string, ...jetstream.KVDeleteOpt) error) func(*keyValue, *task) {
	return func(kv *keyValue, t *task) {
		key := read(&t.args, "the key", k6x.Name)
		var o keyOptions
		given := t.call.Argument(t.at)
		if object, is := given.(*sobek.Object); is && object.ClassName() == "Object" && t.method == "purge" {
			readOptions(&t.args, removing, &o)
			t.hasTags = false
		} else if k6x.IsNullish(given) {
			t.at++
		} else {
			o.revision = read(&t.args, "the revision", k6x.Unsigned)
		}
		var opts []jetstream.KVDeleteOpt
		if o.revision != 0 {
			opts = append(opts, jetstream.LastRevision(o.revision))
		}
		if o.ttl != 0 {
			opts = append(opts, jetstream.PurgeTTL(wholeSeconds(o.ttl)))
		}
		kv.use(t, func(ctx context.Context, found jetstream.KeyValue, _ *record) error {
			return do(found, ctx, key, opts...)
		})
	}
}

func bucketInfo(kv *keyValue, t *task) {
	var said jetstream.KeyValueStatus
	kv.use(t, func(ctx context.Context, found jetstream.KeyValue, _ *record) (err error) {
		said, err = found.Status(ctx)

		return err
	})
	t.value = func() (sobek.Value, error) {
		c := kv.client
		config, err := c.toScript(said.Config())
		if err != nil {
			return nil, err
		}

		return c.plainObject(map[string]any{
			"bucket": said.Bucket(), "values": c.show(said.Values()), "bytes": c.show(said.Bytes()), "history": said.History(),
			"ttl": shownTime(said.TTL()), "backingStore": said.BackingStore(),
			"compressed": said.IsCompressed(), "config": config,
		}), nil
	}
}

var entryProperties = []property[jetstream.KeyValueEntry]{ //nolint:gochecknoglobals // a table
	prop("bucket", jetstream.KeyValueEntry.Bucket), prop("key", jetstream.KeyValueEntry.Key),
	prop("value", func(e jetstream.KeyValueEntry) string { return string(e.Value()) }), prop("raw", jetstream.KeyValueEntry.Value),
	prop("revision", jetstream.KeyValueEntry.Revision), prop("created", jetstream.KeyValueEntry.Created),
	prop("operation", func(e jetstream.KeyValueEntry) string {
		return strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(e.Operation().String(), "KeyValue"), "Op"))
	}),
	prop("delta", jetstream.KeyValueEntry.Delta),
}

func (c *client) entry(_ *connection, e jetstream.KeyValueEntry) sobek.Value {
	return lazily(c.module, e, entryProperties)
}

func listKeys(kv *keyValue, t *task) {
	filters := read(&t.args, "the filters", readFilters)
	var names []string
	kv.use(t, func(ctx context.Context, found jetstream.KeyValue, r *record) error {
		watcher, err := found.WatchFiltered(ctx, filters, jetstream.IgnoreDeletes(), jetstream.MetaOnly())
		if err != nil {
			return err
		}

		return initial(ctx, watcher, func(e jetstream.KeyValueEntry) {
			names = append(names, e.Key())
			r.received.messages++
		})
	})
	t.value = func() (sobek.Value, error) { return kv.client.stringArray(names), nil }
}

func history(kv *keyValue, t *task) {
	key := read(&t.args, "the key", k6x.Name)
	var entries []jetstream.KeyValueEntry
	kv.use(t, func(ctx context.Context, found jetstream.KeyValue, r *record) error {
		watcher, err := found.Watch(ctx, key, jetstream.IncludeHistory())
		if err != nil {
			return err
		}

		return initial(ctx, watcher, func(e jetstream.KeyValueEntry) {
			entries = append(entries, e)
			r.received.add(e.Value())
		})
	})
	t.value = func() (sobek.Value, error) {
		return array(kv.client.module, entries, func(e jetstream.KeyValueEntry) any { return kv.client.entry(nil, e) }), nil
	}
}

func initial(ctx context.Context, watcher jetstream.KeyWatcher, take func(jetstream.KeyValueEntry)) error {
	defer kvlayout.StopWatcher(watcher)
	for {
		select {
		case e, more := <-watcher.Updates():
			switch {
			case !more && ctx.Err() != nil:
				return ctx.Err()
			case !more:
				return k6x.Errorf(k6x.KindConnection, "the connection broke")
			case e == nil:
				return nil
			}
			take(e)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func readFilters(method, what string, value sobek.Value) ([]string, error) {
	if k6x.IsNullish(value) {
		return nil, nil
	}
	values, err := oneOrMore(method, what, value)
	filters := make([]string, len(values))
	for i, v := range values {
		if filters[i], err = k6x.Name(method, "a filter", v); err != nil {
			return nil, err
		}
	}

	return filters, err
}

type watchOptions struct {
	History       bool      `json:"history"`
	UpdatesOnly   bool      `json:"updatesOnly"`
	IgnoreDeletes bool      `json:"ignoreDeletes"`
	MetaOnly      bool      `json:"metaOnly"`
	Resume        uint64    `json:"resume"` // the revision to begin with
	Tags          *k6x.Tags `json:"tags"`
}

func (o *watchOptions) all() (opts []jetstream.WatchOpt) {
	for _, option := range []struct {
		given bool
		opt   jetstream.WatchOpt
	}{
		{o.History, jetstream.IncludeHistory()}, {o.UpdatesOnly, jetstream.UpdatesOnly()}, {o.IgnoreDeletes, jetstream.IgnoreDeletes()},
		{o.MetaOnly, jetstream.MetaOnly()}, {o.Resume > 0, jetstream.ResumeFromRevision(o.Resume)},
	} {
		if option.given {
			opts = append(opts, option.opt)
		}
	}

	return opts
}

var entrySource = source[jetstream.KeyValueEntry]{ //nolint:gochecknoglobals // a constant
	data: jetstream.KeyValueEntry.Value,
	age:  func(e jetstream.KeyValueEntry) (time.Duration, bool) { return max(time.Since(e.Created()), 0), true },
	show: (*client).entry,
}

func watch(kv *keyValue, call sobek.FunctionCall) sobek.Value {
	c := kv.client
	a := c.args("watch", call)
	filters, callback := read(&a, "the filters", readFilters), a.callback()
	var o watchOptions
	a.options(&o)
	a.must()
	a.tags = o.Tags

	var f *feed[jetstream.KeyValueEntry]
	c.tasks.Now(&task{args: a, operation: "kv.watch", job: func(ctx context.Context, conn *connection, _ *record) error {
		found, err := kv.on(ctx, conn)
		if err != nil {
			return err
		}
		// The watcher outlives the call, whose end interrupts only its creation.
		life, end := context.WithCancel(context.WithoutCancel(c.VU().Context()))
		inTime := context.AfterFunc(ctx, end)
		watcher, err := found.WatchFiltered(life, filters, o.all()...)
		if !inTime() && err == nil {
			kvlayout.StopWatcher(watcher)
			err = ctx.Err()
		}
		if err != nil {
			end()

			return err
		}
		f = newFeed(c, conn, entrySource, maxBatch, o.Tags)
		f.stop = func() { _ = watcher.Stop() }
		go func() {
			defer end()
			defer f.end()
			for e := range watcher.Updates() {
				if e != nil {
					f.put(e)
				}
			}
		}()

		return nil
	}})
	f.push(callback)

	return f.object()
}
