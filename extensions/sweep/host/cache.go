package host

import (
	"fmt"
	"os"
	"time"

	"github.com/prometheus/procfs"
	"github.com/shirou/gopsutil/v4/process"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// Cache is a script's description of the measured cache.
type Cache struct {
	// Memory is the cache's limit in bytes.
	Memory int64 `json:"memory"`
	// Item is the average size of key and value in bytes.
	Item int64 `json:"item"`
	// PIDs are its local processes; if empty, the ones that listen at target.url.
	PIDs []int32 `json:"pids"`
	// VMHWM is the peak resident memory of a remote server in bytes.
	VMHWM int64 `json:"vmHwm"`
}

// Validate returns an error for an invalid value.
func (f *Cache) Validate() error {
	if f.Memory < 1 || f.Item < 1 || f.VMHWM < 0 {
		return fmt.Errorf("cache must have memory and item, the server's limit and the average item in bytes")
	}
	for _, pid := range f.PIDs {
		if pid < 1 {
			return fmt.Errorf("cache.pids must be process ids, not %d", pid)
		}
	}
	if f.VMHWM > 0 && len(f.PIDs) > 0 {
		return fmt.Errorf("cache.vmHwm and cache.pids exclude each other: the memory of local processes is measured")
	}

	return nil
}

// With returns a copy with the PIDs of the server found, unless the script has set them.
func (f *Cache) With(server *Server) *Cache {
	whole := *f
	if len(whole.PIDs) == 0 {
		whole.PIDs = server.pids
	}

	return &whole
}

// ResetPeak resets the peak resident memory of the server's processes, and returns the time from
// which the peak counts. For a process whose peak may not be reset, that is its start. ResetPeak
// returns zero if the time is unknown.
func (f *Cache) ResetPeak() (since time.Time) { return f.resetPeakBy(resetPeakMemory) }

// resetPeakBy resets the peak with a function that resets one process.
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

// Weigh adds the cache's figures to steps that have just ended. since is the result of ResetPeak.
func (f *Cache) Weigh(steps []report.Step, since time.Time) {
	c := report.Cache{Memory: f.Memory, AverageItem: f.Item, Peak: f.peak(), PeakSince: since}
	for i := range steps {
		steps[i].Weigh(c)
	}
}

// peak returns the total peak resident memory in bytes; 0 if unknown for any process.
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

// resetPeakMemory resets VmHWM to the current resident memory and returns the time: see
// proc_pid_clear_refs(5). ok is false without permission, or outside Linux.
func resetPeakMemory(pid int32) (at time.Time, ok bool) {
	refs, err := os.OpenFile(fmt.Sprintf("/proc/%d/clear_refs", pid), os.O_WRONLY, 0)
	if err != nil {
		return at, false
	}
	defer refs.Close() //nolint:errcheck // the write has told
	_, err = refs.WriteString("5")

	return time.Now(), err == nil
}

func startedAt(pid int32) (at time.Time, ok bool) {
	p, err := process.NewProcess(pid)
	if err != nil {
		return at, false
	}
	ms, err := p.CreateTime()

	return time.UnixMilli(ms), err == nil
}

// peakMemory returns the peak resident memory in bytes. ok is false outside
// Linux.
func peakMemory(pid int32) (bytes int64, ok bool) {
	p, err := procfs.NewProc(int(pid))
	if err != nil {
		return 0, false
	}
	status, err := p.NewStatus()

	return int64(status.VmHWM), err == nil && status.VmHWM > 0
}
