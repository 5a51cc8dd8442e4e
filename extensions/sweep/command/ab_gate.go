package command

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// abGate limits how much worse than base a figure may be, in every step.
type abGate struct {
	// Figure is the figure's key, such as "opsPerSecond".
	Figure string
	// Tolerance is relative: 0.05 is 5 %.
	Tolerance float64
	// falls is set if the figure gets worse when it falls.
	falls bool
}

// parseABGate reads a gate such as "opsPerSecond=-5%" or "p99=+10%".
func parseABGate(text string) (abGate, error) {
	wrong := fmt.Errorf("a gate of %q is impossible: it must be such as opsPerSecond=-5%% or p99=+10%%", text)
	figure, change, found := strings.Cut(text, "=")
	number, percent := strings.CutSuffix(change, "%")
	if !found || !percent || figure == "" || number == "" || number[0] != '-' && number[0] != '+' {
		return abGate{}, wrong
	}
	tolerance, err := strconv.ParseFloat(number[1:], 64)
	falls := number[0] == '-'
	if err != nil || !(tolerance >= 0) || math.IsInf(tolerance, 0) || falls && tolerance >= 100 {
		return abGate{}, wrong
	}

	return abGate{Figure: figure, Tolerance: tolerance / 100, falls: falls}, nil
}

// String formats the gate as parseABGate reads it.
func (g abGate) String() string {
	sign := "+"
	if g.falls {
		sign = "-"
	}

	return fmt.Sprintf("%s=%s%g%%", g.Figure, sign, 100*g.Tolerance)
}

// usualGates are the default gates. If the script sets the rate, they are on latency, because ops/s
// and time do not depend on the server.
func (t *trial) usualGates() []abGate {
	const tolerance = 0.05
	for _, usual := range []abGate{{Figure: "opsPerSecond", falls: true}, {Figure: "p50"}} {
		if slices.ContainsFunc(t.Figures, func(f abFigure) bool { return f.Key == usual.Figure && f.BaseLacks < t.Pairs }) {
			usual.Tolerance = tolerance

			return []abGate{usual}
		}
	}

	return []abGate{{Figure: "time", Tolerance: tolerance}}
}

// Check returns an error for a gate without a figure, and for a gate on the time of a k6 run
// without a report, which the script sets.
func (t *trial) Check(gates []abGate) error {
	timed := len(gates) == 0 || slices.ContainsFunc(gates, func(g abGate) bool { return g.Figure == "time" })
	if timed && (t.Base.runsK6() || t.Change.runsK6()) && slices.ContainsFunc(t.Figures, func(f abFigure) bool { return f.Key == "time" }) {
		return errors.New("k6 run has left no report, and its time is what the script asks for: " +
			"give both commands -o sweep, the output for any script, or --gate cpu=+5%")
	}
	for _, g := range gates {
		at := slices.IndexFunc(t.Figures, func(f abFigure) bool { return f.Key == g.Figure })
		if at < 0 {
			var known []string
			for _, f := range t.Figures {
				if !slices.Contains(known, f.Key) {
					known = append(known, f.Key)
				}
			}

			return fmt.Errorf("gate %s: no step has the figure %q: it must be one of %s", g, g.Figure, strings.Join(known, ", "))
		}
		if t.Figures[at].rate != g.falls {
			return fmt.Errorf("gate %s: %s gets worse when it %s", g, g.Figure, map[bool]string{true: "falls", false: "rises"}[t.Figures[at].rate])
		}
	}

	return nil
}

// Lacks returns why neither command has a gated figure in some steps. The error is for a gate whose
// figure no step has, which more pairs would not change.
func (t *trial) Lacks(gates []abGate) (lacking []string, err error) {
	for _, g := range gates {
		var there int
		var why []string
		for i := range t.Figures {
			f := &t.Figures[i]
			switch {
			case f.Key != g.Figure:
			case f.BaseLacks == t.Pairs && f.ChangeLacks == t.Pairs:
				why = append(why, fmt.Sprintf("%s: neither command has %s: %s", f.Step, f.name, f.Lacking))
			default:
				there++
			}
		}
		if there == 0 && len(why) > 0 {
			return nil, fmt.Errorf("gate %s cannot be decided: %s", g, strings.Join(why, "; "))
		}
		lacking = append(lacking, why...)
	}

	return lacking, nil
}

// abJudgement is the result for one figure.
type abJudgement struct {
	abFigure
	// BaseMedian and ChangeMedian are medians over the pairs.
	BaseMedian   float64 `json:"base"`
	ChangeMedian float64 `json:"change"`
	stats.Estimate
	// Visible is the smallest relative change that these pairs detect.
	Visible float64       `json:"visible"`
	Gate    string        `json:"gate,omitempty"`
	Outcome stats.Outcome `json:"outcome,omitempty"`
	// PairsNeeded is the number of pairs that would decide an undecided gate.
	PairsNeeded int `json:"pairsNeeded,omitempty"`
}

// confidence of all intervals; the rest is the probability of a false alarm.
const confidence = 0.95

// Judge estimates each shown figure, and judges the gated ones as one family. looked is set if the
// trial was checked after each pair.
func (t *trial) Judge(gates []abGate, looked bool) ([]abJudgement, error) {
	if len(gates) == 0 {
		gates = t.usualGates()
	}
	if err := t.Check(gates); err != nil {
		return nil, err
	}
	estimate := stats.OfPairs
	if looked {
		estimate = stats.Sequential
	}
	var all []abJudgement
	var family []stats.Gate
	var judged []int
	for _, f := range t.Figures {
		at := slices.IndexFunc(gates, func(g abGate) bool { return g.Figure == f.Key })
		if at < 0 && !f.usual {
			continue
		}
		if outcome := t.lacks(&f); outcome != "" {
			if at >= 0 {
				all = append(all, abJudgement{abFigure: f, Gate: gates[at].String(), Outcome: outcome})
			}

			continue
		}
		e, err := estimate(f.Pairs, confidence)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", strings.TrimSpace(f.Step+" "+f.name), err)
		}
		j := abJudgement{abFigure: f, Estimate: e, Visible: e.Visible()}
		j.BaseMedian, j.ChangeMedian = medians(f.Pairs)
		if at >= 0 {
			j.Gate = gates[at].String()
			family = append(family, stats.Gate{Estimate: e, Rate: f.rate, Tolerance: gates[at].Tolerance})
			judged = append(judged, len(all))
		}
		all = append(all, j)
	}
	for i, outcome := range stats.Judge(family, 1-confidence) {
		j := &all[judged[i]]
		j.Outcome = outcome
		if outcome == stats.Undecided {
			j.PairsNeeded = j.PairsFor(family[i].Tolerance)
		}
	}

	return all, nil
}

// abOutcome returns the worst outcome of the gates, and their counts in words.
func abOutcome(judgements []abJudgement) (outcome stats.Outcome, text string) {
	var gates []report.Verdict
	for i := range judgements {
		if j := &judgements[i]; j.Gate != "" {
			gates = append(gates, report.Verdict{Outcome: j.Outcome, Held: j.Outcome == stats.Held})
		}
	}
	text, outcome = report.GatesText(gates)

	return outcome, text
}

// lacks returns the outcome of a figure that is missing in some pairs: crossed if base has it in
// most pairs and the change lacks it in most pairs, otherwise undecided. It returns "" if no pair
// lacks the figure. Unknown pairs are left out; at most half of the pairs may be unknown.
func (t *trial) lacks(f *abFigure) stats.Outcome {
	known := t.Pairs - f.Unknown
	switch {
	case f.Unknown > 0 && (known < f.Unknown || known < stats.FewestPairs):
		return stats.Undecided
	case f.BaseLacks == 0 && f.ChangeLacks == 0:
		return ""
	case f.work && 2*f.BaseLacks < known && 2*f.ChangeLacks > known:
		return stats.Crossed
	default:
		return stats.Undecided
	}
}

// Precision returns the relative half width of the gated figures' widest interval, for a check
// after each pair.
func (t *trial) Precision(gates []abGate) (float64, error) {
	judgements, err := t.Judge(gates, true)
	widest := 0.0
	for i := range judgements {
		if judgements[i].Gate != "" && judgements[i].N > 0 {
			widest = max(widest, judgements[i].Precision())
		}
	}

	return widest, err
}

func medians(pairs []stats.Pair) (base, change float64) {
	bases, changes := make([]float64, len(pairs)), make([]float64, len(pairs))
	for i, p := range pairs {
		bases[i], changes[i] = p.Base, p.Change
	}

	return report.Median(bases), report.Median(changes)
}

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
