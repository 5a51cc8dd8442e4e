// Package machbase is the JavaScript module k6/x/machbase: a client of the Machbase time series
// database over its native protocol.
//
// What speaks to the server is behind the interface Driver; everything else (options, typed binds,
// rows, timeouts, errors, metrics) is the same for all drivers.
package machbase
