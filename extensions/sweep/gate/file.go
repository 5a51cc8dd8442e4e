package gate

import (
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// File is a file of gates, one of the folder thresholds.
type File struct {
	Scenario string
	Absolute []Absolute
	Relative *Relative // nil when there is nothing to compare with
	// UndecidedPass tells that a gate which could not be decided does not fail the run.
	UndecidedPass bool

	baseline *Baseline
}

// Absolute bounds the steps of one kind of operation.
type Absolute struct {
	Op      string
	Clients int     // zero: steps with any number of clients
	Rate    float64 // operations a second that were asked for; zero: steps with any rate, or none
	Bounds  []Bound // at least one
}

// Bound is the bound of one figure, which the median over the repeats of a step has to keep.
type Bound struct {
	Figure *report.Figure
	Value  float64 // in the figure's unit
}

// Relative bounds each step of a run by the same step of a baseline or, in a duet, by the step's
// own base.
type Relative struct {
	// Baseline is the path of the recorded runs, from the folder of the file. It is empty in a file
	// for duets alone.
	Baseline   string
	Tolerances []Tolerance
	Alpha      float64 // how often any gate is crossed where nothing has changed
}

// Tolerance is by how much of base's a figure may get worse.
type Tolerance struct {
	Figure *report.Figure
	Part   float64 // 0.1 is 10 %
}
