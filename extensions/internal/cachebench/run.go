package cachebench

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/workload"
)

// Run is client.run(options): it does a workload's operations.
func (b *Bench) Run(call sobek.FunctionCall) sobek.Value {
	b.join()
	client := b.workload(call.Argument(0))
	var result workload.Result
	err := b.during(func(ctx context.Context) (err error) {
		if err = client.Prefill(ctx); err != nil {
			return err
		}
		b.cache.Traffic() // no operation's
		result, err = client.Run(ctx, &b.observer)

		return err
	})
	if b.session != nil {
		b.count(result.Hits, result.Misses, result.Hot, result.HotHits)
	}
	if err != nil {
		b.fail(err)
	}

	return b.host.VU().Runtime().ToValue(map[string]any{
		"ops": result.Ops, "failed": result.Failed, "wrong": result.Wrong,
		"hits": result.Hits, "misses": result.Misses, "hotAccesses": result.Hot, "hotHits": result.HotHits, "refused": result.Refused,
		"bytesRead": result.BytesRead, "bytesWritten": result.BytesWritten, "seconds": result.Took.Seconds(),
	})
}

// workload returns the client of the options, which goes on where it has stopped.
func (b *Bench) workload(value sobek.Value) *workload.Client {
	exported, err := k6glue.Export(value)
	if err != nil {
		b.misuse("run: options cannot be read: %s", err)
	}
	given, err := json.Marshal(exported)
	if err != nil {
		b.misuse("run: options cannot be read: %s", err)
	}
	if client := b.work[string(given)]; client != nil {
		return client
	}

	options := workload.Defaults()
	if err := k6glue.Options(value, &options); err != nil {
		b.misuse("run: %s", err)
	}
	if err := options.Validate(); err != nil {
		b.misuse("run: %s", err)
	}
	index, clients, of := b.place()
	options.Prefill = options.Prefill && b.shared.prefills(b.keys(&options), of)
	work, err := b.shared.workload(string(given), options)
	if err != nil {
		b.misuse("run: %s", err)
	}
	client, err := work.Client(b.cache, index, clients)
	if err != nil {
		b.misuse("run: %s", err)
	}
	b.work[string(given)] = client

	return client
}

// keys is a name of what the options prefill.
func (b *Bench) keys(o *workload.Options) string {
	return fmt.Sprintf("%q %q %d %d %v %d %d", b.target, o.Keys.Prefix, o.Keys.Count, o.Keys.Size, o.Values, o.Seed, o.TTL)
}

// count tells the step how many keys were found.
func (b *Bench) count(hits, misses, hot, hotHits uint64) {
	client := b.session.Client
	client.Counter(measure.Hits).Add(hits)
	client.Counter(measure.Misses).Add(misses)
	client.Counter(measure.Hot).Add(hot)
	client.Counter(measure.HotHits).Add(hotHits)
}
