package host

import (
	"os"
	"runtime/debug"
)

// gcPercent is GOGC during a sweep. Go's default of 100 costs JavaScript calls a fifth of their
// processor time; more than 200 would cost thousands of clients too much memory.
const gcPercent = 200

// SetGCPercent sets GOGC to gcPercent, unless the environment sets it. GOMEMLIMIT stays in force.
func SetGCPercent() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
}
