package gate

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/witness"
)

// Bottlenecks that make a step unusable for gates.
//
//nolint:gochecknoglobals // constants
var (
	// notTheTarget are k6 and its neighbours.
	notTheTarget = []witness.Word{witness.K6Itself, witness.Neighbour}
	// notComparable make a step unusable for comparisons.
	notComparable = []witness.Word{witness.K6Itself, witness.Neighbour, witness.Unsteady, witness.Short}
	// hidesTheTarget makes a duet's variants look alike. A visible change still counts, and neighbours
	// hit both variants.
	hidesTheTarget = []witness.Word{witness.K6Itself}
)

// Disturbed returns the first step that a neighbour limited in at least half of its repeats, or "".
func Disturbed(r *report.Report) string {
	groups := r.Groups()
	for i := range groups {
		if w := limiting(&groups[i], []witness.Word{witness.Neighbour}); w != nil {
			return StepName(groups[i].Key) + " was limited by neighbour: " + strings.TrimSuffix(w.Why, ".")
		}
	}

	return ""
}

// limiting returns the first repeat's witness if these words limited at least half of a step's
// repeats, so that their median depends on it; else nil.
func limiting(g *report.Group, words []witness.Word) (first *report.Witness) {
	count := 0
	for _, s := range g.Steps {
		if slices.Contains(words, s.LimitedBy()) {
			if count++; first == nil {
				first = s.Witness
			}
		}
	}
	if 2*count < len(g.Steps) {
		return nil
	}

	return first
}

// limitOf returns a clause about what limited a step, or "". The report explains neighbours once
// for the whole run.
func limitOf(g *report.Group, words []witness.Word) string {
	w := limiting(g, words)
	if w == nil {
		return ""
	}
	why := ": " + strings.TrimSuffix(w.Why, ".")
	switch w.LimitedBy { //nolint:exhaustive // the others are no words of gates
	case witness.Unsteady, witness.Short:
		return "the step is " + string(w.LimitedBy) + why
	case witness.Neighbour:
		why = ""
	}

	return "limited by " + string(w.LimitedBy) + why
}

// inTails is how much worse disturbances make high percentiles than the median: a waiting thread
// waits for whole slices of the scheduler.
const inTails = 10

// explained returns the largest factor by which the step's disturbances can make a figure worse.
func explained(g *report.Group, f *report.Figure) float64 {
	byOthers := disturbance(g)
	if f.Percentile > report.P50 {
		byOthers *= inTails
	}

	return min(byOthers, waiting(g, f))
}

// unseen allows for what Waited does not show: colder caches, and processes behind the server.
const unseen = 2

// waiting returns the largest factor by which waiting for processors made a figure of a closed
// loop's repeats worse: the clients went on at full speed while no thread of k6 and the server
// waited. It is infinite if threads waited all the time, and for a server that k6 cannot observe.
func waiting(g *report.Group, f *report.Figure) float64 {
	factor := 1.0
	for _, s := range g.Steps {
		if s.Witness == nil || g.Rate != 0 {
			return math.Inf(1)
		}
		e := s.Witness.Evidence
		waited, known := e[witness.Waited]
		lost := waited + e[witness.Stolen] + e[witness.Throttled]
		if !known || e[witness.ServerHere] != 1 || s.LimitedBy() == witness.K6Itself || lost >= 1 {
			return math.Inf(1)
		}
		if f.Percentile == 0 {
			factor = max(factor, unseen/(1-lost))
		} else {
			factor = max(factor, unseen*waitingInPercentile(s, f, lost))
		}
	}

	return factor
}

// waitingInPercentile returns the largest factor by which waiting lengthened a percentile. While
// threads waited, each client lost at most that time, but all of it may be in the operations that
// make the percentile high.
func waitingInPercentile(s *report.Step, f *report.Figure, lost float64) float64 {
	durations, err := measure.Decode(s.Histogram)
	if err != nil || durations.Count == 0 {
		return math.Inf(1)
	}
	ofClients := max(float64(s.Clients)*s.Seconds*float64(time.Second), float64(durations.Sum))
	least := durations.QuantileWithout(float64(f.Percentile)/1000, time.Duration(lost*ofClients))

	return max(f.Of(s)/report.Ms(least), 1)
}

// disturbance returns the largest factor by which others slowed the repeats of a step, from their
// share of the processors. It is infinite if that is unknown, or if k6 was the bottleneck.
func disturbance(g *report.Group) float64 {
	factor := 1.0
	for _, s := range g.Steps {
		if s.Witness == nil {
			continue
		}
		e := s.Witness.Evidence
		taken := e[witness.Others] + e[witness.Stolen]
		switch s.LimitedBy() { //nolint:exhaustive // the others are no words of gates
		case witness.K6Itself:
			return math.Inf(1)
		case witness.Neighbour:
			if taken == 0 || e[witness.Processors] == 0 {
				return math.Inf(1)
			}
		case witness.Unsteady, witness.Short:
			factor = max(factor, 2) // parts of such a step may differ by a factor of two
		}
		if taken > 0 && e[witness.Processors] > 0 {
			factor = max(factor, 1/max(1-taken/e[witness.Processors], 0.05))
		}
	}

	return factor
}

// lostSupport reports whether chance and disturbances cannot explain why there are fewer operations
// than in base. If so, a figure with too few operations counts as worse, not as unknown.
func lostSupport(operations, base int64, disturbance float64) bool {
	const byChance = 0.8

	return float64(operations)*disturbance < byChance*float64(base)
}
