package executor

import (
	"sync"

	"go.k6.io/k6/v2/lib"
)

// iterations numbers the iterations of a scenario, in this instance and over all execution
// segments.
type iterations struct {
	mu    sync.Mutex
	index *lib.SegmentedIndex
}

func newIterations(et *lib.ExecutionTuple) *iterations {
	return &iterations{index: lib.NewSegmentedIndex(et)}
}

func (i *iterations) next() (local, global uint64) {
	i.mu.Lock()
	defer i.mu.Unlock()
	scaled, unscaled := i.index.Next()

	return uint64(scaled - 1), uint64(unscaled - 1)
}
