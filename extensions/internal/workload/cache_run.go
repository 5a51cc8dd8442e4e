package workload

import (
	"context"
	"fmt"
	"maps"
	"sync/atomic"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// Run implements client.run(options). It runs a workload.
func (b *CacheBench) Run(call sobek.FunctionCall) sobek.Value {
	b.join()
	asked := b.asked("run", call.Argument(0))
	work := b.work[asked]
	if work == nil {
		if err := asked.options.Validate(); err != nil {
			b.misuse("run: %s", err)
		}
		client, _ := b.client("run", asked.text, &asked.options.Options)
		work = &job{client, newObserver(b.runs, client.Work().OpName), b.shared.written(b.names(&asked.options.Options))}
		b.work[asked] = work
	}
	work.Prefilled(work.written.Load() >= int64(asked.options.Keys.Count))
	result, err := b.do(asked.options.Tags, func(ctx context.Context) (Result, error) { return work.Run(ctx, work.observer) })
	if err != nil {
		fail(b.host, err)
	}
	b.runs.LogFailures(result.Failed, result.Succeeded)

	return b.plain(&result, nil)
}

// do runs a job, and adds its result to the counters of the step.
func (b *CacheBench) do(tags k6x.Tags, job func(context.Context) (Result, error)) (result Result, err error) {
	b.host.Tag(tags)
	defer b.host.Tag(k6x.Tags{})
	err = b.runs.Do(func(ctx context.Context) (err error) {
		result, err = job(ctx)

		return err
	})
	if client := b.runs.Client(); client != nil {
		client.Counter(measure.Hits).Add(result.Hits)
		client.Counter(measure.Misses).Add(result.Misses)
		client.Counter(measure.Hot).Add(result.Hot)
		client.Counter(measure.HotHits).Add(result.HotHits)
	}

	return result, err
}

// plain returns a result, and more, for scripts.
func (b *CacheBench) plain(r *Result, more map[string]any) sobek.Value {
	all := map[string]any{
		"succeeded": r.Succeeded, "failed": r.Failed, "wrong": r.Wrong, "hits": r.Hits, "misses": r.Misses,
		"hotAccesses": r.Hot, "hotHits": r.HotHits, "refused": r.Refused,
		"bytesReceived": r.BytesReceived, "bytesSent": r.BytesSent, "seconds": r.Took.Seconds(),
	}
	maps.Copy(all, more)

	return k6x.Plain(b.host.VU().Runtime(), all)
}

type options struct {
	Options

	Tags k6x.Tags `json:"tags"`
}

// asked holds a script's options and their text. It is immutable.
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

	observer *observer[Op]
	// written counts the prefilled keys of the workload.
	written *atomic.Int64
}

// client returns the VU's client of the workload with this name, which all clients share.
func (b *CacheBench) client(method, name string, options *Options) (client *Client, group any) {
	index, clients, group := b.runs.Place()
	work, err := b.shared.workloads.of(name, func() (*Workload, error) { return New(*options) })
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

	group  any
	shared *prefill
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
		shared, _ := b.shared.prefills.of(keys, newPrefill)
		filling = &fill{client, group, shared}
		b.fills[keys] = filling
	}
	var result Result
	if filling.Unwritten() > 0 && filling.shared.begin(filling.group, options.Keys.Count) {
		client := b.runs.Client()
		if client != nil {
			client.Step().Prefilling()
			if client.Measuring() {
				b.misuse("prefill: the keys must be written before operations are measured: call it before sweep.run, or in setup()")
			}
		}
		var err error
		if result, err = b.do(options.Tags, filling.Prefill); err != nil {
			if b.host.VU().Context().Err() != nil { // the test is already ending
				fail(b.host, err)
			}
			b.host.Abort(err)

			return sobek.Undefined()
		}
		whole := filling.shared.wrote(filling.group, int(result.Succeeded))
		// Clients of a step start together after the prefill. Other VUs may read before the others
		// have written all keys.
		if len(options.Commands) == 0 && (whole || client != nil) {
			b.mustHit(&options.Options)
		}
	}

	return b.plain(&result, nil)
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
