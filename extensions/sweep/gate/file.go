// Package gate judges a run by a gate file: absolute bounds, and bounds relative to a baseline or a
// duet's base. It does not depend on k6.
package gate

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// File is a parsed gate file.
type File struct {
	Scenario string
	Absolute []Absolute
	Relative *Relative // nil without relative gates
	// UndecidedPass is set if undecided gates do not fail the run.
	UndecidedPass bool

	// recorded is the path of the baseline. baseline is nil if that file does not exist.
	recorded string
	baseline *Baseline
}

// Absolute bounds the steps of one kind of operation.
type Absolute struct {
	Op      string
	Clients int     // zero: any number
	Rate    float64 // operations a second asked for; zero: any
	Bounds  []Bound
}

// Bound bounds one figure's median over the repeats of a step.
type Bound struct {
	Figure *report.Figure
	Value  float64 // limit in the figure's unit
}

// Relative compares each step with a baseline or, in a duet, with its base.
type Relative struct {
	// Baseline is the path of the recorded runs, relative to the file; empty for duets only.
	Baseline   string
	Tolerances []Tolerance
	Alpha      float64 // probability of a false alarm in the file
}

// Tolerance is the allowed relative regression of a figure.
type Tolerance struct {
	Figure *report.Figure
	Part   float64 // 0.1 is 10 %
}

// Plan returns the names of all gates in Judge's order, known before the run. Call LoadBaseline
// first for relative gates.
func (f *File) Plan() []string {
	var names []string
	for i := range f.Absolute {
		a := &f.Absolute[i]
		for _, b := range a.Bounds {
			names = append(names, a.name(b))
		}
	}
	if f.Relative != nil {
		for _, g := range f.relativeGates() {
			names = append(names, g.name)
		}
		if f.Relative.Baseline != "" {
			names = append(names, baselineFits)
		}
	}

	return append(names, everyStep)
}

// relativeGate is the gate of one figure, for one step of the baseline or for all duets.
type relativeGate struct {
	Tolerance
	name string
	// step is nil for a gate of all steps.
	step *report.Key
}

func (f *File) relativeGates() (gates []relativeGate) {
	if f.Relative.Baseline == "" {
		for _, t := range f.Relative.Tolerances {
			gates = append(gates, relativeGate{Tolerance: t, name: t.nameOfDuet()})
		}

		return gates
	}
	for _, key := range f.baseline.keys() {
		for _, t := range f.Relative.Tolerances {
			gates = append(gates, relativeGate{Tolerance: t, name: t.name(key), step: &key})
		}
	}

	return gates
}

// Gates that apply without being listed in the file.
const (
	baselineFits = "baseline fits"
	everyStep    = "every step complete and no operation failed"
)

func (a *Absolute) steps() string {
	if a.Clients == 0 && a.Rate == 0 {
		return report.NameOf(a.Op) + " in every step"
	}

	return StepName(report.Key{Op: a.Op, Clients: a.Clients, Rate: a.Rate})
}

func (a *Absolute) name(b Bound) string {
	return fmt.Sprintf("%s of %s %s %s", b.Figure.Name, a.steps(), boundSign(b.Figure), boundText(b.Figure, b.Value))
}

func (t Tolerance) name(key report.Key) string {
	return fmt.Sprintf("%s of %s %s %.12gx of baseline", t.Figure.Name, StepName(key), boundSign(t.Figure), t.limit())
}

// nameOfDuet names the gate of a figure in every step of a duet.
func (t Tolerance) nameOfDuet() string {
	return fmt.Sprintf("%s of every step %s %.12gx of base", t.Figure.Name, boundSign(t.Figure), t.limit())
}

func (t Tolerance) limit() float64 {
	if t.Figure.Rate {
		return 1 - t.Part
	}

	return 1 + t.Part
}

// StepName names a step in gates: "get with 8 clients".
func StepName(key report.Key) string {
	name := report.NameOf(key.Op)
	if key.Clients != 0 {
		name += " with " + report.Plural(key.Clients, "client")
	}
	if key.Variant != "" {
		name += " of " + report.NameOf(key.Variant)
	}
	if key.Rate != 0 {
		name += " at " + decimal(key.Rate) + " a second"
	}

	return name
}

// bounded returns the figures for gates: all except single operations.
func bounded() (figures []*report.Figure) {
	for i := range report.Figures {
		if f := &report.Figures[i]; !f.Chance {
			figures = append(figures, f)
		}
	}

	return figures
}

func alsoBounded() []*report.Figure { return append(bounded(), &report.LongestStandstill) }

// keyOf returns the figure's key in gates, the last part of its JSON path: "p99", "opsPerSecond".
func keyOf(f *report.Figure) string { return f.JSON[strings.LastIndexByte(f.JSON, '.')+1:] }

func boundKeys(figures []*report.Figure) []string {
	keys := make([]string, 0, len(figures))
	for _, f := range figures {
		keys = append(keys, keyOf(f))
	}

	return keys
}

func boundSign(f *report.Figure) string {
	if f.Rate {
		return ">="
	}

	return "<="
}

// boundText formats a bound with its unit and all digits.
func boundText(f *report.Figure, value float64) string {
	text := strconv.FormatFloat(value, 'f', -1, 64)
	if f.Rate {
		return text
	}

	return text + "ms"
}

// measured formats a measured value, with one digit more than in tables for a rate.
func measured(f *report.Figure, value float64) string {
	if f.Rate {
		return strconv.FormatFloat(value, 'f', 1, 64) + "/s"
	}

	return f.Show(value)
}
