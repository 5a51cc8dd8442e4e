package gate

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// missingSteps names the steps and repeats that the parameters ask for and the run lacks. A search
// has none.
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

// missingOf finds missing steps among the numbers asked for. of reads the number from a step, name
// names such a step.
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
		case slices.Contains(asked[:i], n):
		case there == nil:
			missing = append(missing, fmt.Sprintf("the step %s is missing", name(n)))
		default:
			missing = append(missing, missingRepeats(there, repeatsAsked(r), name(n))...)
		}
	}

	return missing
}

// missingRepeats names the first missing repeat of a step and counts the others, which may be many
// in a forged file.
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

// repeatsAsked returns the number of repeats from the parameters, else 1.
func repeatsAsked(r *report.Report) int {
	asked := 1
	raw, err := json.Marshal(r.Params["repeats"])
	if err != nil || json.Unmarshal(raw, &asked) != nil {
		return 1
	}

	return asked
}

// numbers reads a list of numbers of any type, or nil: scripts may use the same name for other
// parameters.
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
