package gate

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

func duetsOf(r *report.Report) (keys []report.Key) {
	for i := range r.Duets {
		if key := r.Duets[i].Key(); key.Op != report.TotalOp && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}

	return keys
}

func againstBase(g *relativeGate, r *report.Report, key report.Key) comparison { //nolint:cyclop,funlen // a case for each reason
	duets := slices.DeleteFunc(slices.Clone(r.Duets), func(d report.Duet) bool { return d.Key() != key })
	groups := r.Groups()
	if len(duets) == 0 {
		return decided(crossed(missingStep(groups, key.Op)))
	}
	if !r.DuetJudges(g.Figure.Percentile) {
		return decided(undecided("not judged: " + onlyAB(g.Figure)))
	}
	c := comparison{}
	little, operations := map[string]string{}, map[string]int64{}
	for i := range groups {
		side := &groups[i]
		if variant := side.Variant; variant != report.Base && variant != report.Change ||
			(report.Key{Op: side.Op, Clients: side.Clients, Rate: side.Rate}) != key {
			continue
		}
		if problem := unusable(side); problem != "" {
			return decided(crossed(problem + inStep(side.Key)))
		}
		if limits := limitOf(side, hidesTheTarget); limits != "" {
			c.doubt = strings.TrimSpace(inStep(side.Key)) + " " + limits
		}
		if hidden, why := g.Figure.Hidden(side); hidden != stats.Held { // it is unknown which variant paused
			c.doubt = strings.TrimSpace(inStep(side.Key)) + " " + why
		}
		operations[side.Variant] = side.Timings()
		if few := g.Figure.RestsOnLittle(side); few != "" {
			little[side.Variant] = few + inStep(side.Key)
			c.doubt = little[side.Variant]
		}
	}
	const alike = 1 // disturbances hit both
	if little[report.Change] != "" && little[report.Base] == "" &&
		lostSupport(operations[report.Change], operations[report.Base], alike) {
		return decided(crossed("base had enough operations for it: " + little[report.Change]))
	}
	figure := keyOf(g.Figure)
	seconds, why := 0.0, ""
	var found []*report.DuetFigure
	var blocks int
	for i := range duets {
		d := &duets[i]
		seconds += float64(d.Slices) * d.SliceSeconds
		if f := d.Of(figure); f != nil {
			found = append(found, f)
			blocks += d.Blocks
		} else if why = d.Why; why == "" {
			why = fmt.Sprintf("a duet does not tell %s", g.Figure.Name)
		}
	}
	if why != "" {
		return decided(undecided("not judged: " + why + inStep(key)))
	}

	estimate := together(found, blocks)
	c.estimate = &estimate
	c.verdict.Detail = fmt.Sprintf("change is %s of base%s%s",
		stats.TimesWithin(estimate.Interval()), inStep(key), ofProcesses(r))
	c.needed = func() string {
		n := estimate.PairsFor(g.Part)
		if n <= estimate.N {
			return "the change is near to what is tolerated: it takes a longer step"
		}

		return fmt.Sprintf("it takes a step of some %.0f s instead of %.0f s",
			math.Ceil(seconds*float64(n)/float64(estimate.N)), math.Ceil(seconds))
	}

	return c
}

// ofProcesses notes that a duet of two servers compares two processes, which differ even for the
// same build.
func ofProcesses(r *report.Report) string {
	if r.TwoServers() {
		return ", of these two processes"
	}

	return ""
}

// onlyAB returns how to judge a figure that a duet of two servers cannot.
func onlyAB(f *report.Figure) string {
	key := keyOf(f)

	return fmt.Sprintf("%s of two servers differs by which processes they are: "+
		"k6 x sweep ab --gate %s=+10%% -- BASE... --- CHANGE... starts each several times", f.Name, key)
}

// together combines the repeats of a duet with equal weights: the logarithm of the ratio is their
// mean, and the squared half width is the mean square divided by their number.
func together(repeats []*report.DuetFigure, blocks int) stats.Estimate {
	log, squares := 0.0, 0.0
	for _, f := range repeats {
		log += math.Log(f.Ratio)
		half := max(math.Log(f.High/f.Ratio), math.Log(f.Ratio/f.Low))
		squares += half * half
	}
	n := float64(len(repeats))
	log /= n

	return stats.FromInterval(math.Exp(log), math.Exp(log+math.Sqrt(squares)/n), report.DuetConfidence, blocks)
}
