package k6glue

import (
	"maps"
	"slices"
	"strings"

	"go.k6.io/k6/v2/metrics"
)

// Thresholds are a test's thresholds on one metric, or on those of its samples that have some tags.
type Thresholds struct {
	// Name is what options.thresholds calls the metric, such as "sweep_p99{clients:64}".
	Name string
	// Parent is the name of the metric without tags, such as "sweep_p99".
	Parent string
	// Tags are those that a sample must have to be judged.
	Tags *metrics.TagSet
	// Metric is what k6 judges, a sub-metric where there are tags.
	Metric *metrics.Metric
	// All are the thresholds as they are written, and as k6 has judged them.
	All []*metrics.Threshold
}

// ThresholdsOf returns the thresholds of a test's options, by name, before k6 has given them to the
// metrics. Metrics that nobody has registered are left out: k6 refuses them by itself. Sub-metrics
// are made as k6 makes them, so that it finds these.
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

// JudgedThresholds returns the thresholds that k6 judges, by name. There are none with
// --no-thresholds. Their outcome and their metrics' values can be read once k6 has taken all
// samples.
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
