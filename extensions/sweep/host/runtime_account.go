package host

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/witness"
)

// Names in package runtime/metrics.
const (
	collectorTime = "/cpu/classes/gc/total:cpu-seconds"
	gcPauses      = "/sched/pauses/total/gc:seconds"
	schedulerWait = "/sched/latencies:seconds"
	lockWait      = "/sync/mutex/wait/total:seconds"
)

type runtimeAccount struct {
	collector, locks  float64
	pauses, scheduler *metrics.Float64Histogram
}

func readRuntime() runtimeAccount {
	samples := []metrics.Sample{{Name: collectorTime}, {Name: gcPauses}, {Name: schedulerWait}, {Name: lockWait}}
	metrics.Read(samples)

	return runtimeAccount{
		collector: samples[0].Value.Float64(), pauses: samples[1].Value.Float64Histogram(),
		scheduler: samples[2].Value.Float64Histogram(), locks: samples[3].Value.Float64(),
	}
}

func readPauses() time.Duration {
	samples := []metrics.Sample{{Name: gcPauses}}
	metrics.Read(samples)
	h, sum := samples[0].Value.Float64Histogram(), 0.0
	for i, n := range h.Counts {
		if n > 0 {
			sum += float64(n) * middle(h, i)
		}
	}

	return time.Duration(sum * float64(time.Second))
}

// middle returns the middle of a bucket, or its finite end.
func middle(h *metrics.Float64Histogram, bucket int) float64 {
	low, high := h.Buckets[bucket], h.Buckets[bucket+1]
	switch {
	case math.IsInf(low, -1):
		return high
	case math.IsInf(high, 1):
		return low
	}

	return (low + high) / 2
}

// since adds the differences to an earlier account, seconds ago, to the evidence.
func (r *runtimeAccount) since(earlier *runtimeAccount, e witness.Evidence, seconds float64) {
	e[witness.Collector] = max(r.collector-earlier.collector, 0) / seconds
	e[witness.Locks] = max(r.locks-earlier.locks, 0) / seconds
	if longest, known := quantileSince(r.pauses, earlier.pauses, 1); known {
		e[witness.PauseMs] = longest * 1000
	}
	if p99, known := quantileSince(r.scheduler, earlier.scheduler, 0.99); known {
		e[witness.SchedulerMs] = p99 * 1000
	}
}

// quantileSince returns a quantile of what a histogram has counted since an earlier reading.
func quantileSince(now, earlier *metrics.Float64Histogram, q float64) (value float64, known bool) {
	all := uint64(0)
	for i, n := range now.Counts {
		all += n - earlier.Counts[i]
	}
	if all == 0 {
		return 0, false
	}
	rank, seen := uint64(math.Ceil(q*float64(all))), uint64(0)
	for i, n := range now.Counts {
		if seen += n - earlier.Counts[i]; seen >= rank {
			return middle(now, i), true
		}
	}

	return 0, false
}

// mayUse returns how many processors this process may use, limited by GOMAXPROCS and its control
// group's quota.
func mayUse(machine float64) float64 {
	may := min(float64(runtime.GOMAXPROCS(0)), machine)
	if quota := cpuQuota(); quota > 0 {
		may = min(may, quota)
	}

	return may
}

// gcPercent is GOGC during a sweep. Go's default of 100 costs JavaScript calls a fifth of their
// processor time; more than 200 would cost thousands of clients too much memory.
const gcPercent = 200

// SetGCPercent sets GOGC to gcPercent, unless the environment sets it. GOMEMLIMIT stays in force.
func SetGCPercent() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
}
