package beside

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// longestFact is the most characters of a fact that are shown.
const longestFact = 120

// facts returns the differences, parameters and target first.
func facts(runs []Run) (differ []Fact) {
	all := make([]map[string]string, len(runs))
	var names []string
	for i, run := range runs {
		all[i] = map[string]string{}
		for _, f := range factsOf(run.Report) {
			all[i][f.Name] = f.Text
			if !slices.Contains(names, f.Name) {
				names = append(names, f.Name)
			}
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return rank(a) - rank(b) })
	for _, name := range names {
		f := Fact{Name: name}
		same := true
		for i := range runs {
			f.Values = append(f.Values, all[i][name])
			same = same && all[i][name] == all[0][name]
		}
		if !same {
			differ = append(differ, f)
		}
	}

	return differ
}

func rank(name string) int {
	for i, prefix := range []string{"scenario", "params.", "target.", "k6", "host.", "fingerprint."} {
		if strings.HasPrefix(name, prefix) {
			return i
		}
	}

	return -1 // the start time
}

// factsOf returns all facts of a run that may differ, except the results folder.
func factsOf(r *report.Report) []report.Fact {
	found := []report.Fact{{Name: "scenario", Text: r.Scenario}, {Name: "k6", Text: r.K6}}
	for _, values := range []struct {
		prefix string
		of     map[string]any
	}{{"params.", r.Params}, {"target.", r.Target}} {
		for _, name := range slices.Sorted(maps.Keys(values.of)) {
			if name != "results" {
				found = append(found, report.Fact{Name: values.prefix + name, Text: text(values.of[name])})
			}
		}
	}
	found = append(found,
		report.Fact{Name: "host.cpu", Text: r.Host.CPU}, report.Fact{Name: "host.os", Text: r.Host.OS},
		report.Fact{Name: "host.cores", Text: strconv.Itoa(r.Host.Cores)})
	for _, f := range r.Fingerprint.Facts() {
		found = append(found, report.Fact{Name: "fingerprint." + f.Name, Text: f.Text})
	}

	return found
}

func text(v any) string {
	line, ok := v.(string)
	if !ok {
		raw, err := json.Marshal(v)
		if err != nil {
			return fmt.Sprint(v) // such as a function, which JSON cannot hold
		}
		line = string(raw)
	}
	line = strings.Join(strings.Fields(line), " ")
	if letters := []rune(line); len(letters) > longestFact {
		line = string(letters[:longestFact]) + "…"
	}

	return line
}
