package sweep

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// scenarioVerdict is the outcome of one of k6's thresholds; scenario is empty when it is about the whole run.
type scenarioVerdict struct {
	report.Verdict

	scenario string
}

var scenarioTag = regexp.MustCompile(`[{,]\s*scenario:\s*([^,}]+)`)

// thresholdVerdicts reads the outcomes of thresholds from what k6 gives to handleSummary. Gates that were judged are left
// out: they have verdicts of their own, with what was measured.
func (e *testEnd) thresholdVerdicts(data sobek.Value) []scenarioVerdict {
	var summary struct {
		Metrics map[string]struct {
			Values     map[string]any `json:"values"`
			Thresholds map[string]struct {
				OK bool `json:"ok"`
			} `json:"thresholds"`
		} `json:"metrics"`
	}
	exported, err := k6glue.Export(data)
	if err != nil {
		return nil
	}
	raw, err := json.Marshal(exported)
	if err != nil || json.Unmarshal(raw, &summary) != nil {
		return nil // a script may give what it likes: then there is nothing to tell
	}

	var verdicts []scenarioVerdict
	for _, name := range slices.Sorted(maps.Keys(summary.Metrics)) {
		metric := summary.Metrics[name]
		for _, expression := range slices.Sorted(maps.Keys(metric.Thresholds)) {
			v := scenarioVerdict{Verdict: report.Verdict{
				Gate:   thresholdName(name, expression),
				Held:   metric.Thresholds[expression].OK,
				Detail: values(metric.Values),
			}}
			if why, is := e.judgedOnNothing(v.Gate); is {
				v.Held, v.Detail = false, "judged on nothing: "+why
			} else if strings.HasPrefix(name, metricGate+"{") {
				continue
			}
			if tag := scenarioTag.FindStringSubmatch(name); tag != nil {
				v.scenario = strings.TrimSpace(tag[1])
			}
			verdicts = append(verdicts, v)
		}
	}

	return verdicts
}

// values writes a metric's values in one line.
func values(of map[string]any) string {
	words := make([]string, 0, len(of))
	for _, name := range slices.Sorted(maps.Keys(of)) {
		words = append(words, fmt.Sprintf("%s %v", name, of[name]))
	}

	return strings.Join(words, ", ")
}
