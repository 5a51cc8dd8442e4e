package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/machbase/neo-client/api"
	"github.com/machbase/neo-client/machgo"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

// machgoSession is Machbase's own client.
type machgoSession struct {
	db   *machgo.Database
	conn api.Conn
}

// connectMachgo opens a database of the session's own: goroutines that share a machgo.Database
// race.
func connectMachgo(s settings) (session, error) {
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
	return machgoSession{db, conn}, nil
}

func (s machgoSession) query(sql string, p *params) (n int64, err error) {
	answer, err := s.conn.Query(context.Background(), sql, p.code, p.from, p.to, p.limit)
	if err != nil {
		return 0, err
	}
	rows := answer.(*machgo.Rows) //nolint:forcetypeassert // what machgo returns
	n, err = readMachgo(rows, p.code)
	if closeErr := rows.Close(); err == nil {
		err = closeErr
	}
	return n, err
}

func readMachgo(rows *machgo.Rows, want string) (n int64, err error) {
	for rows.Next() {
		// Declared here, as in the original: they are allocated for each row.
		var code string
		var at time.Time
		var price, volume, bid, ask float64
		if err := rows.Scan(&code, &at, &price, &volume, &bid, &ask); err != nil {
			return n, err
		}
		if code != want {
			return n, fmt.Errorf("a row of code %q, asked for %q", code, want)
		}
		n++
	}
	return n, rows.Err()
}

// exec goes through Query: machgo's own Exec loses the error of a statement without parameters.
func (s machgoSession) exec(sql string) error {
	rows, err := s.conn.Query(context.Background(), sql)
	if err != nil {
		return err
	}
	return rows.Close()
}

func (s machgoSession) appender(table string) (appender, error) {
	a, err := s.conn.Appender(context.Background(), table)
	if err != nil {
		return nil, err
	}
	return machgoAppender{a}, nil
}

func (s machgoSession) close() error { return errors.Join(s.conn.Close(), s.db.Close()) }

type machgoAppender struct{ appender api.Appender }

func (a machgoAppender) append(t *tick) error {
	return a.appender.Append(t.code, t.at, t.price, t.volume, t.bid, t.asked)
}

func (a machgoAppender) close() (cmi.Receipt, error) {
	accepted, rejected, err := a.appender.Close()
	return cmi.Receipt{Accepted: accepted, Rejected: rejected}, err
}
