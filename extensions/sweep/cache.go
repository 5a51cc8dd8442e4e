package sweep

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/shirou/gopsutil/v4/process"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// cacheFacts are what a script knows of the cache that it measures.
type cacheFacts struct {
	Memory int64   `json:"memory"` // its limit, bytes
	Item   int64   `json:"item"`   // key and value on average, bytes
	PIDs   []int32 `json:"pids"`   // of its processes on this machine; none: the one that listens at target.url
	VMHWM  int64   `json:"vmHwm"`  // peak resident memory in bytes, of a server elsewhere
}

func (f *cacheFacts) validate() error {
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

// with is the facts of a cache whose process was found, if the script has not named others.
func (f *cacheFacts) with(server *serverProcess) *cacheFacts {
	whole := *f
	if len(whole.PIDs) == 0 {
		whole.PIDs = server.pids
	}

	return &whole
}

// resetPeak makes the peak resident memory of the server's processes count from now on, and returns
// since when it counts: of a process for which reset may not do that, since it was started. It
// returns zero where that is unknown.
func (f *cacheFacts) resetPeak(reset func(pid int32) (time.Time, bool)) (since time.Time) {
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

// weigh adds the figures of a cache, whose peak memory counts since then, to steps that have just
// ended.
func (f *cacheFacts) weigh(steps []report.Step, since time.Time) {
	c := report.Cache{Memory: f.Memory, AverageItem: f.Item, Peak: f.peak(), PeakSince: since}
	for i := range steps {
		steps[i].Weigh(c)
	}
}

// peak is the peak resident memory of all processes together, in bytes; 0 when that of one of them is unknown.
func (f *cacheFacts) peak() int64 {
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

// resetPeakMemory sets VmHWM to what is resident now, and returns when that was: see
// proc_pid_clear_refs(5). It is false where this user may not do that, and on other systems than
// Linux.
func resetPeakMemory(pid int32) (at time.Time, ok bool) {
	refs, err := os.OpenFile(fmt.Sprintf("/proc/%d/clear_refs", pid), os.O_WRONLY, 0)
	if err != nil {
		return at, false
	}
	defer refs.Close() //nolint:errcheck // the write has told
	_, err = refs.WriteString("5")

	return time.Now(), err == nil
}

// startedAt is when a process was started.
func startedAt(pid int32) (at time.Time, ok bool) {
	p, err := process.NewProcess(pid)
	if err != nil {
		return at, false
	}
	ms, err := p.CreateTime()

	return time.UnixMilli(ms), err == nil
}

// peakMemory reads VmHWM from /proc, which only Linux has.
func peakMemory(pid int32) (bytes int64, ok bool) {
	status, err := os.Open(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, false
	}
	defer status.Close() //nolint:errcheck // it was only read
	for lines := bufio.NewScanner(status); lines.Scan(); {
		if value, is := strings.CutPrefix(lines.Text(), "VmHWM:"); is {
			kB, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(value, "kB")), 10, 64)

			return kB << 10, err == nil
		}
	}

	return 0, false
}
