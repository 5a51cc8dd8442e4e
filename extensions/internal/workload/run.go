package workload

import (
	"context"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
)

// Run does operations until the option iterations or duration is reached, and reports each to the
// observer. It counts failed operations and continues. It returns early, with its results so far,
// with the observer's error.
func (c *Client) Run(ctx context.Context, observer Observer) (Result, error) {
	c.observer, c.result = observer, Result{}
	start := clock.Now()
	err := c.until(ctx, start)
	c.result.Took = clock.Since(start)

	return c.result, err
}

func (c *Client) until(ctx context.Context, start time.Duration) error {
	options := &c.work.options
	left, duration := options.Iterations, options.Duration.TimeDuration()
	timed := duration > 0
	for timed || left > 0 {
		most := options.Pipeline
		if !timed {
			most = min(most, left)
		}
		if err := c.observer.Next(ctx, most); err != nil {
			return err
		}
		left -= c.step(most)
		if timed && clock.Since(start) >= duration {
			return nil
		}
	}

	return nil
}

func (c *Client) step(most int) (did int) {
	if c.work.options.Pipeline > 1 || len(c.work.commands) > 0 {
		c.pipeline(most)

		return most
	}
	if op := c.next(); op == GetMulti {
		c.getMulti()
	} else {
		c.single(op, c.keys.draw(&c.random))
	}

	return 1
}

func (c *Client) single(op Op, i int) {
	c.prepare(i)
	switch op { //nolint:exhaustive // of the others, only Touch comes here
	case Get:
		start := clock.Now()
		value, hit, err := c.store.Get(c.key, c.read[:0])
		c.ended(op, i, value, hit, err, clock.Since(start))
	case GetOrSet:
		c.getOrSet(i)
	case Set:
		c.value = c.work.values.Append(c.value[:0], i)
		start := clock.Now()
		err := c.store.Set(c.key, c.value, int(c.work.options.TTL))
		c.wrote(op, len(c.value), err, clock.Since(start))
	case Delete:
		start := clock.Now()
		err := c.store.Delete(c.key)
		c.tell(op, err, clock.Since(start))
	default:
		start := clock.Now()
		err := c.touch.Touch(c.key, int(c.work.options.TTL))
		c.tell(op, err, clock.Since(start))
	}
}

func (c *Client) getOrSet(i int) {
	c.value = c.work.values.Append(c.value[:0], i)
	start := clock.Now()
	value, hit, err := DoGetOrSet(c.store, c.key, c.value, c.read[:0], int(c.work.options.TTL))
	took := clock.Since(start)
	c.ended(GetOrSet, i, value, hit, c.gotOrSet(hit, c.value, err), took)
}

func (c *Client) ended(op Op, i int, value []byte, hit bool, err error, took time.Duration) {
	if cap(value) > cap(c.read) {
		c.read = value
	}
	if err == nil && hit {
		if err = c.verify(i, value); err != nil {
			c.result.Wrong++
		}
	}
	if err == nil {
		c.count(i < c.work.hot, len(value), hit)
		if !hit && op == Get {
			err = c.missing()
		}
	}
	c.tell(op, err, took)
}

func (c *Client) verify(i int, value []byte) error {
	if !c.work.options.Verify {
		return nil
	}

	return c.work.values.Verify(i, value)
}

func (c *Client) wrote(op Op, size int, err error, took time.Duration) {
	if err == nil {
		c.result.BytesSent += uint64(size)
	}
	c.tell(op, err, took)
}
