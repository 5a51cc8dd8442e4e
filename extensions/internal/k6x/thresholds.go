package k6x

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/sirupsen/logrus"
	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/input"
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

// HintAtMetrics extends k6's error about a threshold on an unknown metric with the module's metric
// names. It changes the log line, because k6 offers no other hook.
func HintAtMetrics(vu modules.VU) {
	env := vu.InitEnv()
	if env == nil || env.TestPreInitState == nil {
		return
	}
	logger, is := env.Logger.(*logrus.Logger)
	if !is || env.Registry == nil || !isFirstVU(vu) {
		return
	}
	for _, hook := range logger.Hooks[logrus.ErrorLevel] {
		if _, there := hook.(*metricHint); there {
			return
		}
	}
	logger.AddHook(&metricHint{env.Registry})
}

// isFirstVU reports whether this VU's script provides the options.
func isFirstVU(vu modules.VU) bool {
	id := vu.Runtime().Get("__VU")

	return id == nil || id.ToInteger() == 0
}

type metricHint struct{ registry *metrics.Registry }

func (*metricHint) Levels() []logrus.Level { return []logrus.Level{logrus.ErrorLevel} }

var noMetric = regexp.MustCompile(`^invalid threshold defined on .*; reason: no metric name "([a-zA-Z0-9_]+)[^"]*" found$`)

func (h *metricHint) Fire(entry *logrus.Entry) error {
	if found := noMetric.FindStringSubmatch(entry.Message); found != nil {
		entry.Message += h.hint(found[1])
	}

	return nil
}

func (h *metricHint) hint(name string) string {
	module, _, _ := strings.Cut(name, "_")
	var known []string
	for _, metric := range h.registry.All() {
		if strings.HasPrefix(metric.Name, module+"_") {
			known = append(known, metric.Name)
		}
	}
	slices.Sort(known)
	if !slices.Contains(known, module+"_failed") { // not one of our modules
		return ""
	}

	return cmp.Or(input.DidYouMean(name, known), "; there are "+strings.Join(known, ", "))
}
