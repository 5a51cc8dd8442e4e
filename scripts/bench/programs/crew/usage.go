//go:build unix

package crew

import (
	"runtime"
	"syscall"
	"time"
)

// usage is what this process has used so far.
type usage struct {
	cpu         time.Duration // user and system
	allocations uint64
}

func used() (usage, error) {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	var resources syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &resources); err != nil {
		return usage{}, err
	}
	return usage{time.Duration(resources.Utime.Nano() + resources.Stime.Nano()), memory.Mallocs}, nil
}

// since is what was used after the other was taken.
func (u usage) since(before usage) usage {
	return usage{u.cpu - before.cpu, u.allocations - before.allocations}
}
