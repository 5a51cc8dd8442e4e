package workload

import (
	"context"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
)

// RateClient runs accesses of the hit-rate benchmark on its own connections. One goroutine uses it.
type RateClient struct {
	tally

	stores []Store
	verify bool

	key, read []byte
}

// NewRateClient returns a client of one or more servers; case i uses store i modulo their number.
// The observer sees each access as a getOrSet. With verify, hits are compared with the expected
// value, which the original does not do.
func NewRateClient(observer Observer, verify bool, stores ...Store) *RateClient {
	return &RateClient{tally: tally{observer: observer}, stores: stores, verify: verify}
}

// Run claims and does up to most accesses of the pass, or all that are left if most is 0. It counts
// failed accesses and continues. It returns early with the observer's error.
func (c *RateClient) Run(ctx context.Context, pass *Pass, most int) (Result, error) {
	c.result = Result{}
	start := clock.Now()
	var err error
	for n := 0; most == 0 || n < most; n++ {
		if err = c.observer.Next(ctx, 1); err != nil {
			break
		}
		i, ok := pass.Next()
		if !ok {
			break
		}
		c.access(pass.bench, i)
	}
	c.result.Took = clock.Since(start)

	return c.result, err
}

func (c *RateClient) access(b *Benchmark, i int) {
	c.key = b.AppendKey(c.key[:0], i)
	value, hot := b.Value(i), b.Hot(i)
	start := clock.Now()
	got, hit, err := DoGetOrSet(c.stores[i%len(c.stores)], c.key, value, c.read[:0], 0)
	took := clock.Since(start)
	if cap(got) > cap(c.read) {
		c.read = got
	}
	err = c.gotOrSet(hit, value, err)
	if err == nil && hit && c.verify {
		if err = checkValue(got, value); err != nil {
			c.result.Wrong++
		}
	}
	switch {
	case err == nil:
		c.count(hot, len(got), hit)
	case hot:
		c.result.Hot++
	}
	c.tell(GetOrSet, err, took)
}

func checkValue(got, value []byte) error {
	switch {
	case len(got) != len(value):
		return ErrWrongSize
	case string(got) != string(value):
		return ErrWrongBytes
	default:
		return nil
	}
}
