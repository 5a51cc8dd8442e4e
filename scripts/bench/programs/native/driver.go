package main

import (
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

// session is one connection over either client library.
type session interface {
	// query runs the statement, reads and checks every row, and returns how many there were.
	query(sql string, p *params) (rows int64, err error)
	exec(sql string) error
	appender(table string) (appender, error)
	close() error
}

// appender appends ticks.
type appender interface {
	append(t *tick) error
	// close sends what is left, and returns how many rows the server has taken and rejected.
	close() (cmi.Receipt, error)
}

// tick is a row of the table stock_tick.
type tick struct {
	code                      string
	at                        time.Time
	price, volume, bid, asked float64
}

// drivers connect, by their names.
var drivers = map[string]func(settings) (session, error){ //nolint:gochecknoglobals // a constant
	"native": connectNative,
	"machgo": connectMachgo,
}
