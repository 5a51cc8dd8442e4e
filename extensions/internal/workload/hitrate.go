package workload

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

const (
	passWarmup = "warmup"
	passTimed  = "timed"
)

type rateOptions struct {
	Config     config   `json:"config"`
	Pass       string   `json:"pass"`
	Iterations int      `json:"iterations"`
	Verify     bool     `json:"verify"`
	Tags       k6x.Tags `json:"tags"`
}

// config is the name of a published configuration, or an object.
type config struct{ RateConfig }

func (c *config) UnmarshalJSON(raw []byte) error {
	var name string
	if json.Unmarshal(raw, &name) == nil {
		var err error
		if c.RateConfig, err = Published(name); err != nil {
			return fmt.Errorf("option config: %w", err)
		}

		return nil
	}
	c.RateConfig = RateConfig{Hot: 20, Access: 80, HotMemory: 80}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&c.RateConfig); err != nil {
		return errors.New("option config must be the name of a published configuration, such as '2g-513k', or " +
			"{ memory, item } in bytes, with random (true or false), hot, access and hotMemory (whole percent)")
	}

	return nil
}

func (o *rateOptions) validate() error {
	switch {
	case o.Config == config{}:
		return errors.New("option config must be given: the name of a published configuration, such as '2g-513k', or { memory, item }")
	case o.Pass != passWarmup && o.Pass != passTimed:
		return fmt.Errorf("option pass must be '%s' or '%s', not %q", passWarmup, passTimed, o.Pass)
	case o.Iterations < 0:
		return fmt.Errorf("option iterations must be a number of accesses, or 0 for all that are left, not %d", o.Iterations)
	}
	if err := o.Config.Validate(); err != nil {
		return fmt.Errorf("option config: %w", err)
	}

	return nil
}

// HitRate implements client.hitRate(options). It does accesses of a pass of the published
// benchmark.
func (b *CacheBench) HitRate(call sobek.FunctionCall) sobek.Value {
	b.join()
	var o rateOptions
	if err := k6x.ReadOptions(call.Argument(0), &o); err != nil {
		b.misuse("hitRate: %s", err)
	}
	if err := o.validate(); err != nil {
		b.misuse("hitRate: %s", err)
	}
	_, _, of := b.runs.Place()
	pass, err := b.shared.pass(passKey{b.target, o.Config.RateConfig, o.Pass == passTimed, of})
	if err != nil {
		b.misuse("hitRate: %s", err)
	}
	client := b.rate(o.Verify)
	b.host.Tag(o.Tags)
	defer b.host.Tag(k6x.Tags{})

	var result RateResult
	err = b.runs.Do(func(ctx context.Context) (err error) {
		result, err = client.Run(ctx, pass, o.Iterations)

		return err
	})
	b.report(&result, pass.Left())
	if err != nil {
		b.fail(err)
	}

	return k6x.Plain(b.host.VU().Runtime(), map[string]any{
		"succeeded": result.Succeeded(), "failed": result.Failed, "wrong": result.Wrong,
		"hits": result.Hits, "misses": result.Misses, "hotAccesses": result.Hot, "hotHits": result.HotHits, "refused": result.Refused,
		"bytesReceived": result.BytesReceived, "bytesSent": result.BytesSent, "left": pass.Left(), "seconds": result.Took().Seconds(),
	})
}

// report reports hits and misses to the step, and the end of the pass.
func (b *CacheBench) report(result *RateResult, left int) {
	b.count(result.Hits, result.Misses, result.Hot, result.HotHits)
	client := b.runs.Client()
	if client == nil || left > 0 || client.Done() || result.Accesses() > 0 || !client.Measuring() {
		return
	}
	b.misuse("hitRate: the pass is over, and the step is not: give the scenario untilDone: true, in the place of " +
		"iterations or duration")
}

func (b *CacheBench) rate(verify bool) *RateClient {
	client := b.rates[verify]
	if client == nil {
		var err error
		if client, err = NewRateClient(b.observer, verify, b.stores...); err != nil {
			b.fail(err)
		}
		b.rates[verify] = client
	}

	return client
}
