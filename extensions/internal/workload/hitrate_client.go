package workload

import (
	"context"
	"errors"
	"time"
)

// RateClient runs accesses on its own connections. One goroutine uses it.
type RateClient struct {
	stores   []Store
	observer Observer
	verify   bool

	key, read []byte
	result    RateResult
}

// NewRateClient returns a client of one or more servers; case i uses store i modulo their number.
// The observer sees each access as a getOrSet. With verify, hits are compared with the expected
// value, which the original does not do.
func NewRateClient(observer Observer, verify bool, stores ...Store) (*RateClient, error) {
	if len(stores) == 0 {
		return nil, errors.New("a client needs at least one store")
	}

	return &RateClient{stores: stores, observer: observer, verify: verify}, nil
}

// Run claims and does up to most accesses of the pass, or all that are left if most is 0. It counts
// failed accesses and continues. It returns early with the context's cause when ctx ends between
// two accesses, and with the store's error if that wraps ErrClosed.
func (c *RateClient) Run(ctx context.Context, pass *Pass, most int) (RateResult, error) {
	c.result = RateResult{}
	for n := 0; most == 0 || n < most; n++ {
		if err := c.observer.Next(ctx, 1); err != nil {
			return c.result, err
		}
		i, ok := pass.Next()
		if !ok {
			break
		}
		c.access(pass.bench, i)
	}

	return c.result, nil
}

func (c *RateClient) access(b *Benchmark, i int) {
	c.key = b.AppendKey(c.key[:0], i)
	value := b.Value(i)
	start := time.Now()
	got, hit, err := DoGetOrSet(c.stores[i%len(c.stores)], c.key, value, c.read[:0], 0)
	c.result.Ended = time.Now()
	if c.result.Began.IsZero() {
		c.result.Began = start
	}
	if cap(got) > cap(c.read) {
		c.read = got
	}
	size := len(value)
	switch {
	case errors.Is(err, ErrRefused):
		c.result.Refused++
		size, err = 0, nil
	case hit:
		size = len(got)
	}
	if err == nil && hit && c.verify {
		err = checkValue(got, value)
	}
	c.count(b.Hot(i), hit, err, size, c.result.Ended.Sub(start))
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

func (c *RateClient) count(hot, hit bool, err error, size int, took time.Duration) {
	r := &c.result
	if hot {
		r.Hot++
	}
	if err != nil {
		r.Failed++
		if errors.Is(err, ErrWrongValue) {
			r.Wrong++
		}
		c.observer.Fail(GetOrSet, err, took)

		return
	}
	c.observer.Ok(GetOrSet, took)
	switch {
	case !hit:
		r.Misses++
		r.BytesSent += uint64(size)
	case hot:
		r.Hits++
		r.HotHits++
		r.BytesReceived += uint64(size)
	default:
		r.Hits++
		r.BytesReceived += uint64(size)
	}
}
