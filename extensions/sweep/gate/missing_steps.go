package gate

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// missingSteps names the steps and repeats that the run's parameters ask for and that it does not
// have. It names none where the steps are not known before, as those of a search.
func missingSteps(r *report.Report) []string {
	if r.Params["find"] != nil {
		return nil
	}
	if clients := numbers(r.Params["clients"]); clients != nil {
		return missingOf(r, clients, func(s *report.Step) float64 { return float64(s.Clients) },
			func(n float64) string { return "of " + report.Plural(int(n), "client") })
	}

	return missingOf(r, numbers(r.Params["rate"]), func(s *report.Step) float64 { return s.Rate },
		func(rate float64) string { return "at " + decimal(rate) + " a second" })
}

// missingOf looks for the steps of which numbers were asked for: of reads that number from a step,
// and name names such a step.
func missingOf(r *report.Report, asked []float64, of func(*report.Step) float64, name func(float64) string) []string {
	repeats := map[float64]map[int]bool{}
	for i := range r.Steps {
		s := &r.Steps[i]
		if repeats[of(s)] == nil {
			repeats[of(s)] = map[int]bool{}
		}
		repeats[of(s)][s.Repeat] = true
	}

	var missing []string
	for i, n := range asked {
		switch there := repeats[n]; {
		case slices.Contains(asked[:i], n): // named already
		case there == nil:
			missing = append(missing, fmt.Sprintf("the step %s is missing", name(n)))
		default:
			missing = append(missing, missingRepeats(there, repeatsAsked(r), name(n))...)
		}
	}

	return missing
}

// missingRepeats names the first repeat of a step that is missing, and counts the others: a file
// may ask for any number of them.
func missingRepeats(there map[int]bool, asked int, step string) []string {
	missing := asked
	for repeat := range there {
		if repeat <= asked {
			missing--
		}
	}
	if missing <= 0 {
		return nil
	}
	first := 1
	for there[first] {
		first++
	}
	if missing == 1 {
		return []string{fmt.Sprintf("repeat %d %s is missing", first, step)}
	}

	return []string{fmt.Sprintf("repeat %d %s and %d more are missing", first, step, missing-1)}
}

// repeatsAsked is how often each step was to be run: once where the parameters do not tell.
func repeatsAsked(r *report.Report) int {
	asked := 1
	raw, err := json.Marshal(r.Params["repeats"])
	if err != nil || json.Unmarshal(raw, &asked) != nil {
		return 1
	}

	return asked
}

// numbers reads a list of numbers, which in a run that has just ended may be of another type than
// in a file. It is nil for anything else: scripts may give parameters of their own the same name.
func numbers(value any) []float64 {
	raw, err := json.Marshal(value)
	if err != nil {
		return nil
	}
	var list []float64
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil
	}

	return list
}
