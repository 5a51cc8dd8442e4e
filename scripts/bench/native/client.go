package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// client is one connection and what it measured.
type client struct {
	session session
	work    work
	table   string // of its own, to be dropped

	latency      *hdrhistogram.Histogram // nanoseconds, successful operations
	failed       int
	firstFailure error
	rows         int64
	elapsed      time.Duration // start line to the end of the last operation
}

// connect opens the client's own connection. The number tells its table from those of the others.
func connect(s settings, number int) (*client, error) {
	own, err := drivers[s.driver](s)
	if err != nil {
		return nil, err
	}
	c := &client{session: own, latency: hdrhistogram.New(1000, int64(time.Hour), 3)}
	if !s.append {
		c.work = &asking{own, s.query.sql, s.query.params(s.code, time.Now())}
		return c, nil
	}
	table := fmt.Sprintf("bench_append_%d_%d", os.Getpid(), number)
	if c.work, err = newAppending(own, table, s.code, time.Now()); err != nil {
		return nil, errors.Join(err, own.close())
	}
	c.table = table
	return c, nil
}

func (c *client) close() error {
	var err error
	if c.table != "" {
		err = c.session.exec("drop table " + c.table)
	}
	return errors.Join(err, c.session.close())
}

// warmUp runs operations for d and forgets them. One that fails ends it: the
// measured ones will say so.
func (c *client) warmUp(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
		if _, err := c.work.operation(); err != nil {
			return
		}
	}
}

// measure runs n operations, all of them, whether or not some fail. What ends the work is part of the last one.
func (c *client) measure(n int) {
	start := time.Now()
	for last := start; n > 0; n-- {
		rows, err := c.work.operation()
		if n == 1 {
			err = errors.Join(err, c.work.end())
		}
		now := time.Now()
		c.record(now.Sub(last), rows, err)
		last = now
		c.elapsed = now.Sub(start)
	}
}

func (c *client) record(d time.Duration, rows int64, err error) {
	if err == nil {
		err = c.latency.RecordValue(max(int64(d), 1000))
	}
	if err != nil {
		if c.failed++; c.failed == 1 {
			c.firstFailure = err
		}
		return
	}
	c.rows += rows
}
