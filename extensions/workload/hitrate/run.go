package hitrate

import (
	"context"
	"errors"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/workload"
)

// Client runs accesses on its own connections. One goroutine uses it.
type Client struct {
	stores   []workload.Store
	observer workload.Observer
	verify   bool

	key, read []byte
	result    Result
}

// NewClient returns a client of one or more servers; case i uses store i modulo their number. The
// observer sees each access as a getOrSet. With verify, hits are compared with the expected value,
// which the original does not do.
func NewClient(observer workload.Observer, verify bool, stores ...workload.Store) (*Client, error) {
	if len(stores) == 0 {
		return nil, errors.New("a client needs at least one store")
	}

	return &Client{stores: stores, observer: observer, verify: verify}, nil
}

// Run claims and does up to most accesses of the pass, or all that are left if most is 0. It counts
// failed accesses and continues. It returns early with the context's cause when ctx ends between
// two accesses, and with the store's error if that wraps workload.ErrClosed.
func (c *Client) Run(ctx context.Context, pass *Pass, most int) (Result, error) {
	c.result = Result{}
	for n := 0; most == 0 || n < most; n++ {
		if err := c.observer.Next(ctx, 1); err != nil {
			return c.result, err
		}
		i, ok := pass.Next()
		if !ok {
			break
		}
		if err := c.access(pass.bench, i); err != nil {
			return c.result, err
		}
	}

	return c.result, nil
}

func (c *Client) access(b *Benchmark, i int) (closed error) {
	c.key = b.AppendKey(c.key[:0], i)
	value := b.Value(i)
	start := time.Now()
	got, hit, err := workload.DoGetOrSet(c.stores[i%len(c.stores)], c.key, value, c.read[:0], 0)
	c.result.Ended = time.Now()
	if c.result.Began.IsZero() {
		c.result.Began = start
	}
	if cap(got) > cap(c.read) {
		c.read = got
	}
	size := len(value)
	switch {
	case errors.Is(err, workload.ErrRefused):
		c.result.Refused++
		size, err = 0, nil
	case hit:
		size = len(got)
	}
	if err == nil && hit && c.verify {
		err = check(got, value)
	}

	return c.count(b.Hot(i), hit, err, size, c.result.Ended.Sub(start))
}

func check(got, value []byte) error {
	switch {
	case len(got) != len(value):
		return workload.ErrWrongSize
	case string(got) != string(value):
		return workload.ErrWrongBytes
	default:
		return nil
	}
}

func (c *Client) count(hot, hit bool, err error, size int, took time.Duration) (closed error) {
	r := &c.result
	if hot {
		r.Hot++
	}
	if err != nil {
		r.Failed++
		if errors.Is(err, workload.ErrWrongValue) {
			r.Wrong++
		}
		c.observer.Fail(workload.GetOrSet, err, took)
		if errors.Is(err, workload.ErrClosed) {
			return err
		}

		return nil
	}
	c.observer.Ok(workload.GetOrSet, took)
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

	return nil
}
