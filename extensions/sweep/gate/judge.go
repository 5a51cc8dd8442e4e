package gate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// Judge judges a run and returns a verdict for each name of Plan, in order.
//
// A missing or failed step is crossed. A figure that cannot be judged is undecided, and passes only
// if the file allows it, the figure is not significantly worse, and the baseline exists.
func (f *File) Judge(r *report.Report) []report.Verdict {
	verdicts := f.judge(r)
	for i, name := range f.Plan() {
		v := &verdicts[i]
		v.Gate = name
		passes := f.UndecidedPass && !v.Worse && (name != baselineFits || f.baseline != nil)
		v.Held = v.Outcome == stats.Held || v.Outcome == stats.Undecided && passes
	}

	return verdicts
}

func (f *File) judge(r *report.Report) []report.Verdict {
	if r.Scenario != f.Scenario {
		other := crossed(fmt.Sprintf("not judged: the run is of scenario %q, the gates are of %q", r.Scenario, f.Scenario))

		return slices.Repeat([]report.Verdict{other}, len(f.Plan()))
	}
	var verdicts []report.Verdict
	for i := range f.Absolute {
		for _, b := range f.Absolute[i].Bounds {
			verdicts = append(verdicts, f.Absolute[i].judge(b, r))
		}
	}
	if f.Relative != nil {
		verdicts = append(verdicts, f.judgeRelative(r)...)
		if f.Relative.Baseline != "" {
			verdicts = append(verdicts, f.judgeFit(r))
		}
	}

	return append(verdicts, judgeEveryStep(r))
}

func held(detail string) report.Verdict {
	return report.Verdict{Outcome: stats.Held, Detail: detail}
}

func crossed(detail string) report.Verdict {
	return report.Verdict{Outcome: stats.Crossed, Detail: detail}
}

func undecided(detail string) report.Verdict {
	return report.Verdict{Outcome: stats.Undecided, Detail: detail}
}

func missingStep(groups []report.Group, op string) string {
	var ops, there []string
	for _, g := range groups {
		if !slices.Contains(ops, g.Op) {
			ops = append(ops, g.Op)
		}
		if g.Op == op {
			there = append(there, StepName(g.Key))
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

// unusable returns why a step's figures mean nothing, or "". Failed operations have their own gate.
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

func inStep(key report.Key) string { return strings.TrimPrefix(StepName(key), report.NameOf(key.Op)) }

func (a *Absolute) judge(b Bound, r *report.Report) report.Verdict {
	groups := r.Groups()
	matching := slices.DeleteFunc(slices.Clone(groups), func(g report.Group) bool {
		return !a.matches(g.Key) || len(r.Duets) > 0 && g.Variant == report.Base
	})
	if len(matching) == 0 {
		return crossed(missingStep(groups, a.Op))
	}

	problems := map[stats.Outcome][]string{}
	worst := ""
	var worstValue float64
	for i := range matching {
		outcome, text, value := b.judge(&matching[i])
		if outcome != stats.Held {
			problems[outcome] = append(problems[outcome], text)
		} else if worst == "" || !b.Figure.Keeps(value, worstValue) {
			worst, worstValue = text, value
		}
	}
	switch {
	case len(problems[stats.Crossed]) > 0:
		return crossed(strings.Join(slices.Concat(problems[stats.Crossed], problems[stats.Undecided]), "; "))
	case len(problems[stats.Undecided]) > 0:
		return undecided(strings.Join(problems[stats.Undecided], "; "))
	}

	return held(worst)
}

func (b *Bound) judge(g *report.Group) (outcome stats.Outcome, text string, value float64) {
	if problem := unusable(g); problem != "" {
		return stats.Crossed, problem + inStep(g.Key), 0
	}
	outcome, text, value = b.Measured(g)
	if little := b.Figure.RestsOnLittle(g); outcome == stats.Held && little != "" {
		return stats.Undecided, "not judged: " + little + inStep(g.Key), value
	}

	return outcome, text, value
}

// Measured judges a complete step, even with few operations. A bound that is met counts, whatever
// limited the step. A missed bound is undecided if k6 or a neighbour limited the step, unless a
// neighbour cannot explain the difference.
func (b *Bound) Measured(g *report.Group) (outcome stats.Outcome, text string, value float64) {
	values := g.Values(b.Figure.Of)
	value, text = report.Median(values), ofRepeats(len(g.Steps))
	if b.Figure == &report.LongestStandstill {
		value, text = slices.Max(values), ""
	}
	text = measured(b.Figure, value) + inStep(g.Key) + text
	limits := limitOf(g, notTheTarget)
	if limits != "" {
		limits = ", " + limits
	}
	hidden, why := b.Figure.Hidden(g)
	switch keeps := b.Figure.Keeps(value, b.Value); {
	case !keeps && hidden == stats.Undecided:
		return stats.Undecided, "not judged: " + text + ", and " + why, value
	case !keeps && limits != "" && !b.beyond(value, explained(g, b.Figure)):
		return stats.Undecided, "not judged: " + text + limits, value
	case !keeps && limits != "":
		return stats.Crossed, text + limits + ", which does not explain so much", value
	case !keeps:
		return stats.Crossed, text, value
	case hidden == stats.Crossed:
		return stats.Crossed, text + ", but " + why, value
	case hidden == stats.Undecided:
		return stats.Undecided, "not judged: " + text + ", but " + why, value
	}

	return stats.Held, text + limits, value
}

// beyond reports whether a value misses the bound by more than a factor.
func (b *Bound) beyond(value, factor float64) bool {
	if b.Figure.Rate {
		return value*factor < b.Value
	}

	return value > b.Value*factor
}

func (a *Absolute) matches(key report.Key) bool {
	return key.Op == a.Op && (a.Clients == 0 || key.Clients == a.Clients) && (a.Rate == 0 || key.Rate == a.Rate)
}

func ofRepeats(n int) string {
	if n == 1 {
		return ""
	}

	return fmt.Sprintf(" (median of %d repeats)", n)
}
