package thresholds

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.k6.io/k6/v2/lib"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
)

// Check tells before a sweep runs which threshold cannot hold, as far as that is known: k6 takes no
// sample for 0.
func (j *Judge) Check(sweep Sweep, test *lib.TestRunState) error {
	if test.RuntimeOptions.NoThresholds.Bool {
		return nil
	}
	var problems []string
	for _, t := range k6glue.ThresholdsOf(test.Options.Thresholds, test.Registry) {
		if problem := j.lacks(t, sweep, test); problem != "" {
			problems = append(problems, fmt.Sprintf("threshold %s: %s", t.Name, problem))
		}
	}
	if len(problems) == 0 {
		return nil
	}

	return errors.New(strings.Join(problems, "; "))
}

// lacks says why no sample will ever be sent that the threshold is for; empty: there may be one.
func (j *Judge) lacks(t k6glue.Thresholds, sweep Sweep, test *lib.TestRunState) string {
	if t.Parent == stream.MetricGate {
		return "" // a gate that nobody judges is crossed
	}
	samples, sweepsOnly := j.samplesOf(t.Parent, test.Options.Scenarios, test.RunTags.Map())
	if len(test.Options.Scenarios) == 0 {
		samples = appendTags(samples, sweep.SampleTags(t.Parent, test.RunTags.Map()))
	}
	if stream.OwnMetric(t.Parent) {
		if len(samples) == 0 {
			return "the metric has samples with raw: true only; sweep_p50 to sweep_max are there without"
		}

		return lacking(t.Tags.Map(), samples)
	}
	if group, _ := t.Tags.Get("group"); sweepsOnly && !k6glue.SentInSweep(t.Parent) && group == "" {
		return notSentInSweep
	}

	return ""
}

// samplesOf are the tags of a sweep's metric in each scenario that may send it, and whether all
// scenarios are sweeps.
func (j *Judge) samplesOf(
	metric string, scenarios lib.ScenarioConfigs, runTags map[string]string,
) (samples []Tags, sweepsOnly bool) {
	sweepsOnly = true
	for _, name := range slices.Sorted(maps.Keys(scenarios)) {
		sweep, isSweep := scenarios[name].(Sweep)
		if whole := j.sweepOf(name); whole != nil {
			sweep, isSweep = whole, true
		}
		var tags Tags
		if isSweep {
			tags = sweep.SampleTags(metric, runTags)
		} else {
			sweepsOnly = false
			tags = countedTags(name, scenarios[name], metric, runTags)
		}
		samples = appendTags(samples, tags)
	}

	return samples, sweepsOnly
}

// appendTags appends the tags of a scenario that will send samples.
func appendTags(samples []Tags, tags Tags) []Tags {
	if tags == nil {
		return samples
	}

	return append(samples, tags)
}

// countedTags are the tags of a metric's samples in a scenario of k6's own executors, in which
// sweep.op may count operations; nil: there will be none.
func countedTags(name string, config lib.ExecutorConfig, metric string, runTags map[string]string) Tags {
	if metric == stream.MetricDuration || metric == stream.MetricClientsDone {
		return nil
	}
	tags := ScenarioTags(name, config.GetTags(), runTags)
	tags.AddOutcomes(metric)
	if OfOperations(metric) {
		tags["op"] = TagValues{}
	}

	return tags
}

const notSentInSweep = "the metric has no samples in a sweep: " +
	"sweep_p50 to sweep_max, with the tag op, have the durations of its operations"
