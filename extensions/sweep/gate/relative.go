package gate

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// comparison is a figure of one step with its reference.
type comparison struct {
	// gate is the index of its gate; a gate of all steps has several comparisons.
	gate int
	// estimate is nil if the verdict is known already.
	estimate *stats.Estimate
	verdict  report.Verdict
	// doubt, if not empty, is why only changes for the worse count.
	doubt string
	// explained is the factor by which disturbances can make the figure worse; zero if unknown or
	// undisturbed.
	explained float64
	// needed describes how to decide the gate.
	needed func() string
}

func (f *File) judgeRelative(r *report.Report) []report.Verdict {
	gates := f.relativeGates()
	var comparisons []comparison
	for i := range gates {
		for _, c := range f.comparisonsOf(&gates[i], r) {
			c.gate = i
			comparisons = append(comparisons, c)
		}
	}
	var family []stats.Gate
	var judged []int
	for i := range comparisons {
		if c := &comparisons[i]; c.estimate != nil {
			t := gates[c.gate].Tolerance
			family = append(family, stats.Gate{Estimate: *c.estimate, Rate: t.Figure.Rate, Tolerance: t.Part})
			judged = append(judged, i)
		}
	}
	for i, outcome := range stats.Judge(family, f.Relative.Alpha) {
		comparisons[judged[i]].conclude(outcome, &family[i])
	}
	verdicts := make([]report.Verdict, len(gates))
	for i := range verdicts {
		verdicts[i] = worstOf(slices.DeleteFunc(slices.Clone(comparisons), func(c comparison) bool { return c.gate != i }))
	}

	return verdicts
}

func (f *File) comparisonsOf(g *relativeGate, r *report.Report) []comparison {
	switch {
	case g.step != nil && len(r.Duets) > 0:
		return []comparison{againstBase(g, r, *g.step)}
	case g.step != nil:
		return []comparison{f.againstBaseline(g, r)}
	}
	var comparisons []comparison
	for _, key := range duetsOf(r) {
		comparisons = append(comparisons, againstBase(g, r, key))
	}
	if len(comparisons) == 0 {
		return []comparison{decided(crossed("not judged: " + f.NoBase()))}
	}

	return comparisons
}

func decided(v report.Verdict) comparison { return comparison{verdict: v} }

// conclude sets the verdict. A significant change for the worse never passes as undecided.
func (c *comparison) conclude(outcome stats.Outcome, gate *stats.Gate) {
	c.verdict.Outcome = outcome
	c.verdict.Visible = c.estimate.Visible()
	c.verdict.Worse = gate.Worsens()
	switch {
	case outcome == stats.Crossed && (c.explained == 0 || gate.Beyond(c.explained)):
		// A worse figure counts even with few operations.
	case c.doubt != "":
		c.verdict.Outcome, c.verdict.Detail = stats.Undecided, "not judged: "+c.doubt
	case outcome == stats.Undecided:
		c.verdict.Needed = c.needed()
	}
}

// worstOf returns the worst verdict of a gate's steps, and counts others that did not hold.
func worstOf(comparisons []comparison) report.Verdict {
	rank := map[stats.Outcome]int{stats.Crossed: 0, stats.Undecided: 1, stats.Held: 2}
	slices.SortStableFunc(comparisons, func(a, b comparison) int { return rank[a.verdict.Outcome] - rank[b.verdict.Outcome] })
	worst := comparisons[0].verdict
	details := []string{worst.Detail}
	for _, c := range comparisons[1:] {
		if c.verdict.Outcome != stats.Held || worst.Outcome == stats.Held {
			details = append(details, c.verdict.Detail)
		}
		worst.Visible = max(worst.Visible, c.verdict.Visible)
		worst.Worse = worst.Worse || c.verdict.Worse
	}
	worst.Detail = strings.Join(details, "; ")

	return worst
}

// againstBaseline compares a step with the same step of the recorded runs.
func (f *File) againstBaseline(g *relativeGate, r *report.Report) comparison {
	groups := r.Groups()
	at := slices.IndexFunc(groups, func(group report.Group) bool { return group.Key == *g.step })
	if at < 0 {
		return decided(crossed(missingStep(groups, g.step.Op)))
	}
	after := &groups[at]
	if problem := unusable(after); problem != "" {
		return decided(crossed(problem))
	}
	hidden, why := g.Figure.Hidden(after)
	if hidden == stats.Crossed {
		return decided(crossed(why))
	}
	if differences := f.baseline.differences(r); len(differences) > 0 {
		return decided(undecided("not judged: the baseline does not fit, " + firstOf(differences)))
	}
	c := f.againstRuns(g, after)
	if limits := limitOf(after, notComparable); limits != "" && c.estimate == nil && c.verdict.Outcome == stats.Undecided {
		c.verdict.Detail = "not judged: " + limits
	} else if limits != "" {
		c.doubt, c.explained = limits, explained(after, g.Figure)
	}
	if hidden == stats.Undecided {
		c.doubt, c.explained = why, math.Inf(1)
	}

	return c
}

func firstOf(reasons []string) string {
	switch more := len(reasons) - 1; more {
	case 0:
		return reasons[0]
	default:
		return fmt.Sprintf("%s and %d more", reasons[0], more)
	}
}

func (f *File) againstRuns(g *relativeGate, after *report.Group) comparison {
	recorded, operations, doubt := f.baseline.values(*g.step, g.Figure)
	value := report.Median(after.Values(g.Figure.Of))
	middle := report.Median(recorded)
	if !(middle > 0 && value > 0) {
		return decided(undecided(fmt.Sprintf("not judged: %s is %s, and the baseline's is %s: there is no ratio",
			g.Figure.Name, measured(g.Figure, value), measured(g.Figure, middle))))
	}
	c := comparison{doubt: doubt}
	if little := g.Figure.RestsOnLittle(after); little != "" {
		if doubt == "" && lostSupport(after.Timings(), operations, disturbance(after)) {
			return decided(crossed("the recorded runs had enough operations for it: " + little))
		}
		c.doubt = little
	}
	estimate, err := stats.Another(recorded, value, 1-f.Relative.Alpha)
	if err != nil {
		v := undecided(fmt.Sprintf("%s, %s of the baseline's %s: not judged, %s",
			measured(g.Figure, value), stats.Times(value/middle), measured(g.Figure, middle), err))
		v.Needed = fmt.Sprintf("it takes %s (k6 x sweep record RUN.json)",
			report.Plural(stats.FewestRuns-len(recorded), "more recorded run"))

		return decided(v)
	}
	c.estimate = estimate
	c.verdict.Detail = fmt.Sprintf("%s, %s of the baseline's %s in %s", measured(g.Figure, value),
		stats.TimesWithin(estimate.Interval()), measured(g.Figure, value/estimate.Ratio), report.Plural(len(recorded), "run"))
	c.needed = func() string { return runsNeeded(estimate, g.Part, len(recorded)) }

	return c
}

// runsNeeded returns how many recorded runs would show a change of the tolerated size.
func runsNeeded(e *stats.Estimate, tolerance float64, recorded int) string {
	const duet = "a duet (sweep.run({ base, change })) or k6 x sweep ab"
	switch n := e.RunsFor(tolerance); {
	case n == 0:
		return fmt.Sprintf("runs differ by %s: one beside recorded ones cannot show %s, it takes %s",
			stats.Percent(e.Deviation()), fmt.Sprintf("%.12g %%", 100*tolerance), duet)
	case n <= recorded:
		return "the change is near to what is tolerated: it takes more recorded runs, or " + duet
	default:
		return fmt.Sprintf("runs differ by %s: it takes some %d recorded runs, or %s", stats.Percent(e.Deviation()), n, duet)
	}
}

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
