package report

import (
	"runtime"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/mem"
)

// sameClass tells whether figures of both machines can stand beside each other. How much memory a
// system sees of the same machine changes with its kernel.
func (h Host) sameClass(other Host) bool {
	return h.CPU == other.CPU && h.Cores == other.Cores && h.OS == other.OS
}

// ThisHost describes the machine that the process runs on. What cannot be found out stays empty.
func ThisHost() Host {
	h := Host{Cores: runtime.NumCPU(), OS: runtime.GOOS + "/" + runtime.GOARCH}
	if info, err := cpu.Info(); err == nil && len(info) > 0 {
		h.CPU = info[0].ModelName
	}
	if memory, err := mem.VirtualMemory(); err == nil {
		h.MemBytes = memory.Total
	}

	return h
}
