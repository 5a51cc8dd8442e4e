package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/machbase/neo-client/api"
	"github.com/machbase/neo-client/machgo"
)

// client is one connection and what it measured.
type client struct {
	db     *machgo.Database
	conn   api.Conn
	sql    string
	params params

	latency      *hdrhistogram.Histogram // nanoseconds, successful operations
	failed       int
	firstFailure error
	rows         int64
	elapsed      time.Duration // start line to the end of the last operation
}

// connect opens the client's own database and connection: goroutines that share
// a machgo.Database race.
func connect(s settings) (*client, error) {
	db, err := machgo.NewDatabase(&machgo.Config{
		Host: s.host, Port: s.port, MaxOpenConn: -1, MaxOpenQuery: -1,
	})
	if err != nil {
		return nil, err
	}
	cache := api.StatementCacheOff
	if s.reuse {
		cache = api.StatementCacheAuto
	}
	conn, err := db.Connect(context.Background(),
		api.WithPassword(s.user, s.password), api.WithStatementCache(cache))
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &client{
		db:      db,
		conn:    conn,
		sql:     s.query.sql,
		params:  s.query.params(s.code, time.Now()),
		latency: hdrhistogram.New(1000, int64(time.Hour), 3),
	}, nil
}

func (c *client) close() error {
	return errors.Join(c.conn.Close(), c.db.Close())
}

// warmUp runs operations for d and forgets them. One that fails ends it: the
// measured ones will say so.
func (c *client) warmUp(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
		if _, err := c.operation(); err != nil {
			return
		}
	}
}

// measure runs n operations, all of them, whether or not some fail.
func (c *client) measure(n int) {
	start := time.Now()
	for last := start; n > 0; n-- {
		rows, err := c.operation()
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

// operation is the measured work: query, read and check every row, close.
func (c *client) operation() (n int64, err error) {
	p := &c.params
	answer, err := c.conn.Query(context.Background(), c.sql, p.code, p.from, p.to, p.limit)
	if err != nil {
		return 0, err
	}
	rows := answer.(*machgo.Rows) //nolint:forcetypeassert // what machgo returns
	n, err = c.read(rows)
	if closeErr := rows.Close(); err == nil {
		err = closeErr
	}
	if err == nil && n == 0 {
		err = fmt.Errorf("no row of %s from %s to %s: is the data loaded, and recent?",
			p.code, p.from.UTC().Format(time.RFC3339), p.to.UTC().Format(time.RFC3339))
	}
	return n, err
}

func (c *client) read(rows *machgo.Rows) (n int64, err error) {
	for rows.Next() {
		// Declared here, as in the original: they are allocated for each row.
		var code string
		var at time.Time
		var price, volume, bid, ask float64
		if err := rows.Scan(&code, &at, &price, &volume, &bid, &ask); err != nil {
			return n, err
		}
		if code != c.params.code {
			return n, fmt.Errorf("a row of code %q, asked for %q", code, c.params.code)
		}
		n++
	}
	return n, rows.Err()
}
