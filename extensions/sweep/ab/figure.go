package ab

import (
	"cmp"
	"strconv"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/gate/judgement"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/paired"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// Figure is one that a command has, with its values in each pair.
type Figure struct {
	// Step is the step of a sweep that the figure is of, such as "get, 8 clients"; empty for the
	// figures of the whole process.
	Step string `json:"step,omitempty"`
	// Key is the figure's name in gates, such as "opsPerSecond".
	Key string `json:"figure"`
	// Pairs are those in which both commands have the figure, in the order in which they were
	// measured.
	Pairs []paired.Pair `json:"pairs"`
	// BaseLacks and ChangeLacks count the pairs in which a command does not have the figure.
	BaseLacks   int `json:"baseLacks,omitempty"`
	ChangeLacks int `json:"changeLacks,omitempty"`
	// Unknown counts the pairs that say nothing of the servers: k6 itself was late in one of them, or
	// stood still. They are left out.
	Unknown int `json:"unknown,omitempty"`
	// Lacking says why a pair lacks the figure, or is left out: p99 rests on too few operations, say.
	Lacking string `json:"lacking,omitempty"`

	name string // for people, such as "ops/s"
	rate bool   // it gets worse when it falls
	// usual tells that the figure is shown without being asked for.
	usual bool
	show  func(float64) string
	// work reports whether a command that does not have the figure has done too little.
	work bool
}

// value is a figure as one process has it; zero if it does not have it.
type value struct {
	Figure
	of float64
	// unknown reports that the figure is k6's own, and says nothing of the server.
	unknown bool
}

// processValues are those of a whole process.
func processValues(elapsed, cpu time.Duration) []value {
	seconds := func(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) + " s" }

	return []value{
		{Figure: Figure{Key: "time", name: "time", usual: true, show: seconds}, of: elapsed.Seconds()},
		{Figure: Figure{Key: "cpu", name: "CPU", usual: true, show: seconds}, of: cpu.Seconds()},
	}
}

// reportValues are those of the steps of a report, by the medians of their repeats. What k6 does
// once, in setup and teardown, has none. In a run that has failed, steps with failed operations and
// incomplete ones have none either: a server that refuses work must not look fast.
func reportValues(r *report.Report, several, failed bool) (values []value) {
	report.DropOrigins(r)
	groups := r.Groups()
	for i := range groups {
		g := groups[i].Succeeded()
		if g.Variant == report.InSetup || g.Variant == report.InTeardown {
			continue
		}
		first := len(values)
		step := g.Name()
		if several {
			step = r.Scenario + ": " + step
		}
		for j := range report.Figures {
			f := &report.Figures[j]
			if f.Chance || f.Rate && g.Rate != 0 {
				continue
			}
			values = append(values, valueOf(step, f, &g))
		}
		if len(g.Steps) > 0 {
			values = append(values, cpuValues(r, &g, step)...)
		}
		if flaw := report.FlawOf(&groups[i]); failed && flaw != "" {
			for j := range values[first:] {
				values[first+j].of, values[first+j].Lacking = 0, flaw
			}
		}
	}

	return values
}

// valueOf is a figure of a step. A step does not have one that rests on too few operations, and
// no latency if it stood still; what k6 itself made late is unknown. Files of gates have the same
// rules.
func valueOf(step string, f *report.Figure, g *report.Group) value {
	v := value{Figure: figureOf(step, f)}
	hidden, why := f.Hidden(g)
	switch {
	case len(g.Steps) == 0:
		v.Lacking = "no operation succeeded"
	case hidden != judgement.Held:
		v.Lacking, v.unknown = why, hidden == judgement.Undecided
	default:
		v.Lacking = f.RestsOnLittle(g)
	}
	if v.Lacking == "" {
		v.of = report.Median(g.Values(f.Of))
	}

	return v
}

// figureOf is a figure of reports, of a step.
func figureOf(step string, f *report.Figure) Figure {
	key := f.Key
	if f.Rate {
		key = f.JSON
	}
	usual := f.Rate || f.Percentile == report.P50 || f.Percentile == report.P99

	return Figure{Step: step, Key: key, name: f.Name, rate: f.Rate, usual: usual, show: f.Show, work: true}
}

// cpuValues are the processor time of k6, and that of a server on this machine, for each operation.
func cpuValues(r *report.Report, g *report.Group, step string) (values []value) {
	k6, server := r.CPUPerOperation(g)
	const usual = true
	for _, v := range []value{
		{Figure: Figure{Step: step, Key: "cpu", name: "k6 CPU/op", usual: usual, show: report.Micros}, of: 1e6 * k6},
		{Figure: Figure{Step: step, Key: "serverCpu", name: "server CPU/op", usual: usual, show: report.Micros}, of: 1e6 * server},
	} {
		if v.of > 0 {
			values = append(values, v)
		}
	}

	return values
}

// same tells that two figures are the same one of the same step.
func (f *Figure) same(other *Figure) bool {
	return cmp.Or(cmp.Compare(f.Step, other.Step), cmp.Compare(f.Key, other.Key)) == 0
}
