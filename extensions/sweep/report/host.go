package report

import (
	"runtime"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/mem"
)

// sameClass reports whether figures of both machines are comparable. Memory is ignored, because
// what a system reports depends on its kernel.
func (h Host) sameClass(other Host) bool {
	return h.CPU == other.CPU && h.Cores == other.Cores && h.OS == other.OS
}

// ThisHost describes this machine. Unknown fields stay empty.
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
