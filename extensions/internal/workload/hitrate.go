package workload

import (
	"context"
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
	Config     RateConfig `json:"config"`
	Pass       string     `json:"pass"`
	Iterations int        `json:"iterations"`
	Verify     bool       `json:"verify"`
	Tags       k6x.Tags   `json:"tags"`
}

func (o *rateOptions) check() error {
	switch {
	case o.Config == RateConfig{}:
		return errors.New("option config must be given: { memory, item } in bytes")
	case o.Pass != passWarmup && o.Pass != passTimed:
		return fmt.Errorf("option pass must be '%s' or '%s', not %q", passWarmup, passTimed, o.Pass)
	case o.Iterations < 0:
		return fmt.Errorf("option iterations must be a number of accesses, or 0 for all that are left, not %d", o.Iterations)
	default:
		return nil
	}
}

// HitRate implements client.hitRate(options). It does accesses of a pass of the published
// benchmark.
func (b *CacheBench) HitRate(call sobek.FunctionCall) sobek.Value {
	b.join()
	var o rateOptions
	_, _, of := b.runs.Place()
	var pass *Pass
	err := k6x.ReadOptions(call.Argument(0), &o)
	if err == nil {
		err = o.check()
	}
	if err == nil {
		pass, err = b.shared.pass(passKey{b.target, o.Config, o.Pass == passTimed, of})
	}
	if err != nil {
		b.misuse("hitRate: %s", err)
	}
	client := b.rates[o.Verify]
	if client == nil {
		client = NewRateClient(b.observer, o.Verify, b.stores...)
		b.rates[o.Verify] = client
	}
	result, err := b.do(o.Tags, func(ctx context.Context) (Result, error) { return client.Run(ctx, pass, o.Iterations) })
	left := pass.Left()
	if left == 0 && b.runs.idles(result.Succeeded+result.Failed) {
		b.misuse("hitRate: the pass is over, %s", stepGoesOn)
	}
	if err != nil {
		fail(b.host, err)
	}

	return b.plain(&result, map[string]any{"left": left})
}
