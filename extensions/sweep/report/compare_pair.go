package report

import (
	"cmp"
	"fmt"
	"math"
)

// pair is a step in both runs.
type pair struct {
	Key
	before, after *Group // nil when the run lacks the step
	problem       string // why the step cannot be compared
	lost          bool   // it could have been, if the new run were as whole as the old one
}

// pairs are the steps of the old run in its order, and then those that only the new one has.
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
	if problem := flawOf(after); problem != "" {
		p.problem, p.lost = problem+" in new", true
	} else if problem := flawOf(before); problem != "" {
		p.problem = problem + " in old"
	}

	return p
}

// flawOf tells why a step cannot be compared, or nothing when it can.
func flawOf(g *Group) string {
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

// row compares one of the figures.
func (p *pair) row(f *Figure, o CompareOptions) Row {
	r := Row{
		Figure: f.Name, Op: p.Op, Clients: p.Clients, Rate: p.Rate, Variant: p.Variant,
		Verdict: NotComparable, Problem: p.problem, Regressed: p.lost,
	}
	var before, after []float64
	if p.before != nil {
		before = p.before.Values(f.Of)
	}
	if p.after != nil {
		after = p.after.Values(f.Of)
	}
	r.Contrast = NewContrast(before, after, o.Alpha)
	if p.problem != "" {
		r.P, r.Significant = 1, false
		r.Ratio = nil

		return r
	}

	if needed := MinRepeats(o.Alpha); min(len(before), len(after)) < needed {
		r.Verdict, r.Reason = Undecided, "too few repeats"

		return r
	}

	change := r.New.Median - r.Old.Median
	if !f.Rate {
		change = -change
	}
	r.Reason = cmp.Or(f.RestsOnLittle(p.after), f.RestsOnLittle(p.before))
	switch {
	case r.Reason != "" && (!r.Significant || change >= 0):
		r.Verdict = Undecided // but what got significantly worse has done so
	case !r.Significant || change == 0:
		r.Verdict = Same
	case change > 0:
		r.Verdict = Better
	default:
		r.Verdict = Worse
		r.Regressed = -change > o.Tolerance*r.Old.Median
	}

	return r
}

// geomean is that of the rows of one figure which have a ratio: of zero, no geometric mean is
// known.
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
