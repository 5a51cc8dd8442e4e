package executor

import (
	"sync"
	"time"
)

// instants returns unique times: time series databases keep one sample for each time and set of
// tags. It is safe for concurrent use; the zero value is ready.
type instants struct {
	mu   sync.Mutex
	last time.Time
}

// next returns the current time, or the first later nanosecond that is free.
func (i *instants) next() time.Time {
	i.mu.Lock()
	defer i.mu.Unlock()
	now := time.Now()
	if !now.After(i.last) {
		now = i.last.Add(time.Nanosecond)
	}
	i.last = now

	return now
}
