package thresholds

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/lib"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/gate/judgement"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
)

var scenarioTag = regexp.MustCompile(`[{,]\s*scenario:\s*([^,}]+)`)

// VerdictsOf reads the outcomes of thresholds from what k6 gives to handleSummary. Gates
// that were judged are left out: they have verdicts of their own, with what was measured.
func (j *Judge) VerdictsOf(data sobek.Value) []report.Verdict {
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

	var verdicts []report.Verdict
	for _, name := range slices.Sorted(maps.Keys(summary.Metrics)) {
		metric := summary.Metrics[name]
		for _, expression := range slices.Sorted(maps.Keys(metric.Thresholds)) {
			verdicts = append(verdicts, j.verdict(name, expression, metric.Thresholds[expression].OK, values(metric.Values))...)
		}
	}

	return verdicts
}

// Verdicts are the outcomes of the thresholds as k6 has judged them, in a test that has lasted so
// long: for a script that has no handleSummary.
func (j *Judge) Verdicts(test *lib.TestRunState, lasted time.Duration) (verdicts []report.Verdict) {
	if test.RuntimeOptions.NoThresholds.Bool {
		return nil
	}
	for _, t := range k6glue.ThresholdsOf(test.Options.Thresholds, test.Registry) {
		if t.Metric.Sink.IsEmpty() {
			continue // k6 does not show it either
		}
		shown := map[string]any{}
		for name, value := range t.Metric.Sink.Format(lasted) {
			shown[name] = value
		}
		for _, threshold := range t.Metric.Thresholds.Thresholds {
			verdicts = append(verdicts, j.verdict(t.Name, threshold.Source, !threshold.LastFailed, values(shown))...)
		}
	}

	return verdicts
}

// verdict is the verdict of one threshold; none for a gate that was judged.
func (j *Judge) verdict(name, expression string, held bool, detail string) []report.Verdict {
	v := report.Verdict{Gate: thresholdName(name, expression), Held: held, Detail: detail}
	if why, is := j.whyUnheld(v.Gate); is {
		v.Held, v.Detail = false, "cannot hold: "+why
	} else if strings.HasPrefix(name, stream.MetricGate+"{") {
		return nil
	}
	v.Outcome = judgement.Crossed
	if v.Held {
		v.Outcome = judgement.Held
	}
	if tag := scenarioTag.FindStringSubmatch(name); tag != nil {
		v.Scenario = strings.TrimSpace(tag[1])
	}

	return []report.Verdict{v}
}

// values writes a metric's values in one line.
func values(of map[string]any) string {
	words := make([]string, 0, len(of))
	for _, name := range slices.Sorted(maps.Keys(of)) {
		words = append(words, fmt.Sprintf("%s %v", name, of[name]))
	}

	return strings.Join(words, ", ")
}
