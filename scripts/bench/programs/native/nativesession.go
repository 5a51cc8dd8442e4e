package main

import (
	"context"
	"fmt"
	"net"
	"strconv"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

// nativeSession is the client of this repository.
type nativeSession struct{ conn *cmi.Conn }

func connectNative(s settings) (session, error) {
	cache := cmi.CacheOff
	if s.reuse {
		cache = cmi.CacheAuto
	}
	conn, err := cmi.Connect(context.Background(), cmi.Config{
		Addresses: []string{net.JoinHostPort(s.host, strconv.Itoa(s.port))}, User: s.user, Password: s.password, StatementCache: cache,
	})
	if err != nil {
		return nil, err
	}
	return nativeSession{conn}, nil
}

func (s nativeSession) query(sql string, p *params) (n int64, err error) {
	rows, err := s.conn.Query(context.Background(), sql, p.code, p.from, p.to, p.limit)
	if err != nil {
		return 0, err
	}
	for rows.Next() {
		if code := rows.Bytes(0); string(code) != p.code {
			err = fmt.Errorf("a row of code %q, asked for %q", code, p.code)
			break
		}
		n++
		_ = rows.Time(1)
		for i := 2; i < 6; i++ {
			_ = rows.Float64(i)
		}
	}
	if closeErr := rows.Close(); err == nil {
		err = closeErr
	}
	return n, err
}

func (s nativeSession) exec(sql string) error {
	_, err := s.conn.Exec(context.Background(), sql)
	return err
}

func (s nativeSession) appender(table string) (appender, error) {
	a, err := s.conn.Append(context.Background(), table, cmi.AppendOptions{})
	if err != nil {
		return nil, err
	}
	return nativeAppender{a}, nil
}

func (s nativeSession) close() error { return s.conn.Close() }

type nativeAppender struct{ appender *cmi.Appender }

func (a nativeAppender) append(t *tick) error {
	return a.appender.Append(context.Background(), t.code, t.at, t.price, t.volume, t.bid, t.asked)
}

func (a nativeAppender) close() (cmi.Receipt, error) { return a.appender.Close(context.Background()) }
