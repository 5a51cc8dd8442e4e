package gate

import (
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
