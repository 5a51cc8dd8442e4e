// Package host observes the machine that k6 runs on: processor time of k6 and a local server,
// whether that server is idle, a cache's memory, and the settings of Go's garbage collector. It
// does not depend on k6.
package host
