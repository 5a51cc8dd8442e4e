package cachebench

import (
	"errors"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/workload"
)

// Cache is a module's client in the part of a store. Its operations count themselves in the module's metrics.
type Cache interface {
	workload.Store

	// Traffic returns the bytes received and sent since it was last asked.
	Traffic() (received, sent uint64)
	// Emit sends the module's metrics.
	Emit()
	// Elapsed is told how long each operation has taken, and sends the module's metrics once in a second.
	Elapsed(took time.Duration)
	// Throw throws an operation's error, or ErrEnded, as the module's methods do. It does not return.
	Throw(err error)
	// Misuse throws the error of a call that is wrong. It does not return.
	Misuse(format string, args ...any)
}

// ErrEnded is why a run has ended before its time.
var ErrEnded = errors.New("the test ended before the run was over")

// errEnough ends a run whose client has done its share of a step.
var errEnough = errors.New("the client's share of the step is done")
