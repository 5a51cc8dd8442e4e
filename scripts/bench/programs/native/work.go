package main

import (
	"errors"
	"fmt"
	"time"
)

// asking is the published operation: query, read and check every row, close.
type asking struct {
	session session
	sql     string
	params  params
}

// Operation asks once.
func (w *asking) Operation() (n int64, err error) {
	n, err = w.session.query(w.sql, &w.params)
	if err == nil && n == 0 {
		err = fmt.Errorf("no row of %s from %s to %s: is the data loaded, and recent?",
			w.params.code, w.params.from.UTC().Format(time.RFC3339), w.params.to.UTC().Format(time.RFC3339))
	}
	return n, err
}

// End has nothing to do.
func (w *asking) End() error { return nil }

// Close closes the connection.
func (w *asking) Close() error { return w.session.close() }

// batch is how many rows one operation appends: reading the clock for each of them would cost as
// much as the row.
const batch = 1000

// appending appends ticks, a batch an operation, to a table of the client's own.
type appending struct {
	session  session
	table    string
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
	w := &appending{session: s, table: table, appender: a, ticks: make([]tick, batch)}
	for i := range w.ticks {
		price := 100 + float64(i)/8
		w.ticks[i] = tick{code, now.Add(time.Duration(i) * time.Millisecond), price, 10 * price, price - .5, price + .5}
	}
	return w, nil
}

// Operation appends a batch.
func (w *appending) Operation() (int64, error) {
	for i := range w.ticks {
		if err := w.appender.append(&w.ticks[i]); err != nil {
			return int64(i), err
		}
		w.rows++
	}
	return batch, nil
}

// End lets the server say what it has taken.
func (w *appending) End() error {
	receipt, err := w.appender.close()
	if err == nil && (receipt.Accepted != w.rows || receipt.Rejected != 0) {
		err = fmt.Errorf("of %d rows the server accepted %d and rejected %d", w.rows, receipt.Accepted, receipt.Rejected)
	}
	return err
}

// Close drops the table and closes the connection.
func (w *appending) Close() error {
	return errors.Join(w.session.exec("drop table "+w.table), w.session.close())
}
