package gate

import (
	"fmt"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

func judgeEveryStep(r *report.Report) report.Verdict {
	if problem := flaw(r); problem != "" {
		return crossed(problem)
	}

	return held(fmt.Sprintf("%d of %d", len(r.Steps), len(r.Steps)))
}

// flaw describes missing and failed steps; "" if the run is complete.
func flaw(r *report.Report) string {
	if r.Interrupted {
		return "the run was interrupted"
	}
	if len(r.Steps) == 0 {
		return "the run has no steps"
	}
	if segment, part := r.Params["segment"]; part {
		return fmt.Sprintf("it is the part %v of a run: merge the parts first", segment)
	}
	flaws := missingSteps(r)
	for i := range r.Steps {
		s := &r.Steps[i]
		what := ""
		switch {
		case !s.Complete:
			what = "incomplete"
			if s.Overlap != nil || s.TooShort != nil {
				what += ", " + s.Incomplete()
			}
		case s.Failed > 0:
			what = fmt.Sprintf("%s of %s failed", report.Thousands(int64(s.Failed)), report.Counted(s.Operations+int64(s.Failed), "operation"))
		case s.Operations == 0:
			what = "no operation succeeded"
		default:
			continue
		}
		flaws = append(flaws, fmt.Sprintf("%s (repeat %d): %s", StepName(s.Key()), s.Repeat, what))
	}

	return strings.Join(flaws, "; ")
}
