package crew

import (
	"errors"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Latencies are kept from 1 us to an hour, in nanoseconds.
const (
	shortest = int64(time.Microsecond)
	longest  = int64(time.Hour)
	digits   = 3
)

// client is one of the crew and what it measured.
type client struct {
	work Work

	latency      *hdrhistogram.Histogram // nanoseconds, successful operations
	failed       int
	firstFailure error
	rows         int64
	elapsed      time.Duration // start line to the end of the last operation
}

func newClient(work Work) *client {
	return &client{work: work, latency: hdrhistogram.New(shortest, longest, digits)}
}

// warmUp runs operations for d and forgets them. One that fails ends it: the
// measured ones will say so.
func (c *client) warmUp(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
		if _, err := c.work.Operation(); err != nil {
			return
		}
	}
}

// measure runs n operations, all of them, whether or not some fail. What ends the work is part of
// the last one.
func (c *client) measure(n int) {
	bare, is := c.work.(Bare)
	if !is {
		c.time(n)

		return
	}
	start := time.Now()
	if err := bare.Operations(n); err != nil {
		c.failed, c.firstFailure = n, err
	}
	c.elapsed = time.Since(start)
}

func (c *client) time(n int) {
	start := time.Now()
	for last := start; n > 0; n-- {
		rows, err := c.work.Operation()
		if n == 1 {
			err = errors.Join(err, c.work.End())
		}
		now := time.Now()
		c.record(now.Sub(last), rows, err)
		last = now
		c.elapsed = now.Sub(start)
	}
}

func (c *client) record(d time.Duration, rows int64, err error) {
	if err == nil {
		err = c.latency.RecordValue(max(int64(d), shortest))
	}
	if err != nil {
		if c.failed++; c.failed == 1 {
			c.firstFailure = err
		}
		return
	}
	c.rows += rows
}
