package cachebench

import (
	"context"
	"fmt"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/workload"
)

// Run is client.run(options): it does a workload's operations.
func (b *Bench) Run(call sobek.FunctionCall) sobek.Value {
	b.join()
	client, asked := b.workload(call.Argument(0))
	b.host.Tag(asked.options.Tags)
	defer b.host.Tag(k6mod.Tags{})
	var result workload.Result
	err := b.runs.Do(func(ctx context.Context) (err error) {
		result, err = client.Run(ctx, &b.observer)

		return err
	})
	b.count(result.Hits, result.Misses, result.Hot, result.HotHits)
	if err != nil {
		b.fail(err)
	}
	b.runs.Tell(result.Failed, result.Succeeded)

	return b.host.VU().Runtime().ToValue(map[string]any{
		"succeeded": result.Succeeded, "failed": result.Failed, "wrong": result.Wrong,
		"hits": result.Hits, "misses": result.Misses, "hotAccesses": result.Hot, "hotHits": result.HotHits, "refused": result.Refused,
		"bytesReceived": result.BytesReceived, "bytesSent": result.BytesSent, "seconds": result.Took.Seconds(),
	})
}

// options are those of client.run and client.prefill.
type options struct {
	workload.Options

	Tags k6mod.Tags `json:"tags"`
}

// asked are options as a script wrote them, and what that means. They do not change.
type asked struct {
	text    string
	options options
}

// asked reads the options of the method. A script mostly passes the same ones again and again.
func (b *Bench) asked(method string, value sobek.Value) *asked {
	asked, err := b.last.Of(b.host.VU().Runtime(), value, func(value sobek.Value) (*asked, error) {
		text, err := k6glue.OptionsJSON(value)
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

// workload returns the client of the options, which goes on where it has stopped.
func (b *Bench) workload(value sobek.Value) (client *workload.Client, asked *asked) {
	asked = b.asked("run", value)
	client = b.work[asked]
	if client == nil {
		if err := asked.options.Validate(); err != nil {
			b.misuse("run: %s", err)
		}
		client, _ = b.client("run", asked.text, &asked.options.Options)
		b.work[asked] = client
	}

	return client, asked
}

// client makes the client of a workload, which is known by name. of is what the client is one of.
func (b *Bench) client(method, name string, options *workload.Options) (client *workload.Client, of any) {
	index, clients, of := b.runs.Place()
	work, err := b.shared.workload(name, *options)
	if err == nil {
		client, err = work.Client(b.cache, index, clients)
	}
	if err != nil {
		b.misuse("%s: %s", method, err)
	}

	return client, of
}

// Prefill is client.prefill(options): it writes the client's share of a workload's keys, unless
// somebody has.
func (b *Bench) Prefill(call sobek.FunctionCall) sobek.Value {
	b.join()
	options := b.asked("prefill", call.Argument(0)).options
	if err := options.ValidateKeys(); err != nil {
		b.misuse("prefill: %s", err)
	}
	options.Mix = workload.Mix{Set: 1}
	options.Pipeline = 1
	keys := b.keys(&options.Options)
	client, known := b.fills[keys]
	if !known {
		var of any
		client, of = b.client("prefill", keys, &options.Options)
		if !b.shared.prefills(keys, of) {
			client = nil
		}
		b.fills[keys] = client
	}
	var result workload.Result
	if client != nil && client.Unwritten() > 0 {
		if client := b.runs.Client(); client != nil && client.Measuring() {
			b.misuse("prefill: the keys must be written before operations are measured: call it before sweep.run, or in setup()")
		}
		b.host.Tag(options.Tags)
		defer b.host.Tag(k6mod.Tags{})
		if err := b.runs.Do(func(ctx context.Context) (err error) {
			result, err = client.Prefill(ctx)

			return err
		}); err != nil {
			b.fail(err)
		}
	}

	return b.host.VU().Runtime().ToValue(map[string]any{
		"succeeded": result.Succeeded, "failed": result.Failed, "bytesReceived": result.BytesReceived, "bytesSent": result.BytesSent,
		"seconds": result.Took.Seconds(),
	})
}

// keys is a name of what the options prefill.
func (b *Bench) keys(o *workload.Options) string {
	return fmt.Sprintf("%q %q %d %d %v %d %d", b.target, o.Keys.Prefix, o.Keys.Count, o.Keys.Size, o.Values, o.Seed, o.TTL)
}

// count tells the step, if there is one, how many keys were found.
func (b *Bench) count(hits, misses, hot, hotHits uint64) {
	client := b.runs.Client()
	if client == nil {
		return
	}
	client.Counter(measure.Hits).Add(hits)
	client.Counter(measure.Misses).Add(misses)
	client.Counter(measure.Hot).Add(hot)
	client.Counter(measure.HotHits).Add(hotHits)
}
