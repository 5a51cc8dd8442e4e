package gate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/gate/judgement"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// Judge judges a run: one verdict for each name of Plan, in that order.
//
// What the run lacks, such as a step, or what failed in it is crossed. What it has and cannot tell
// is undecided: that passes only where the file says so, and the figure is not significantly worse.
func (f *File) Judge(r *report.Report) []report.Verdict {
	verdicts := f.judge(r)
	for i, name := range f.Plan() {
		v := &verdicts[i]
		v.Gate = name
		v.Held = v.Outcome == judgement.Held || v.Outcome == judgement.Undecided && f.UndecidedPass && !v.Worse
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

// Verdicts by their outcome.
func held(detail string) report.Verdict {
	return report.Verdict{Outcome: judgement.Held, Detail: detail}
}

func crossed(detail string) report.Verdict {
	return report.Verdict{Outcome: judgement.Crossed, Detail: detail}
}

func undecided(detail string) report.Verdict {
	return report.Verdict{Outcome: judgement.Undecided, Detail: detail}
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

// inStep tells in which step of its operation something was measured.
func inStep(key report.Key) string { return strings.TrimPrefix(steps(key), tagged(key.Op)) }
