package executor

import (
	"sync"
	"time"
)

// instants hands out times, each of them once: to a database of time series, samples with the same
// tags and the same time are one, and the last one replaces the others. The zero value is ready to
// use, by several goroutines.
type instants struct {
	mu   sync.Mutex
	last time.Time
}

// next is now or, where that has been given to somebody else, the next nanosecond that has not.
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
