// Package machbase is the k6 module k6/x/machbase, a client of the Machbase time series database.
//
// A [Driver] implements the protocol. Options, typed parameters, rows, timeouts, errors and metrics
// are the same for all drivers.
package machbase
