package workload

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// Run implements client.run(options). It runs a workload.
func (b *CacheBench) Run(call sobek.FunctionCall) sobek.Value {
	b.join()
	work, asked := b.job(call.Argument(0))
	work.Prefilled(work.written.Load() >= int64(asked.options.Keys.Count))
	b.host.Tag(asked.options.Tags)
	defer b.host.Tag(k6x.Tags{})
	var result Result
	err := b.runs.Do(func(ctx context.Context) (err error) {
		result, err = work.Run(ctx, work.observer)

		return err
	})
	b.count(result.Hits, result.Misses, result.Hot, result.HotHits)
	if err != nil {
		b.fail(err)
	}
	b.runs.LogFailures(result.Failed, result.Succeeded)

	return k6x.Plain(b.host.VU().Runtime(), map[string]any{
		"succeeded": result.Succeeded, "failed": result.Failed, "wrong": result.Wrong,
		"hits": result.Hits, "misses": result.Misses, "hotAccesses": result.Hot, "hotHits": result.HotHits, "refused": result.Refused,
		"bytesReceived": result.BytesReceived, "bytesSent": result.BytesSent, "seconds": result.Took.Seconds(),
	})
}

type options struct {
	Options

	Tags k6x.Tags `json:"tags"`
}

// asked holds a script's options and their workload. It is immutable.
type asked struct {
	text    string
	options options
}

// asked parses a method's options. It caches the last ones, because scripts usually repeat them.
func (b *CacheBench) asked(method string, value sobek.Value) *asked {
	asked, err := b.last.Of(b.host.VU().Runtime(), value, func(value sobek.Value) (*asked, error) {
		text, err := k6x.OptionsJSON(value)
		if err != nil {
			return nil, err
		}

		return b.shared.options(string(text))
	})
	if err != nil {
		b.misuse("%s: %s", method, err)
	}

	return asked
}

type job struct {
	*Client

	observer *observer
	// written counts the prefilled keys of the workload.
	written *atomic.Int64
}

// job returns the job of the options, or starts one.
func (b *CacheBench) job(value sobek.Value) (*job, *asked) {
	asked := b.asked("run", value)
	work := b.work[asked]
	if work == nil {
		if err := asked.options.Validate(); err != nil {
			b.misuse("run: %s", err)
		}
		client, _ := b.client("run", asked.text, &asked.options.Options)
		work = &job{client, newObserver(b.runs, client.Work().OpName), b.shared.written(b.names(&asked.options.Options))}
		b.work[asked] = work
	}

	return work, asked
}

func (b *CacheBench) client(method, name string, options *Options) (client *Client, group any) {
	index, clients, group := b.runs.Place()
	work, err := b.shared.workload(name, *options)
	if err == nil {
		client, err = work.Client(b.cache, index, clients)
	}
	if err != nil {
		b.misuse("%s: %s", method, err)
	}

	return client, group
}

type fill struct {
	*Client

	group any
}

// Prefill implements client.prefill(options). It writes the client's share of the keys, unless
// another group has written them all. An error aborts the test, because an empty cache would look
// faster.
func (b *CacheBench) Prefill(call sobek.FunctionCall) sobek.Value {
	b.join()
	options := b.asked("prefill", call.Argument(0)).options
	if err := options.ValidateKeys(); err != nil {
		b.misuse("prefill: %s", err)
	}
	if len(options.Commands) == 0 {
		options.Mix = Mix{Set: 1}
	}
	options.Pipeline = 1
	keys := b.keys(&options.Options)
	filling := b.fills[keys]
	if filling == nil {
		client, group := b.client("prefill", keys, &options.Options)
		filling = &fill{client, group}
		b.fills[keys] = filling
	}
	var result Result
	if filling.Unwritten() > 0 && b.shared.prefill(keys, filling.group, options.Keys.Count) {
		if client := b.runs.Client(); client != nil {
			client.Step().Prefilling()
		}
		if client := b.runs.Client(); client != nil && client.Measuring() {
			b.misuse("prefill: the keys must be written before operations are measured: call it before sweep.run, or in setup()")
		}
		b.host.Tag(options.Tags)
		defer b.host.Tag(k6x.Tags{})
		if err := b.runs.Do(func(ctx context.Context) (err error) {
			result, err = filling.Prefill(ctx)

			return err
		}); err != nil {
			return b.unfilled(err)
		}
		whole := b.shared.wrote(keys, filling.group, int(result.Succeeded))
		// Clients of a step start together after the prefill. Other VUs may read before the others
		// have written all keys.
		if len(options.Commands) == 0 && (whole || b.runs.Client() != nil) {
			b.mustHit(&options.Options)
		}
	}

	return k6x.Plain(b.host.VU().Runtime(), map[string]any{
		"succeeded": result.Succeeded, "failed": result.Failed, "bytesReceived": result.BytesReceived, "bytesSent": result.BytesSent,
		"seconds": result.Took.Seconds(),
	})
}

// unfilled aborts the test after a failed prefill, unless the test is already ending.
func (b *CacheBench) unfilled(err error) sobek.Value {
	if b.host.VU().Context().Err() != nil {
		b.fail(err)
	}
	b.host.Abort(err)

	return sobek.Undefined()
}

// mustHit makes a read fail if it misses a prefilled key.
func (b *CacheBench) mustHit(o *Options) {
	written, count := b.shared.written(b.names(o)), int64(o.Keys.Count)
	for had := written.Load(); had < count && !written.CompareAndSwap(had, count); {
		had = written.Load()
	}
}

// names identifies a workload's keys without their values.
func (b *CacheBench) names(o *Options) string {
	return fmt.Sprintf("%q %q %d", b.target, o.Keys.Prefix, o.Keys.Size)
}

// keys identifies the keys and values that the options prefill, and the commands that write them.
func (b *CacheBench) keys(o *Options) string {
	name := fmt.Sprintf("%s %d %v %d %d", b.names(o), o.Keys.Count, o.Values, o.Seed, o.TTL)
	for i := range o.Commands {
		name += fmt.Sprintf(" %q", o.Commands[i].Args)
	}

	return name
}

func (b *CacheBench) count(hits, misses, hot, hotHits uint64) {
	client := b.runs.Client()
	if client == nil {
		return
	}
	client.Counter(measure.Hits).Add(hits)
	client.Counter(measure.Misses).Add(misses)
	client.Counter(measure.Hot).Add(hot)
	client.Counter(measure.HotHits).Add(hotHits)
}
