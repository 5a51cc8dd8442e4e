package command

import (
	"cmp"
	"strconv"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// abFigure is a figure of both commands, with its values in each pair.
type abFigure struct {
	// Step is the step of the figure, such as "get, 8 clients"; empty for the whole process.
	Step string `json:"step,omitempty"`
	// Key is the figure's name in gates, such as "opsPerSecond".
	Key   string       `json:"figure"`
	Pairs []stats.Pair `json:"pairs"`
	// BaseLacks and ChangeLacks count the pairs in which a command lacks the figure.
	BaseLacks   int `json:"baseLacks,omitempty"`
	ChangeLacks int `json:"changeLacks,omitempty"`
	// Unknown counts the pairs left out because k6 was late or paused.
	Unknown int `json:"unknown,omitempty"`
	// Lacking is why a pair lacks the figure, or is left out.
	Lacking string `json:"lacking,omitempty"`

	name string // for people, such as "ops/s"
	rate bool   // gets worse when it falls
	// usual is set if the figure is shown without a gate.
	usual bool
	show  func(float64) string
	// work is set if a missing figure means that the command did too little work.
	work bool
}

type abValue struct {
	abFigure
	of float64
	// unknown is set if the figure depends on k6 instead of the server.
	unknown bool
}

func processValues(elapsed, cpu time.Duration) []abValue {
	seconds := func(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) + " s" }

	return []abValue{
		{abFigure: abFigure{Key: "time", name: "time", usual: true, show: seconds}, of: elapsed.Seconds()},
		{abFigure: abFigure{Key: "cpu", name: "CPU", usual: true, show: seconds}, of: cpu.Seconds()},
	}
}

// reportValues returns the medians over repeats of a report's steps, without setup and teardown. If
// the run failed, incomplete steps and steps with failures have no values, so that a server that
// refuses work does not look fast.
func reportValues(r *report.Report, several, failed bool) (values []abValue) {
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

// valueOf returns a figure of a step by the rules of gate files: it is missing with too few
// operations, and for latencies of a step that paused. It is unknown if k6 was late.
func valueOf(step string, f *report.Figure, g *report.Group) abValue {
	v := abValue{abFigure: abFigureOf(step, f)}
	hidden, why := f.Hidden(g)
	switch {
	case len(g.Steps) == 0:
		v.Lacking = "no operation succeeded"
	case hidden != stats.Held:
		v.Lacking, v.unknown = why, hidden == stats.Undecided
	default:
		v.Lacking = f.RestsOnLittle(g)
	}
	if v.Lacking == "" {
		v.of = report.Median(g.Values(f.Of))
	}

	return v
}

func abFigureOf(step string, f *report.Figure) abFigure {
	key := f.Key
	if f.Rate {
		key = f.JSON
	}
	usual := f.Rate || f.Percentile == report.P50 || f.Percentile == report.P99

	return abFigure{Step: step, Key: key, name: f.Name, rate: f.Rate, usual: usual, show: f.Show, work: true}
}

func cpuValues(r *report.Report, g *report.Group, step string) (values []abValue) {
	k6, server := r.CPUPerOperation(g)
	const usual = true
	for _, v := range []abValue{
		{abFigure: abFigure{Step: step, Key: "cpu", name: "k6 CPU/op", usual: usual, show: report.Micros}, of: 1e6 * k6},
		{abFigure: abFigure{Step: step, Key: "serverCpu", name: "server CPU/op", usual: usual, show: report.Micros}, of: 1e6 * server},
	} {
		if v.of > 0 {
			values = append(values, v)
		}
	}

	return values
}

func (f *abFigure) same(other *abFigure) bool {
	return cmp.Or(cmp.Compare(f.Step, other.Step), cmp.Compare(f.Key, other.Key)) == 0
}
