package cachebench

import (
	"errors"
	"time"

	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
	"github.com/xk6-sweep/xk6-sweep/extensions/workload"
)

// Cache is a module's client in the part of a store. Its operations count themselves in the
// module's metrics.
type Cache interface {
	workload.Store

	// Traffic returns the bytes received and sent since it was last asked.
	Traffic() (received, sent uint64)
}

// Host is the module that the client is of: a k6mod.Module.
type Host interface {
	VU() modules.VU
	// Emit sends the module's metrics.
	Emit()
	// Elapsed is told how long each operation has taken, and sends the module's metrics once in a
	// second.
	Elapsed(took time.Duration)
	// Tag gives the tags of a call to what is counted of it.
	Tag(tags k6mod.Tags)
	// As says what an error is to scripts.
	As(err error) k6mod.Error
	// Throw throws an error as the module's methods do. It does not return.
	Throw(err error)
}

// errEnded is why a run has ended before its time.
var errEnded error = k6mod.Errorf(k6mod.KindCancelled, "the test ended before the run was over")

// errEnough ends a run whose client has done its share of a step.
var errEnough = errors.New("the client's share of the step is done")
