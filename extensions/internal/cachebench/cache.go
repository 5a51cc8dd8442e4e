package cachebench

import (
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/runs"
	"github.com/xk6-sweep/xk6-sweep/extensions/workload"
)

// Cache is a module's client in the part of a store. Its operations count themselves in the
// module's metrics.
type Cache interface {
	workload.Store
	runs.Moving
}

// Host is the module that the client is of: a k6mod.Module.
type Host interface {
	runs.Host

	// Tag gives the tags of a call to what is counted of it.
	Tag(tags k6mod.Tags)
	// As says what an error is to scripts.
	As(err error) k6mod.Error
	// Throw throws an error as the module's methods do. It does not return.
	Throw(err error)
	// Abort ends the test with an error once the script's call has returned.
	Abort(err error)
}
