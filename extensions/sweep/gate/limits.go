package gate

import (
	"math"
	"slices"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/witness"
)

// What a step was limited by that gates refuse.
//
//nolint:gochecknoglobals // constants
var (
	// notTheTarget is k6 itself, and whoever took its time.
	notTheTarget = []witness.Word{witness.Client, witness.Neighbour}
	// notComparable are all words of a step that cannot stand beside another one.
	notComparable = []witness.Word{witness.Client, witness.Neighbour, witness.Unsteady, witness.Short}
	// hidesTheTarget is what makes the variants of a duet alike that are not: a change that shows all
	// the same is one. Neighbours and drifts hit both variants.
	hidesTheTarget = []witness.Word{witness.Client}
)

// Disturbed says which step of a run a neighbour has limited, in at least half of its repeats; ""
// for none. Such a run says nothing of how much undisturbed ones differ.
func Disturbed(r *report.Report) string {
	groups := r.Groups()
	for i := range groups {
		if why := limitOf(&groups[i], []witness.Word{witness.Neighbour}); why != "" {
			return steps(groups[i].Key) + " was " + why
		}
	}

	return ""
}

// limitOf says that what limited at least half of a step's repeats is one of these words, so that
// their median rests on it; nothing where it is not, or not known.
func limitOf(g *report.Group, words []witness.Word) string {
	count := 0
	var first *report.Witness
	for _, s := range g.Steps {
		if slices.Contains(words, s.LimitedBy()) {
			if count++; first == nil {
				first = s.Witness
			}
		}
	}
	if count == 0 || 2*count < len(g.Steps) {
		return ""
	}
	switch first.LimitedBy { //nolint:exhaustive // the others are no words of gates
	case witness.Unsteady, witness.Short:
		return "the step is " + string(first.LimitedBy) + ": " + first.Why
	}

	return "limited by " + string(first.LimitedBy) + ": " + first.Why
}

// inTails is by how much more than the median a disturbance makes high percentiles worse: who waits
// for a processor waits for whole slices of the scheduler's time.
const inTails = 10

// explained is by which factor at most what disturbed the repeats of a step makes a figure worse.
func explained(g *report.Group, f *report.Figure) float64 {
	if f.Percentile > report.P50 {
		return inTails * disturbance(g)
	}

	return disturbance(g)
}

// disturbance is by which factor at most the repeats of a step were slowed down: the server and k6
// had what others, and other machines, left them of the processors. It is infinite where that is
// not known, and where k6 itself limited a step: then nothing is known of the server.
func disturbance(g *report.Group) float64 {
	factor := 1.0
	for _, s := range g.Steps {
		if s.Witness == nil {
			continue
		}
		e := s.Witness.Evidence
		taken := e[witness.Others] + e[witness.Stolen]
		switch s.LimitedBy() { //nolint:exhaustive // the others are no words of gates
		case witness.Client:
			return math.Inf(1)
		case witness.Neighbour:
			if taken == 0 || e[witness.Processors] == 0 {
				return math.Inf(1)
			}
		case witness.Unsteady, witness.Short:
			factor = max(factor, 2) // its parts differ by as much
		}
		if taken > 0 && e[witness.Processors] > 0 {
			factor = max(factor, 1/max(1-taken/e[witness.Processors], 0.05))
		}
	}

	return factor
}

// lostSupport reports whether so many operations are fewer than those of base by more than chance
// and a disturbance explain. A figure that rests on too few of them is then worse, and not unknown.
func lostSupport(operations, base int64, disturbance float64) bool {
	const byChance = 0.8

	return float64(operations)*disturbance < byChance*float64(base)
}
