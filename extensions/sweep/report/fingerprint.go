package report

import (
	"fmt"
	"strconv"
)

// Fingerprint is the state of the machine and of k6 in which a run was measured: what makes the
// figures of one machine differ although nobody has changed the target. What could not be found out
// is empty.
type Fingerprint struct {
	// Build is the commit that k6 was built of, with "+dirty" where its files were changed since.
	Build string `json:"build,omitempty"`
	// Go is the version of Go that k6 was built with.
	Go string `json:"go"`
	// GoMaxProcs is how many threads run Go at a time.
	GoMaxProcs int `json:"gomaxprocs"`
	// GoGC is the percent by which the heap may grow between two garbage collections, or "off", and
	// GoMemLimit the bytes of Go's limit of memory; "" for none.
	GoGC       string `json:"gogc,omitempty"`
	GoMemLimit string `json:"gomemlimit,omitempty"`
	// EventLoops is how many event loops the clients of client.run share.
	EventLoops int `json:"eventLoops,omitempty"`
	// CPUQuota is how many cores k6's control group may use; zero for all.
	CPUQuota float64 `json:"cpuQuota,omitempty"`
	// MemoryLimit is the bytes of memory that k6's control group may use; zero for all.
	MemoryLimit uint64 `json:"memoryLimit,omitempty"`
	// Kernel is the version of the system's kernel.
	Kernel string `json:"kernel,omitempty"`
	// Governor is the policy by which the system chooses the processor's frequency.
	Governor string `json:"governor,omitempty"`
	// ClockSource is what the kernel reads the time from.
	ClockSource string `json:"clockSource,omitempty"`
	// Hypervisor is what the machine is a guest of.
	Hypervisor string `json:"hypervisor,omitempty"`
	// Caches are those of the first processor, such as "L1 Data 48K, L2 Unified 1024K".
	Caches string `json:"caches,omitempty"`
}

// Fact is something that is known of a run, with its path in the report.
type Fact struct{ Name, Text string }

// Facts are what the fingerprint says, in the order of its fields, without what is not known.
func (f *Fingerprint) Facts() (facts []Fact) {
	if f == nil {
		return nil
	}
	for _, fact := range f.all() {
		if fact.Text != "" {
			facts = append(facts, fact)
		}
	}

	return facts
}

func (f *Fingerprint) all() []Fact {
	return []Fact{
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
	}
}

// known is a number that is zero where it is not known.
func known(n float64) string {
	if n == 0 {
		return ""
	}

	return strconv.FormatFloat(n, 'f', -1, 64)
}

// fingerprintDifferences lists in what two fingerprints differ but the build, which is what people
// compare.
func fingerprintDifferences(before, after *Fingerprint) (found []string) {
	switch {
	case before == nil && after == nil:
		return nil
	case before == nil || after == nil:
		return []string{"fingerprint differs: one of the runs has none"}
	}
	a, b := before.all(), after.all()
	for i := range a {
		if a[i] != b[i] && a[i].Name != "build" {
			found = append(found, fmt.Sprintf("fingerprint.%s differs: %s and %s", a[i].Name, orNothing(a[i].Text), orNothing(b[i].Text)))
		}
	}

	return found
}

func orNothing(text string) string {
	if text == "" {
		return "nothing"
	}

	return shown(text)
}
