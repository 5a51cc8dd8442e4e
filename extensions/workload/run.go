package workload

import (
	"context"
	"errors"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
)

// Run does operations until the option iterations or duration is reached, and reports each to the
// observer. It counts failed operations and continues.
//
// Run returns early, with its results so far and an error, if
//   - ctx ends: the context's cause. An operation that this interrupts counts as failed,
//   - the store returns an error that wraps ErrClosed.
func (c *Client) Run(ctx context.Context, observer Observer) (Result, error) {
	c.observer, c.result = observer, Result{}
	start := clock.Now()
	err := c.until(ctx, start)
	c.result.Took = clock.Since(start)

	return c.result, err
}

func (c *Client) until(ctx context.Context, start time.Duration) error {
	options := &c.work.options
	left, duration := options.Iterations, time.Duration(options.Duration)
	timed := duration > 0
	for timed || left > 0 {
		most := options.Pipeline
		if !timed {
			most = min(most, left)
		}
		if err := c.observer.Next(ctx, most); err != nil {
			return err
		}
		did, err := c.step(most)
		if err != nil {
			return err
		}
		left -= did
		if timed && clock.Since(start) >= duration {
			return nil
		}
	}

	return nil
}

func (c *Client) step(most int) (did int, err error) {
	if c.work.options.Pipeline > 1 || len(c.work.commands) > 0 {
		return most, c.pipeline(most)
	}
	op := c.next()
	if op == GetMulti {
		return 1, c.getMulti()
	}

	return 1, c.single(op, c.keys.draw(&c.random))
}

func (c *Client) single(op Op, i int) (closed error) {
	c.prepare(i)
	switch op { //nolint:exhaustive // of the others, only Touch comes here
	case Get:
		start := clock.Now()
		value, hit, err := c.store.Get(c.key, c.read[:0])

		return c.ended(op, i, value, hit, err, clock.Since(start))
	case GetOrSet:
		return c.getOrSet(i)
	case Set:
		c.value = c.work.values.Append(c.value[:0], i)
		start := clock.Now()
		err := c.store.Set(c.key, c.value, int(c.work.options.TTL))

		return c.wrote(op, len(c.value), err, clock.Since(start))
	case Delete:
		start := clock.Now()
		err := c.store.Delete(c.key)

		return c.tell(op, err, clock.Since(start))
	default:
		start := clock.Now()
		err := c.touch.Touch(c.key, int(c.work.options.TTL))

		return c.tell(op, err, clock.Since(start))
	}
}

func (c *Client) getOrSet(i int) (closed error) {
	c.value = c.work.values.Append(c.value[:0], i)
	start := clock.Now()
	value, hit, err := DoGetOrSet(c.store, c.key, c.value, c.read[:0], int(c.work.options.TTL))
	took := clock.Since(start)
	switch {
	case errors.Is(err, ErrRefused):
		c.result.Refused++
		err = nil
	case err == nil && !hit:
		c.result.BytesSent += uint64(len(c.value))
	}

	return c.ended(GetOrSet, i, value, hit, err, took)
}

func (c *Client) ended(op Op, i int, value []byte, hit bool, err error, took time.Duration) (closed error) {
	if cap(value) > cap(c.read) {
		c.read = value
	}
	if err == nil && hit {
		if err = c.verify(i, value); err != nil {
			c.result.Wrong++
		}
	}
	if err == nil {
		c.count(i, len(value), hit)
		if !hit && op == Get {
			err = c.missing()
		}
	}

	return c.tell(op, err, took)
}

func (c *Client) verify(i int, value []byte) error {
	if !c.work.options.Verify {
		return nil
	}

	return c.work.values.Verify(i, value)
}

func (c *Client) count(i, size int, hit bool) {
	r := &c.result
	hot := i < c.work.hot
	if hot {
		r.Hot++
	}
	if !hit {
		r.Misses++

		return
	}
	r.Hits++
	r.BytesReceived += uint64(size)
	if hot {
		r.HotHits++
	}
}

func (c *Client) wrote(op Op, size int, err error, took time.Duration) (closed error) {
	if err == nil {
		c.result.BytesSent += uint64(size)
	}

	return c.tell(op, err, took)
}

// tell returns err if the store is closed.
func (c *Client) tell(op Op, err error, took time.Duration) (closed error) {
	if err == nil {
		c.result.Succeeded++
		c.observer.Ok(op, took)

		return nil
	}
	c.result.Failed++
	c.observer.Fail(op, err, took)
	if errors.Is(err, ErrClosed) {
		return err
	}

	return nil
}
