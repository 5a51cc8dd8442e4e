package cachebench

import (
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/runs"
	"github.com/xk6-sweep/xk6-sweep/extensions/workload"
)

// Cache is a module's client, used as a store. Its operations count in the module's metrics.
type Cache interface {
	workload.Store
	runs.Moving
}

// Host is the client's module. k6mod.Module implements it.
type Host interface {
	runs.Host

	// Tag sets the tags of a call's samples.
	Tag(tags k6mod.Tags)
	// As converts an error for scripts.
	As(err error) k6mod.Error
	// Throw throws an error in JavaScript. It does not return.
	Throw(err error)
	// Abort ends the test with an error after the current call.
	Abort(err error)
}
