package host

import (
	"os"
	"runtime/debug"
)

// gcPercent is by how much the heap may grow between two garbage collections while k6 sweeps. Go's
// default of 100 costs calls of JavaScript a fifth of their processor time; more than 200 would
// cost thousands of clients too much memory.
const gcPercent = 200

// SetGCPercent sets how often Go collects garbage from now on, once and for every step alike.
// Nothing happens where GOGC is set. A limit by GOMEMLIMIT stays in force.
func SetGCPercent() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
}
