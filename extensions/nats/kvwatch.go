package nats

import (
	"context"
	"time"

	"github.com/grafana/sobek"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

func (kv *keyValue) keys(call sobek.FunctionCall) (*task, error) {
	filters, err := filtersOf("keys", call.Argument(0))
	var names []string
	t := kv.task("keys", func(ctx context.Context, found jetstream.KeyValue, r *record) error {
		watcher, err := found.WatchFiltered(ctx, filters, jetstream.IgnoreDeletes(), jetstream.MetaOnly())
		if err != nil {
			return err
		}

		return initial(ctx, watcher, func(e jetstream.KeyValueEntry) {
			names = append(names, e.Key())
			r.received.messages++
		})
	})
	t.value = func() (sobek.Value, error) {
		return kv.handle.client.stringArray(names), nil
	}

	return t, err
}

func (kv *keyValue) history(call sobek.FunctionCall) (*task, error) {
	key, err := k6x.Name("history", "the key", call.Argument(0))
	var entries []jetstream.KeyValueEntry
	t := kv.task("history", func(ctx context.Context, found jetstream.KeyValue, r *record) error {
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
		values := make([]any, len(entries))
		for i, e := range entries {
			values[i] = kv.handle.client.entry(e)
		}

		return kv.handle.client.Runtime().NewArray(values...), nil
	}

	return t, err
}

func initial(ctx context.Context, watcher jetstream.KeyWatcher, take func(jetstream.KeyValueEntry)) error {
	defer dismiss(watcher)
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

// A watcher that waits to deliver an entry holds a lock that Stop needs.
func dismiss(watcher jetstream.KeyWatcher) {
	go func() {
		defer crash.Contain("the end of a watcher")
		for range watcher.Updates() {
		}
	}()
	_ = watcher.Stop()
}

func filtersOf(method string, value sobek.Value) ([]string, error) {
	if k6x.IsNullish(value) {
		return nil, nil
	}
	values := []sobek.Value{value}
	if object, ok := value.(*sobek.Object); ok && object.ClassName() == "Array" {
		var err error
		if values, err = k6x.Elements(method, "the filters", value); err != nil {
			return nil, err
		}
	}
	filters := make([]string, len(values))
	for i, v := range values {
		var err error
		if filters[i], err = k6x.Name(method, "a filter", v); err != nil {
			return nil, err
		}
	}

	return filters, nil
}

type watchOptions struct {
	History       bool      `json:"history"`
	UpdatesOnly   bool      `json:"updatesOnly"`
	IgnoreDeletes bool      `json:"ignoreDeletes"`
	MetaOnly      bool      `json:"metaOnly"`
	Resume        uint64    `json:"resume"` // the revision to begin with
	Tags          *k6x.Tags `json:"tags"`
}

func (o *watchOptions) all() []jetstream.WatchOpt {
	var opts []jetstream.WatchOpt
	if o.History {
		opts = append(opts, jetstream.IncludeHistory())
	}
	if o.UpdatesOnly {
		opts = append(opts, jetstream.UpdatesOnly())
	}
	if o.IgnoreDeletes {
		opts = append(opts, jetstream.IgnoreDeletes())
	}
	if o.MetaOnly {
		opts = append(opts, jetstream.MetaOnly())
	}
	if o.Resume > 0 {
		opts = append(opts, jetstream.ResumeFromRevision(o.Resume))
	}

	return opts
}

func (kv *keyValue) watch(call sobek.FunctionCall) sobek.Value {
	c := kv.handle.client
	filters, err := filtersOf("watch", call.Argument(0))
	if err != nil {
		c.Throw(err)
	}
	callback, rest := sobek.Callable(nil), call.Argument(1)
	if fn, ok := sobek.AssertFunction(rest); ok {
		callback, rest = fn, call.Argument(2)
	} else if k6x.IsNullish(rest) {
		rest = call.Argument(2)
	}
	var o watchOptions
	if err := k6x.ReadOptions(rest, &o); err != nil {
		c.Misuse("watch: %s", err)
	}

	var f *feed[jetstream.KeyValueEntry]
	life, end := context.WithCancel(context.WithoutCancel(c.VU().Context()))
	c.tasks.Now(&task{client: c, operation: "kv.watch", tags: o.Tags, job: func(ctx context.Context, conn *connection, _ *record) error {
		found, err := kv.on(ctx, conn)
		if err != nil {
			end()

			return err
		}
		inTime := context.AfterFunc(ctx, func() {
			defer crash.Contain("the end of a watcher")
			end()
		})
		watcher, err := found.WatchFiltered(life, filters, o.all()...)
		if !inTime() && err == nil {
			dismiss(watcher)
			err = ctx.Err()
		}
		if err != nil {
			end()

			return err
		}
		f = newFeed[jetstream.KeyValueEntry](c, conn, "deliver", maxBatch)
		f.tags = o.Tags
		f.weigh = func(e jetstream.KeyValueEntry) int { return len(e.Value()) }
		f.age = func(e jetstream.KeyValueEntry) (time.Duration, bool) { return max(time.Since(e.Created()), 0), true }
		f.make = c.entry
		f.stop = func() { _ = watcher.Stop() }
		go func() {
			defer crash.Contain("a watcher of a bucket")
			defer end()
			forward(watcher, f)
		}()

		return nil
	}})
	if callback != nil {
		f.push(callback)
	}

	return f.object()
}

func forward(watcher jetstream.KeyWatcher, f *feed[jetstream.KeyValueEntry]) {
	defer f.end()
	for e := range watcher.Updates() {
		if e == nil {
			continue
		}
		select {
		case f.come <- e:
		case <-f.over:
		case <-f.conn.over:
			f.end()
		}
	}
}
