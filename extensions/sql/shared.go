package sql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

type runner interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// on calls work with the pool. For a shared pool it calls work with a connection, and measures the
// wait for it, without connecting.
func (d *database) on(work func(runner) error) error {
	if d.leave == nil {
		return work(d.pool)
	}
	const tries = 3 // as in database/sql, for stale connections
	var err error
	for range tries {
		begin := clock.Now()
		conn, failed := d.pool.Conn(&d.call)
		d.waited += clock.Since(begin) - d.call.Connecting
		if failed != nil {
			return failed
		}
		d.connected = true
		err = work(conn)
		_ = conn.Close()
		if !errors.Is(err, driver.ErrBadConn) {
			break
		}
		d.call = dbCall{Context: d.call.Context, Shared: true}
	}

	return err
}

func (d *database) countWait(op string) {
	if d.leave == nil {
		return
	}
	if session := d.Session(); session != nil {
		session.Client.Counter(counterWait).Add(uint64(d.waited / time.Microsecond))

		return
	}
	key := op + "\x00" + d.tags.Key()
	series, known := d.waits[key]
	if !known {
		series = d.Series(d.wait, append(slices.Clone(d.tags.Pairs()), [2]string{"op", op})...)
		d.waits[key] = series
	}
	d.EmitTimings(k6x.Timing{Series: series, Took: d.waited})
}

var transaction = []string{ //nolint:gochecknoglobals // a constant
	"begin", "start", "commit", "end", "rollback", "abort", "savepoint", "release",
}

func (d *database) checkShared(method, text string) error {
	if d.leave == nil {
		return nil
	}
	word, _, _ := strings.Cut(strings.TrimLeft(text, " \t\r\n"), " ")
	if slices.Contains(transaction, strings.ToLower(strings.TrimRight(word, "; \t\r\n"))) {
		return k6x.Misuse("%s: %s is for one connection, and each call on a shared pool may have another one: "+
			"open the database without shared for transactions", method, word)
	}

	return nil
}
