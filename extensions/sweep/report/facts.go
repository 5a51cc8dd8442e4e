package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Fact is a property of a run, with its path in the report.
type Fact struct {
	Name, Text string
	// isText is set if the value is a string.
	isText bool
}

// longestFact is the most characters of a fact that are shown.
const longestFact = 120

// Short returns the text in one line that is not too long.
func (f *Fact) Short() string {
	line := []rune(oneLineOf(f.Text))
	if len(line) > longestFact {
		return string(line[:longestFact]) + "…"
	}

	return string(line)
}

func fact(name string, value any) Fact {
	_, isText := value.(string)

	return Fact{name, PlainText(value), isText}
}

// PlainText formats a parameter's value: a string as it is, others as JSON.
func PlainText(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return fmt.Sprint(v) // such as a function, which JSON cannot hold
	}

	return strings.TrimSuffix(b.String(), "\n")
}

// factRoots are the paths of facts in their order.
var factRoots = []string{"scenario", "params", "target", "k6", "host", "fingerprint"} //nolint:gochecknoglobals // a constant

// Facts returns what may explain that the figures of two runs differ, without the results folder
// and columns of tables.
func (r *Report) Facts() []Fact {
	facts := []Fact{fact("scenario", r.Scenario)}
	add := func(prefix string, values map[string]any, ignored ...string) {
		for _, name := range slices.Sorted(maps.Keys(values)) {
			if !slices.Contains(ignored, name) {
				facts = append(facts, fact(prefix+name, values[name]))
			}
		}
	}
	add("params.", r.Params, "results", IntervalsParam)
	add("target.", r.Target)
	facts = append(facts, fact("k6", r.K6),
		fact("host.cpu", r.Host.CPU), fact("host.cores", r.Host.Cores), fact("host.os", r.Host.OS))
	for _, f := range r.Fingerprint.Facts() {
		facts = append(facts, fact("fingerprint."+f.Name, f.Text))
	}

	return facts
}

// Difference is a fact that is not the same in all runs.
type Difference struct {
	Name   string
	Values []Fact // one for each run; empty if unknown
}

// String describes how two runs differ.
func (d *Difference) String() string {
	return fmt.Sprintf("%s differs: %s and %s", d.Name, d.Values[0].quoted(), d.Values[1].quoted())
}

func (f *Fact) quoted() string {
	switch {
	case f.Text == "":
		return "nothing"
	case f.isText:
		return strconv.Quote(f.Short())
	}

	return f.Short()
}

// differences returns the facts in which runs differ.
func differences(runs ...*Report) (differ []Difference) {
	values := map[string][]Fact{}
	var names []string
	for i, r := range runs {
		for _, f := range r.Facts() {
			if values[f.Name] == nil {
				values[f.Name] = make([]Fact, len(runs))
				names = append(names, f.Name)
			}
			values[f.Name][i] = f
		}
	}
	rank := func(name string) int {
		root, _, _ := strings.Cut(name, ".")

		return slices.Index(factRoots, root)
	}
	slices.SortStableFunc(names, func(a, b string) int { return rank(a) - rank(b) })
	for _, name := range names {
		of := values[name]
		if slices.ContainsFunc(of, func(f Fact) bool { return f.Text != of[0].Text }) {
			differ = append(differ, Difference{name, of})
		}
	}

	return differ
}

// Differences lists why the figures of two runs cannot be compared: class of host, fingerprint,
// target and parameters. The build is what people compare.
func Differences(before, after *Report) (found []string) {
	for _, d := range differences(before, after) {
		switch root, _, _ := strings.Cut(d.Name, "."); {
		case root == "scenario", root == "k6", d.Name == "fingerprint.build":
		case root == "target" && !slices.Contains([]string{"target.kind", "target.version", "target.driver"}, d.Name):
		default:
			found = append(found, d.String())
		}
	}

	return found
}

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
