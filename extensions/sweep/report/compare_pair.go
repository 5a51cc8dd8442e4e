package report

import (
	"cmp"
	"fmt"
	"math"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

type pair struct {
	Key
	before, after *Group // nil if the run lacks the step
	problem       string // why the step cannot be compared
	lost          bool   // comparable in the old run, but not in the new one
}

// pairs returns the steps of the old run in order, then those that only the new run has.
func pairs(before, after *Report) []pair {
	olds, news := before.Groups(), after.Groups()
	index := map[Key]*Group{}
	for i := range news {
		index[news[i].Key] = &news[i]
	}
	all := make([]pair, 0, len(olds))
	for i := range olds {
		all = append(all, newPair(olds[i].Key, &olds[i], index[olds[i].Key]))
		delete(index, olds[i].Key)
	}
	for i := range news {
		if _, only := index[news[i].Key]; only {
			all = append(all, newPair(news[i].Key, nil, &news[i]))
		}
	}

	return all
}

func newPair(key Key, before, after *Group) pair {
	p := pair{Key: key, before: before, after: after}
	if problem := FlawOf(after); problem != "" {
		p.problem, p.lost = problem+" in new", true
	} else if problem := FlawOf(before); problem != "" {
		p.problem = problem + " in old"
	}

	return p
}

// FlawOf returns why a step has no comparable figures; "" if it has some.
func FlawOf(g *Group) string {
	if g == nil {
		return "missing"
	}
	for _, s := range g.Steps {
		switch {
		case s.TooShort != nil:
			return fmt.Sprintf("%s (repeat %d)", s.Incomplete(), s.Repeat)
		case !s.Complete:
			return fmt.Sprintf("incomplete (repeat %d)", s.Repeat)
		case s.Failed > 0:
			return fmt.Sprintf("%s failed (repeat %d)", Thousands(int64(s.Failed)), s.Repeat)
		case s.Operations == 0:
			return fmt.Sprintf("no operation succeeded (repeat %d)", s.Repeat)
		}
	}

	return ""
}

// row compares one figure. The estimate is nil if the row cannot be judged.
func (p *pair) row(f *Figure, o CompareOptions) (Row, *stats.Estimate) {
	r := Row{
		Figure: f.Name, Key: p.Key, Verdict: NotComparable, Problem: p.problem, Regressed: p.lost,
	}
	var before, after []float64
	if p.before != nil {
		before = p.before.Values(f.Of)
	}
	if p.after != nil {
		after = p.after.Values(f.Of)
	}
	hiddenBefore, whyBefore := f.Hidden(p.before)
	hiddenAfter, whyAfter := f.Hidden(p.after)
	if r.Problem == "" && hiddenBefore == stats.Held && hiddenAfter == stats.Crossed {
		r.Problem, r.Regressed = whyAfter+" in new", true
	}
	if r.Problem != "" {
		r.Contrast = Contrast{Old: NewEstimate(before), New: NewEstimate(after), P: 1}

		return r, nil
	}
	contrast, estimate := NewContrast(before, after, o.Alpha)
	r.Contrast, r.Verdict = contrast, Undecided
	switch {
	case hiddenBefore != stats.Held:
		r.Reason = whyBefore + " in old"

		return r, nil
	case hiddenAfter != stats.Held:
		r.Reason = whyAfter + " in new"

		return r, nil
	case min(len(before), len(after)) < FewestRepeats:
		r.Reason = "too few repeats"
	case estimate == nil:
		r.Reason = "a value of 0 has no ratio"
	default:
		r.Reason = cmp.Or(f.RestsOnLittle(p.after), f.RestsOnLittle(p.before))
	}

	return r, estimate
}

type judged struct {
	row      *Row
	figure   *Figure
	estimate *stats.Estimate
}

func judgeRows(rows []judged, o CompareOptions) {
	family := make([]stats.Gate, len(rows))
	for i, j := range rows {
		family[i] = stats.Gate{Estimate: *j.estimate, Rate: j.figure.Rate, Tolerance: o.Tolerance}
	}
	for i, outcome := range stats.Judge(family, o.Alpha) {
		rows[i].row.conclude(outcome, rows[i].figure)
	}
}

// conclude sets the row's verdict from its outcome. A figure that got worse by more than the
// tolerance counts even if it rests on few operations.
func (r *Row) conclude(outcome stats.Outcome, f *Figure) {
	risen := r.Significant && *r.RatioLow > 1
	switch {
	case outcome == stats.Crossed:
		r.Verdict, r.Regressed = Worse, true
	case r.Reason != "":
		outcome = stats.Undecided
	case outcome == stats.Undecided:
		r.Reason = "could see " + stats.Percent(r.Visible)
	case !r.Significant:
		r.Verdict = Same
	case risen == f.Rate:
		r.Verdict = Better
	default:
		r.Verdict = Worse
	}
	r.Outcome = outcome
}

// geomean returns the geometric mean over the rows that have a ratio. It is unknown if a value is
// zero.
func geomean(figure string, rows []Row) (mean Geomean, known bool) {
	var before, after float64
	n := 0
	for i := range rows {
		r := &rows[i]
		if r.Problem != "" || r.Old.Median <= 0 || r.New.Median <= 0 {
			continue
		}
		before += math.Log(r.Old.Median)
		after += math.Log(r.New.Median)
		n++
	}
	if n == 0 {
		return mean, false
	}
	count := float64(n)

	return Geomean{
		Figure: figure, Old: math.Exp(before / count), New: math.Exp(after / count), Ratio: math.Exp((after - before) / count),
	}, true
}
