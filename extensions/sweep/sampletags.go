package sweep

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/nearest"
)

// sampleTags are the tags that a metric's samples have in one scenario, with the values of each.
type sampleTags map[string]tagValues

// tagValues are the values of a tag.
type tagValues struct {
	// names are all values; nil where a range has them, or where they are not known before the run.
	names []string
	// others are values that there are only when the script names no operation.
	others []string
	// from and to bound the whole numbers that a search may try; to is zero where there are none.
	from, to float64
}

// has tells whether the tag may have the value.
func (v tagValues) has(value string) bool {
	if v.to == 0 {
		return v.names == nil || slices.Contains(v.names, value) || slices.Contains(v.others, value)
	}
	n, err := strconv.ParseFloat(value, 64)

	return err == nil && n == math.Trunc(n) && n >= v.from && n <= v.to && formatNumber(n) == value
}

func (v tagValues) words() []string {
	if v.to > 0 {
		return []string{formatNumber(v.from) + " to " + formatNumber(v.to)}
	}

	return v.names
}

func only(value string) tagValues { return tagValues{names: []string{value}} }

// has tells whether a sample may have all of these tags.
func (s sampleTags) has(tags map[string]string) bool {
	for name, value := range tags {
		if values, known := s[name]; !known || !values.has(value) {
			return false
		}
	}

	return true
}

// lacking says which tag no sample has, and what there is instead; empty: a sample may have them
// all. samples are those of each scenario, at least of one.
func lacking(tags map[string]string, samples []sampleTags) string {
	if slices.ContainsFunc(samples, func(s sampleTags) bool { return s.has(tags) }) {
		return ""
	}
	names := slices.SortedFunc(maps.Keys(tags), func(a, b string) int {
		if a == "scenario" || b == "scenario" { // the scenario first: the others depend on it
			return map[bool]int{true: -1, false: 1}[a == "scenario"]
		}

		return strings.Compare(a, b)
	})
	for _, name := range names {
		with, problem := withTag(name, tags[name], samples)
		if problem != "" {
			return problem
		}
		samples = with
	}

	return ""
}

// withTag returns those scenarios whose samples may have the tag, or says that there is none.
func withTag(name, value string, samples []sampleTags) (with []sampleTags, problem string) {
	var there []string
	for _, s := range samples {
		values, known := s[name]
		if !known {
			continue
		}
		for _, words := range values.words() {
			if !slices.Contains(there, words) {
				there = append(there, words)
			}
		}
		if values.has(value) {
			with = append(with, s)
		}
	}
	switch {
	case len(with) > 0:
	case len(there) == 0:
		known := tagNames(samples)
		problem = fmt.Sprintf("no sample has the tag %s; there are %s%s",
			name, strings.Join(known, ", "), didYouMean(name, known))
	default:
		problem = fmt.Sprintf("no sample has %s:%s; there are %s %s%s",
			name, value, name, strings.Join(there, ", "), didYouMean(value, there))
	}

	return with, problem
}

// didYouMean names the known name that is near to a name; numbers are never near.
func didYouMean(name string, known []string) string {
	meant, near := nearest.Of(name, known)
	if _, err := strconv.ParseFloat(name, 64); err == nil || !near {
		return ""
	}

	return "; did you mean " + meant + "?"
}

// tagNames are the names of all tags.
func tagNames(samples []sampleTags) []string {
	names := map[string]struct{}{}
	for _, s := range samples {
		for name := range s {
			names[name] = struct{}{}
		}
	}

	return slices.Sorted(maps.Keys(names))
}

// sampleTags are those that a metric's samples will have in the scenario; nil: there will be none.
func (c *Config) sampleTags(metric string, runTags map[string]string) sampleTags {
	if metric == metricDuration && !c.Raw.Bool {
		return nil
	}
	tags := scenarioTags(c.Name, c, runTags)
	clients, rate := tagValues{}, tagValues{}
	for _, n := range c.Clients {
		clients.names = append(clients.names, strconv.FormatInt(n, 10))
	}
	for _, n := range c.Rate {
		rate.names = append(rate.names, formatNumber(n))
	}
	if c.openLoop() {
		clients = only(strconv.FormatInt(c.PreAllocatedVUs.Int64, 10))
	}
	if c.Find != nil {
		tried := tagValues{from: c.Find.min(), to: c.Find.Max}
		if c.openLoop() {
			rate = tried
		} else {
			clients = tried
		}
	}
	tags["clients"] = clients
	if c.openLoop() {
		tags["rate"] = rate
	}
	if len(c.Variants) > 0 {
		tags["variant"] = tagValues{names: c.Variants}
	}
	if ofOperations(metric) {
		tags["op"] = tagValues{names: c.Ops, others: append(slices.Clip(c.Variants), c.op(spec{}))} // without ops, any name
	}

	return tags
}

// ofOperations tells whether the samples of a sweep's metric have the tag op.
func ofOperations(metric string) bool {
	return metric != metricClientsDone && metric != metricIncomplete && metric != metricGate
}

// scenarioTags are the tags that all samples of a scenario have.
func scenarioTags(name string, config lib.ExecutorConfig, runTags map[string]string) sampleTags {
	tags := sampleTags{}
	for _, fixed := range []map[string]string{runTags, config.GetTags(), {"scenario": name}} {
		for name, value := range fixed {
			tags[name] = only(value)
		}
	}

	return tags
}

// checkThresholds tells before the run which threshold cannot hold, as far as that
// is known: k6 takes no sample for 0.
func (r *results) checkThresholds(c *Config, test *lib.TestRunState) error {
	if test.RuntimeOptions.NoThresholds.Bool {
		return nil
	}
	scenarios := test.Options.Scenarios
	if len(scenarios) == 0 {
		scenarios = lib.ScenarioConfigs{c.Name: c}
	}
	var problems []string
	for _, t := range k6glue.ThresholdsOf(test.Options.Thresholds, test.Registry) {
		if problem := r.lacks(t, scenarios, test.RunTags); problem != "" {
			problems = append(problems, fmt.Sprintf("threshold %s: %s", t.Name, problem))
		}
	}
	if len(problems) == 0 {
		return nil
	}

	return errors.New(strings.Join(problems, "; "))
}

// lacks says why no sample will ever be sent that the threshold is for; empty: there may be one.
func (r *results) lacks(t k6glue.Thresholds, scenarios lib.ScenarioConfigs, runTags *metrics.TagSet) string {
	if t.Parent == metricGate {
		return "" // a gate that nobody judges is crossed
	}
	samples, sweepsOnly := r.samplesOf(t.Parent, scenarios, runTags.Map())
	if ownMetric(t.Parent) {
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
func (r *results) samplesOf(
	metric string, scenarios lib.ScenarioConfigs, runTags map[string]string,
) (samples []sampleTags, sweepsOnly bool) {
	sweepsOnly = true
	for _, name := range slices.Sorted(maps.Keys(scenarios)) {
		config, isSweep := scenarios[name].(*Config)
		if step := r.portableStep(name); step != nil {
			config, isSweep = step.sweep.config, true
		}
		var tags sampleTags
		if isSweep {
			tags = config.sampleTags(metric, runTags)
		} else {
			sweepsOnly = false
			tags = countedTags(name, scenarios[name], metric, runTags)
		}
		if tags != nil {
			samples = append(samples, tags)
		}
	}

	return samples, sweepsOnly
}

// countedTags are the tags of a metric's samples in a scenario of k6's own executors, in which
// sweep.op may count operations; nil: there will be none.
func countedTags(name string, config lib.ExecutorConfig, metric string, runTags map[string]string) sampleTags {
	if metric == metricDuration || metric == metricClientsDone {
		return nil
	}
	tags := scenarioTags(name, config, runTags)
	if ofOperations(metric) {
		tags["op"] = tagValues{}
	}

	return tags
}

const notSentInSweep = "the metric has no samples in a sweep: " +
	"sweep_p50 to sweep_max, with the tag op, have the durations of its operations"

// absent says why a threshold has no sample at the end of the test.
func absent(t k6glue.Thresholds, scenarios []sweptScenario) string {
	switch {
	case t.Parent == metricGate:
		return "nobody has judged this gate"
	case !k6glue.SentInSweep(t.Parent):
		return notSentInSweep
	case !ownMetric(t.Parent) && t.Tags.IsEmpty():
		return "no sample was sent"
	case !ownMetric(t.Parent):
		return "no sample has these tags"
	}
	samples := make([]sampleTags, 0, len(scenarios))
	for i := range scenarios {
		s := &scenarios[i]
		tags := sampleTags{}
		for at := range s.report.Steps {
			for name, value := range s.tagsOf(&s.report.Steps[at]).Map() {
				if values := tags[name]; values.names == nil || !values.has(value) {
					tags[name] = tagValues{names: append(values.names, value)}
				}
			}
		}
		if !ofOperations(t.Parent) {
			delete(tags, "op")
		}
		samples = append(samples, tags)
	}
	if why := lacking(t.Tags.Map(), samples); why != "" {
		return why
	}

	return "no sample was sent"
}
