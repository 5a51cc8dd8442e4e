package host

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/shirou/gopsutil/v4/process"
)

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
