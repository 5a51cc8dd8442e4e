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
