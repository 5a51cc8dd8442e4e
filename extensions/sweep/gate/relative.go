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
