package main

import (
	"errors"
	"fmt"
	"time"
)

// work is what a client does again and again.
type work interface {
	// operation is done once, and tells how many rows it came to.
	operation() (rows int64, err error)
	// end is what belongs to the work when all operations are done.
	end() error
}

// asking is the published operation: query, read and check every row, close.
type asking struct {
	session session
	sql     string
	params  params
}

func (w *asking) operation() (n int64, err error) {
	n, err = w.session.query(w.sql, &w.params)
	if err == nil && n == 0 {
		err = fmt.Errorf("no row of %s from %s to %s: is the data loaded, and recent?",
			w.params.code, w.params.from.UTC().Format(time.RFC3339), w.params.to.UTC().Format(time.RFC3339))
	}
	return n, err
}

func (w *asking) end() error { return nil }

// batch is how many rows one operation appends: reading the clock for each of them would cost as much as the row.
const batch = 1000

// appending appends ticks, a batch an operation, to a table of the client's own.
type appending struct {
	appender appender
	ticks    []tick
	rows     int64 // appended so far
}

func newAppending(s session, table, code string, now time.Time) (*appending, error) {
	if err := s.exec(`create tag table ` + table + ` ( code varchar(20) primary key, time datetime basetime,
 price double, volume double, bid_price double, ask_price double )`); err != nil {
		return nil, err
	}
	a, err := s.appender(table)
	if err != nil {
		return nil, errors.Join(err, s.exec("drop table "+table))
	}
	w := &appending{appender: a, ticks: make([]tick, batch)}
	for i := range w.ticks {
		price := 100 + float64(i)/8
		w.ticks[i] = tick{code, now.Add(time.Duration(i) * time.Millisecond), price, 10 * price, price - .5, price + .5}
	}
	return w, nil
}

func (w *appending) operation() (int64, error) {
	for i := range w.ticks {
		if err := w.appender.append(&w.ticks[i]); err != nil {
			return int64(i), err
		}
		w.rows++
	}
	return batch, nil
}

// end lets the server say what it has taken.
func (w *appending) end() error {
	receipt, err := w.appender.close()
	if err == nil && (receipt.Accepted != w.rows || receipt.Rejected != 0) {
		err = fmt.Errorf("of %d rows the server accepted %d and rejected %d", w.rows, receipt.Accepted, receipt.Rejected)
	}
	return err
}
