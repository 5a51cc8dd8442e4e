package host

import (
	"fmt"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// Cache is what a script knows of the cache that it measures.
type Cache struct {
	// Memory is the cache's limit, in bytes.
	Memory int64 `json:"memory"`
	// Item is the size of key and value on average, in bytes.
	Item int64 `json:"item"`
	// PIDs are its processes on this machine; none: the one that listens at target.url.
	PIDs []int32 `json:"pids"`
	// VMHWM is the peak resident memory of a server elsewhere, in bytes.
	VMHWM int64 `json:"vmHwm"`
}

// Validate says what makes no sense.
func (f *Cache) Validate() error {
	if f.Memory < 1 || f.Item < 1 || f.VMHWM < 0 {
		return fmt.Errorf("cache must have memory and item, the server's limit and the average item in bytes")
	}
	for _, pid := range f.PIDs {
		if pid < 1 {
			return fmt.Errorf("cache.pids must be process ids, and %d is none", pid)
		}
	}
	if f.VMHWM > 0 && len(f.PIDs) > 0 {
		return fmt.Errorf("cache.vmHwm and cache.pids exclude each other: where the processes are here, their memory is read")
	}

	return nil
}

// With is the facts of a cache whose process was found, if the script has not named others.
func (f *Cache) With(server *Server) *Cache {
	whole := *f
	if len(whole.PIDs) == 0 {
		whole.PIDs = server.pids
	}

	return &whole
}

// ResetPeak makes the peak resident memory of the server's processes count from now on, and returns
// since when it counts: of a process for which reset may not do that, since it was started. It
// returns zero where that is unknown.
func (f *Cache) ResetPeak() (since time.Time) { return f.resetPeakBy(resetPeakMemory) }

// resetPeakBy does so by way of a function that resets the peak of one process.
func (f *Cache) resetPeakBy(reset func(pid int32) (time.Time, bool)) (since time.Time) {
	if f.VMHWM > 0 {
		return since
	}
	for _, pid := range f.PIDs {
		at, ok := reset(pid)
		if !ok {
			at, ok = startedAt(pid)
		}
		if !ok {
			return time.Time{}
		}
		if since.IsZero() || at.Before(since) {
			since = at
		}
	}

	return since
}

// Weigh adds the figures of a cache, whose peak memory counts since then, to steps that have just
// ended.
func (f *Cache) Weigh(steps []report.Step, since time.Time) {
	c := report.Cache{Memory: f.Memory, AverageItem: f.Item, Peak: f.peak(), PeakSince: since}
	for i := range steps {
		steps[i].Weigh(c)
	}
}

// peak is the peak resident memory of all processes together, in bytes; 0 when that of one of them
// is unknown.
func (f *Cache) peak() int64 {
	if f.VMHWM > 0 {
		return f.VMHWM
	}
	total := int64(0)
	for _, pid := range f.PIDs {
		peak, ok := peakMemory(pid)
		if !ok {
			return 0
		}
		total += peak
	}

	return total
}
