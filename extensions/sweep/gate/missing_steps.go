package gate

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

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
