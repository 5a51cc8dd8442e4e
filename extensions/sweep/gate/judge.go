package gate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// Judge judges a run: one verdict for each name of Plan, in that order. What cannot be judged is
// crossed.
func (f *File) Judge(r *report.Report) []report.Verdict {
	gates := f.gates()
	verdicts := make([]report.Verdict, len(gates))
	for i, g := range gates {
		verdicts[i].Gate = g.name
		if r.Scenario != f.Scenario {
			verdicts[i].Detail = fmt.Sprintf("not judged: the run is of scenario %q, the gates are of %q", r.Scenario, f.Scenario)

			continue
		}
		verdicts[i].Held, verdicts[i].Detail = g.judge(r)
	}

	return verdicts
}

// judge judges all steps that the gate is for. Each of them has to keep the bound.
func (a *Absolute) judge(b Bound, r *report.Report) (held bool, detail string) {
	groups := r.Groups()
	matching := slices.DeleteFunc(slices.Clone(groups), func(g report.Group) bool { return !a.matches(g.Key) })
	if len(matching) == 0 {
		return false, missing(groups, a.Op)
	}

	var crossed []string
	worst := ""
	var worstValue float64
	for i := range matching {
		g := &matching[i]
		if problem := unusable(g); problem != "" {
			crossed = append(crossed, problem+inStep(g.Key))

			continue
		}
		value := report.NewEstimate(g.Values(b.Figure.Of)).Median
		text := measured(b.Figure, value) + inStep(g.Key) + ofRepeats(len(g.Steps))
		if !b.Figure.Keeps(value, b.Value) {
			crossed = append(crossed, text)
		} else if little := b.Figure.RestsOnLittle(g); little != "" {
			crossed = append(crossed, "not judged: "+little+inStep(g.Key))
		}
		if worst == "" || !b.Figure.Keeps(value, worstValue) {
			worst, worstValue = text, value
		}
	}
	if len(crossed) > 0 {
		return false, strings.Join(crossed, "; ")
	}

	return true, worst
}

func (a *Absolute) matches(key report.Key) bool {
	return key.Op == a.Op && (a.Clients == 0 || key.Clients == a.Clients) && (a.Rate == 0 || key.Rate == a.Rate)
}

// judge compares a step with the baseline's.
func (t Tolerance) judge(before *report.Group, r *report.Report, alpha float64) (held bool, detail string) {
	groups := r.Groups()
	at := slices.IndexFunc(groups, func(g report.Group) bool { return g.Key == before.Key })
	if at < 0 {
		return false, missing(groups, before.Op)
	}
	after := &groups[at]
	if problem := unusable(after); problem != "" {
		return false, problem
	}
	if needed := report.MinRepeats(alpha); min(len(before.Steps), len(after.Steps)) < needed {
		return false, fmt.Sprintf("cannot be judged: the baseline has %s and the run %s, both need at least %d",
			report.Plural(len(before.Steps), "repeat"), report.Plural(len(after.Steps), "repeat"), needed)
	}

	c := report.NewContrast(before.Values(t.Figure.Of), after.Values(t.Figure.Of), alpha)
	if c.Ratio == nil {
		return false, fmt.Sprintf("cannot be judged: %s of the baseline is 0", t.Figure.Name)
	}
	detail = fmt.Sprintf("%s, %.1f %% of the baseline's %s (p=%.3f)",
		measured(t.Figure, c.New.Median), 100**c.Ratio, measured(t.Figure, c.Old.Median), c.P)
	kept := t.Figure.Keeps(*c.Ratio, t.limit())
	switch {
	case !kept && c.Significant:
		return false, detail
	case t.Figure.RestsOnLittle(after) != "":
		return false, "not judged: " + t.Figure.RestsOnLittle(after)
	case t.Figure.RestsOnLittle(before) != "":
		return false, "not judged: in the baseline, " + t.Figure.RestsOnLittle(before)
	case !kept:
		return true, detail + ": worse, but not significantly"
	}

	return true, detail
}

// unusable tells why the figures of a step say nothing, or nothing when they do. The failed
// operations of a step are the business of a gate of their own.
func unusable(g *report.Group) string {
	for _, s := range g.Steps {
		switch {
		case !s.Complete:
			if s.TooShort != nil {
				return fmt.Sprintf("not judged: repeat %d is %s", s.Repeat, s.Incomplete())
			}

			return fmt.Sprintf("not judged: repeat %d is incomplete", s.Repeat)
		case s.Operations == 0:
			return fmt.Sprintf("not judged: no operation succeeded in repeat %d", s.Repeat)
		}
	}

	return ""
}

// missing tells that there is no such step, and what there is instead.
func missing(groups []report.Group, op string) string {
	var ops, there []string
	for _, g := range groups {
		if !slices.Contains(ops, g.Op) {
			ops = append(ops, g.Op)
		}
		if g.Op == op {
			there = append(there, steps(g.Key))
		}
	}
	switch {
	case len(there) > 0:
		return "not judged: there is no such step; there are " + strings.Join(there, ", ")
	case len(ops) > 0:
		return fmt.Sprintf("not judged: there is no operation %q; there are %s", op, listed(ops, strconv.Quote))
	default:
		return "not judged: the run has no steps"
	}
}

// inStep tells in which step of its operation something was measured.
func inStep(key report.Key) string { return strings.TrimPrefix(steps(key), tagged(key.Op)) }

func ofRepeats(n int) string {
	if n == 1 {
		return ""
	}

	return fmt.Sprintf(" (median of %d repeats)", n)
}
