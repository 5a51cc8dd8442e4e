// Package sweep is the executor client-sweep, which runs a script with one number of clients after the other and
// measures each, and the JavaScript module k6/x/sweep, with which scripts take part in it.
package sweep
