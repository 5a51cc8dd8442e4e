package host

import (
	"fmt"
	"os"
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
