package gate

import (
	"strconv"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// Figure is one of a step's figures that a gate may bound.
type Figure int

// The figures. All but OpsPerSecond are latencies in milliseconds.
const (
	OpsPerSecond Figure = iota
	P50
	P90
	P95
	P99
	P999
	Mean
)

// figures tells of each figure its name, the key that bounds it, which percentile it is, and how it
// is read from a step.
var figures = [...]struct { //nolint:gochecknoglobals // a constant
	name, key  string
	percentile report.Percentile // zero when it is none
	of         func(*report.Step) float64
}{
	OpsPerSecond: {"ops/s", "minOpsPerSecond", 0, func(s *report.Step) float64 { return s.OpsPerSecond }},
	P50:          {"p50", "maxP50Ms", report.P50, func(s *report.Step) float64 { return s.Latency.P50 }},
	P90:          {"p90", "maxP90Ms", report.P90, func(s *report.Step) float64 { return s.Latency.P90 }},
	P95:          {"p95", "maxP95Ms", report.P95, func(s *report.Step) float64 { return s.Latency.P95 }},
	P99:          {"p99", "maxP99Ms", report.P99, func(s *report.Step) float64 { return s.Latency.P99 }},
	P999:         {"p99.9", "maxP999Ms", report.P999, func(s *report.Step) float64 { return s.Latency.P999 }},
	Mean:         {"mean", "maxMeanMs", 0, func(s *report.Step) float64 { return s.Latency.Mean }},
}

// String is the figure's name, such as "p99".
func (f Figure) String() string { return figures[f].name }

// of reads the figure from a step.
func (f Figure) of(s *report.Step) float64 { return figures[f].of(s) }

// restsOnLittle says that a step has too few operations, or too little time, for the figure to mean
// anything, or nothing.
func (f Figure) restsOnLittle(g *report.Group) string {
	switch p := figures[f].percentile; {
	case f == OpsPerSecond:
		return g.TooShort()
	case p != 0:
		return g.TooFew(p)
	default:
		return g.FewOperations()
	}
}

// falls tells that the figure gets worse when it falls, and not when it rises.
func (f Figure) falls() bool { return f == OpsPerSecond }

// comparison is the sign between the figure and its bound.
func (f Figure) comparison() string {
	if f.falls() {
		return ">="
	}

	return "<="
}

// keeps tells whether the value is on the right side of the bound.
func (f Figure) keeps(value, bound float64) bool {
	if f.falls() {
		return value >= bound
	}

	return value <= bound
}

// bound writes a bound with its unit, all digits of it.
func (f Figure) bound(value float64) string {
	text := strconv.FormatFloat(value, 'f', -1, 64)
	if f == OpsPerSecond {
		return text
	}

	return text + "ms"
}

// measured writes a measured value, with as many digits as the report's table shows.
func (f Figure) measured(value float64) string {
	if f == OpsPerSecond {
		return strconv.FormatFloat(value, 'f', 1, 64) + "/s"
	}

	return report.Millis(value)
}
