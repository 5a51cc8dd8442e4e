package host

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

func system(files map[string]string) fstest.MapFS {
	root := fstest.MapFS{}
	for name, contents := range files {
		root[name] = &fstest.MapFile{Data: []byte(contents)}
	}

	return root
}

func TestFingerprintOfALinuxSystem(t *testing.T) {
	const cache = "sys/devices/system/cpu/cpu0/cache/index"
	var f report.Fingerprint
	readSystem(&f, system(map[string]string{
		"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor":            "powersave\n",
		"sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
		cache + "0/level": "1\n", cache + "0/type": "Data\n", cache + "0/size": "48K\n",
		cache + "1/level": "2\n", cache + "1/type": "Unified\n", cache + "1/size": "1024K\n",
		"proc/self/cgroup": "0::/user.slice/run\n",
		// The lowest limit of all ancestors counts.
		"sys/fs/cgroup/user.slice/run/cpu.max":    "150000 100000\n",
		"sys/fs/cgroup/user.slice/cpu.max":        "400000 100000\n",
		"sys/fs/cgroup/user.slice/run/memory.max": "max\n",
		"sys/fs/cgroup/user.slice/memory.max":     "1073741824\n",
	}))
	require.Equal(t, report.Fingerprint{
		Governor: "powersave", ClockSource: "tsc", Caches: "L1 Data 48K, L2 Unified 1024K", CPUQuota: 1.5, MemoryLimit: 1 << 30,
	}, f)
}

func TestControlGroupsOfVersion1(t *testing.T) {
	var f report.Fingerprint
	readSystem(&f, system(map[string]string{
		"proc/self/cgroup":                               "9:name=systemd:/\n4:memory:/job\n2:cpu,cpuacct:/job\n0::/\n",
		"sys/fs/cgroup/cpu/job/cpu.cfs_quota_us":         "50000\n",
		"sys/fs/cgroup/cpu/job/cpu.cfs_period_us":        "100000\n",
		"sys/fs/cgroup/cpu/cpu.cfs_quota_us":             "-1\n",
		"sys/fs/cgroup/cpu/cpu.cfs_period_us":            "100000\n",
		"sys/fs/cgroup/memory/job/memory.limit_in_bytes": "9223372036854771712\n",
	}))
	require.Equal(t, report.Fingerprint{CPUQuota: 0.5}, f)
}

func TestUnknownSystem(t *testing.T) {
	for _, groups := range []string{"", "nonsense\n", "0:\n", "0::../..\n"} {
		var f report.Fingerprint
		readSystem(&f, system(map[string]string{"proc/self/cgroup": groups, "sys/fs/cgroup/cpu.max": "max 100000\n"}))
		require.Zero(t, f)
	}
}

func TestFingerprintOfThisProcess(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(37))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(8 << 30))
	before := runtime.GOMAXPROCS(3)
	defer runtime.GOMAXPROCS(before)
	f := Fingerprint()
	require.Equal(t, 3, f.GoMaxProcs)
	require.Equal(t, []string{"37", "8589934592"}, []string{f.GoGC, f.GoMemLimit})
	require.Equal(t, eventloop.Count(), f.EventLoops)
	require.Equal(t, runtime.Version(), f.Go)
	require.NotEmpty(t, f.Kernel)

	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(math.MaxInt64)
	f = Fingerprint()
	require.Equal(t, []string{"off", ""}, []string{f.GoGC, f.GoMemLimit})
}

func TestCommitThatAProgramWasBuiltOf(t *testing.T) {
	setting := func(key, value string) debug.BuildSetting { return debug.BuildSetting{Key: key, Value: value} }
	for want, settings := range map[string][]debug.BuildSetting{
		"":          {setting("vcs", "git"), setting("vcs.modified", "true")},
		"abc":       {setting("vcs.revision", "abc"), setting("vcs.modified", "false")},
		"abc+dirty": {setting("vcs.revision", "abc"), setting("vcs.modified", "true")},
	} {
		require.Equal(t, want, commitOf(&debug.BuildInfo{Settings: settings}))
	}
}
