package k6x

import (
	"maps"
	"slices"
	"strings"

	"go.k6.io/k6/v2/metrics"
)

// Thresholds are a test's thresholds on one metric or sub-metric.
type Thresholds struct {
	// Name is the key in options.thresholds, such as "sweep_p99{clients:64}".
	Name string
	// Parent is the metric without tags, such as "sweep_p99".
	Parent string
	// Tags select the samples of a sub-metric.
	Tags *metrics.TagSet
	// Metric is the metric or sub-metric that k6 judges.
	Metric *metrics.Metric
	// All holds the expressions and k6's verdicts.
	All []*metrics.Threshold
}

// ThresholdsOf returns the thresholds in a test's options by name, before k6 attaches them to
// metrics. It omits unregistered metrics, which k6 rejects. It creates sub-metrics as k6 does, so
// that k6 finds them.
func ThresholdsOf(options map[string]metrics.Thresholds, registry *metrics.Registry) []Thresholds {
	var all []Thresholds
	for _, name := range slices.Sorted(maps.Keys(options)) {
		parent, tags, tagged := strings.Cut(name, "{")
		metric := registry.Get(parent)
		if metric == nil {
			continue
		}
		t := Thresholds{
			Name: name, Parent: parent, Tags: registry.RootTagSet(), Metric: metric, All: options[name].Thresholds,
		}
		if tagged {
			sub, err := metric.AddSubmetric(strings.TrimSuffix(tags, "}"))
			if err != nil {
				continue
			}
			t.Tags, t.Metric = sub.Tags, sub.Metric
		}
		all = append(all, t)
	}

	return all
}

// JudgedThresholds returns the thresholds that k6 judges, by name; none with --no-thresholds. Read
// verdicts and values after k6 has taken all samples.
func JudgedThresholds(registry *metrics.Registry) []Thresholds {
	var all []Thresholds
	add := func(parent, metric *metrics.Metric, tags *metrics.TagSet) {
		if of := metric.Thresholds.Thresholds; len(of) > 0 {
			all = append(all, Thresholds{Name: metric.Name, Parent: parent.Name, Tags: tags, Metric: metric, All: of})
		}
	}
	for _, metric := range registry.All() {
		add(metric, metric, registry.RootTagSet())
		for _, sub := range metric.Submetrics {
			add(metric, sub.Metric, sub.Tags)
		}
	}
	slices.SortFunc(all, func(a, b Thresholds) int { return strings.Compare(a.Name, b.Name) })

	return all
}
