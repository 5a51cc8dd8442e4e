package runs

import (
	"github.com/xk6-sweep/xk6-sweep/extensions/workload"
)

// Cache is a module's client, used as a store. Its operations count in the module's metrics.
type Cache interface {
	workload.Store
	Moving
}
