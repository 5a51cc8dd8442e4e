package host

import (
	"fmt"
	"io/fs"
	"iter"
	"math"
	"os"
	"path"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"

	"github.com/shirou/gopsutil/v4/host"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// Fingerprint describes this machine and process.
func Fingerprint() *report.Fingerprint {
	f := &report.Fingerprint{
		Go: runtime.Version(), GoMaxProcs: runtime.GOMAXPROCS(0),
		EventLoops: eventloop.Count(),
	}
	f.GoGC, f.GoMemLimit = collecting()
	if info, ok := debug.ReadBuildInfo(); ok {
		f.Build = commitOf(info)
	}
	if kernel, err := host.KernelVersion(); err == nil {
		f.Kernel = kernel
	}
	if system, role, err := host.Virtualization(); err == nil && role == "guest" {
		f.Hypervisor = system
	}
	if runtime.GOOS == "linux" {
		readSystem(f, os.DirFS("/"))
	}

	return f
}

// collecting returns GOGC and GOMEMLIMIT as in force; "" without a limit.
func collecting() (percent, limit string) {
	samples := []metrics.Sample{{Name: "/gc/gogc:percent"}, {Name: "/gc/gomemlimit:bytes"}}
	metrics.Read(samples)
	percent = "off"
	if n := samples[0].Value.Uint64(); n <= math.MaxInt32 {
		percent = strconv.FormatUint(n, 10)
	}
	if n := samples[1].Value.Uint64(); n < math.MaxInt64 {
		limit = strconv.FormatUint(n, 10)
	}

	return percent, limit
}

func commitOf(info *debug.BuildInfo) string {
	commit, dirty := "", ""
	for _, setting := range info.Settings {
		switch {
		case setting.Key == "vcs.revision":
			commit = setting.Value
		case setting.Key == "vcs.modified" && setting.Value == "true":
			dirty = "+dirty"
		}
	}
	if commit == "" {
		return ""
	}

	return commit + dirty
}

func readSystem(f *report.Fingerprint, root fs.FS) {
	f.Governor = line(root, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
	f.ClockSource = line(root, "sys/devices/system/clocksource/clocksource0/current_clocksource")
	var caches []string
	for i := range 8 {
		cache := fmt.Sprintf("sys/devices/system/cpu/cpu0/cache/index%d/", i)
		if size := line(root, cache+"size"); size != "" {
			caches = append(caches, fmt.Sprintf("L%s %s %s", line(root, cache+"level"), line(root, cache+"type"), size))
		}
	}
	f.Caches = strings.Join(caches, ", ")
	readControlGroup(f, root)
}

// readControlGroup reads the limits of the process's control group and its ancestors: cpu.max and
// memory.max (version 2, admin-guide/cgroup-v2.rst in the kernel), or cpu.cfs_quota_us and
// memory.limit_in_bytes (version 1).
func readControlGroup(f *report.Fingerprint, root fs.FS) {
	for controllers, at := range ownGroups(root) {
		switch {
		case controllers == "":
			readUnified(f, root, "sys/fs/cgroup"+at)
		case hasController(controllers, "cpu"):
			folder := "sys/fs/cgroup/cpu" + at
			limitCPU(f, line(root, path.Join(folder, "cpu.cfs_quota_us")), line(root, path.Join(folder, "cpu.cfs_period_us")))
		case hasController(controllers, "memory"):
			limitMemory(f, line(root, path.Join("sys/fs/cgroup/memory"+at, "memory.limit_in_bytes")))
		}
	}
}

// ownGroups yields the process's control groups and their ancestors: the controllers, which are
// empty in version 2, and the path. root is the system's root.
func ownGroups(root fs.FS) iter.Seq2[string, string] {
	return func(yield func(controllers, at string) bool) {
		groups, _ := fs.ReadFile(root, "proc/self/cgroup")
		for group := range strings.Lines(string(groups)) {
			parts := strings.SplitN(strings.TrimSpace(group), ":", 3)
			if len(parts) < 3 {
				continue
			}
			for at := path.Clean("/" + parts[2]); ; at = path.Dir(at) {
				if !yield(parts[1], at) {
					return
				}
				if at == "/" {
					break
				}
			}
		}
	}
}

func hasController(controllers, name string) bool {
	return slices.Contains(strings.Split(controllers, ","), name)
}

func readUnified(f *report.Fingerprint, root fs.FS, folder string) {
	quota, period, _ := strings.Cut(line(root, path.Join(folder, "cpu.max")), " ")
	limitCPU(f, quota, period)
	limitMemory(f, line(root, path.Join(folder, "memory.max")))
}

// limitCPU applies a quota per period in microseconds, if it is lower.
func limitCPU(f *report.Fingerprint, quota, period string) {
	q, errQuota := strconv.ParseFloat(quota, 64)
	p, errPeriod := strconv.ParseFloat(period, 64)
	if errQuota != nil || errPeriod != nil || !(q > 0 && p > 0) { // "max" or -1 means no limit
		return
	}
	if cores := q / p; f.CPUQuota == 0 || cores < f.CPUQuota {
		f.CPUQuota = cores
	}
}

func limitMemory(f *report.Fingerprint, limit string) {
	bytes, err := strconv.ParseUint(limit, 10, 64)
	// In version 1, the largest multiple of the page size means no limit.
	if err != nil || bytes == 0 || bytes > math.MaxInt64/2 {
		return
	}
	if f.MemoryLimit == 0 || bytes < f.MemoryLimit {
		f.MemoryLimit = bytes
	}
}

func line(root fs.FS, file string) string {
	raw, err := fs.ReadFile(root, file)
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(raw), "\n")

	return strings.TrimSpace(first)
}
