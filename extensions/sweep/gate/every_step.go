package gate

import (
	"encoding/json"
	"fmt"
	"slices"
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

// missingSteps names the steps and repeats that the parameters ask for and the run lacks. A search
// has none. Of a step's repeats it names the first and counts the others, which may be many in a
// forged file.
func missingSteps(r *report.Report) (missing []string) {
	if r.Params["find"] != nil {
		return nil
	}
	asked, of := param[[]float64](r, "clients"), func(s *report.Step) float64 { return float64(s.Clients) }
	name := func(n float64) string { return "of " + report.Plural(int(n), "client") }
	if asked == nil {
		asked, of = param[[]float64](r, "rate"), func(s *report.Step) float64 { return s.Rate }
		name = func(rate float64) string { return "at " + decimal(rate) + " a second" }
	}
	repeats := max(param[int](r, "repeats"), 1)
	there := map[float64]map[int]bool{}
	for i := range r.Steps {
		s := &r.Steps[i]
		if there[of(s)] == nil {
			there[of(s)] = map[int]bool{}
		}
		if s.Repeat <= repeats {
			there[of(s)][s.Repeat] = true
		}
	}
	for i, n := range asked {
		first, more := 1, repeats-len(there[n])-1
		for there[n][first] {
			first++
		}
		switch {
		case slices.Contains(asked[:i], n), more < 0:
		case there[n] == nil:
			missing = append(missing, fmt.Sprintf("the step %s is missing", name(n)))
		case more == 0:
			missing = append(missing, fmt.Sprintf("repeat %d %s is missing", first, name(n)))
		default:
			missing = append(missing, fmt.Sprintf("repeat %d %s and %d more are missing", first, name(n), more))
		}
	}

	return missing
}

// param reads a parameter, or zero: scripts may use the same name for other parameters.
func param[T any](r *report.Report, name string) (value T) {
	raw, err := json.Marshal(r.Params[name])
	if err != nil || json.Unmarshal(raw, &value) != nil {
		return *new(T)
	}

	return value
}
