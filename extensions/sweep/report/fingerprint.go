package report

import "strconv"

// Fingerprint is the state of the machine and of k6 during a run, as far as it is known. It
// explains differences between runs of one machine.
type Fingerprint struct {
	// Build is the commit of k6, with "+dirty" for changed files.
	Build      string `json:"build,omitempty"`
	Go         string `json:"go"`
	GoMaxProcs int    `json:"gomaxprocs"`
	// GoGC is the percentage of GOGC, or "off". GoMemLimit is in bytes, "" without a limit.
	GoGC       string `json:"gogc,omitempty"`
	GoMemLimit string `json:"gomemlimit,omitempty"`
	// EventLoops is the number of event loops for client.run.
	EventLoops int `json:"eventLoops,omitempty"`
	// CPUQuota is in cores, from k6's control group; zero without a quota.
	CPUQuota float64 `json:"cpuQuota,omitempty"`
	// MemoryLimit is in bytes, from k6's control group; zero without a limit.
	MemoryLimit uint64 `json:"memoryLimit,omitempty"`
	Kernel      string `json:"kernel,omitempty"`
	// Governor is the policy for the CPU frequency.
	Governor    string `json:"governor,omitempty"`
	ClockSource string `json:"clockSource,omitempty"`
	Hypervisor  string `json:"hypervisor,omitempty"`
	// Caches of the first processor, such as "L1 Data 48K, L2 Unified 1024K".
	Caches string `json:"caches,omitempty"`
}

// Facts returns the known fields in order.
func (f *Fingerprint) Facts() (facts []Fact) {
	if f == nil {
		return nil
	}
	for _, one := range [][2]string{
		{"build", f.Build},
		{"go", f.Go},
		{"gomaxprocs", known(float64(f.GoMaxProcs))},
		{"gogc", f.GoGC},
		{"gomemlimit", f.GoMemLimit},
		{"eventLoops", known(float64(f.EventLoops))},
		{"cpuQuota", known(f.CPUQuota)},
		{"memoryLimit", known(float64(f.MemoryLimit))},
		{"kernel", f.Kernel},
		{"governor", f.Governor},
		{"clockSource", f.ClockSource},
		{"hypervisor", f.Hypervisor},
		{"caches", f.Caches},
	} {
		if one[1] != "" {
			facts = append(facts, fact(one[0], one[1]))
		}
	}

	return facts
}

func known(n float64) string {
	if n == 0 {
		return ""
	}

	return strconv.FormatFloat(n, 'f', -1, 64)
}
