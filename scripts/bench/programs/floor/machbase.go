package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

// rollup is the published query of the stock benchmark, as scenarios/stock-rollup.js asks it.
const rollup = `select /*+ SCAN_FORWARD(stock_rollup_1m) */ code, time,
 sum(sum_price) / sum(cnt) as avg_price,
 sum(sum_volume) as total_volume,
 sum(sum_bid) / sum(cnt) as avg_bid,
 sum(sum_ask) / sum(cnt) as avg_ask
 from stock_rollup_1m
 where code = ? and time between ? and ?
 group by code, time order by time limit ?`

// recorder is a connection that keeps what goes over it. It hides the socket, which the client
// would read and write past it.
type recorder struct {
	net.Conn
	sent     []byte
	received int
	// turns counts the writes that follow a read.
	turns   int
	hasRead bool
}

// Write implements net.Conn.
func (r *recorder) Write(b []byte) (int, error) {
	if r.hasRead || len(r.sent) == 0 {
		r.turns, r.hasRead = r.turns+1, false
	}
	r.sent = append(r.sent, b...)

	return r.Conn.Write(b)
}

// Read implements net.Conn.
func (r *recorder) Read(b []byte) (int, error) {
	n, err := r.Conn.Read(b)
	r.received, r.hasRead = r.received+n, true

	return n, err
}

// openMachbase connects by the client of this repository, has it ask until two queries in a row are
// the same bytes, and goes on with these.
func openMachbase(address string) (*net.TCPConn, exchange, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, exchange{}, errors.New("the server's address must be machbase://user:password@host:port") // it may hold a password
	}
	password, _ := u.User.Password()
	var tcp *net.TCPConn
	var r *recorder
	conn, err := cmi.Connect(context.Background(), cmi.Config{
		Addresses: []string{u.Host}, User: u.User.Username(), Password: password, StatementCache: cmi.CacheAuto,
		Dial: func(context.Context, string, string) (_ net.Conn, err error) {
			if tcp, err = dial(address); err != nil {
				return nil, err
			}
			r = &recorder{Conn: tcp}

			return r, nil
		},
	})
	if err != nil {
		return nil, exchange{}, err
	}
	to := time.Now().Add(-2 * time.Minute)
	var last exchange
	for range 8 {
		r.sent, r.received, r.turns, r.hasRead = nil, 0, 0, false
		n, err := rowsOf(conn, to)
		if err != nil || n == 0 {
			return nil, exchange{}, errors.Join(fmt.Errorf("the query has %d rows: is the data loaded, and recent?", n), err, conn.Close())
		}
		if r.turns == 1 && bytes.Equal(r.sent, last.request) && r.received == last.answer {
			return tcp, last, nil
		}
		last = exchange{request: r.sent, answer: r.received}
	}

	return nil, exchange{}, errors.Join(fmt.Errorf("a query is not the same bytes each time: %d sent and %d received, in %d turns",
		len(last.request), last.answer, r.turns), conn.Close())
}

func rowsOf(conn *cmi.Conn, to time.Time) (n int, err error) {
	rows, err := conn.Query(context.Background(), rollup, "WISH", to.Add(-time.Hour), to, 100)
	if err != nil {
		return 0, err
	}
	for rows.Next() {
		n++
	}

	return n, rows.Close()
}
