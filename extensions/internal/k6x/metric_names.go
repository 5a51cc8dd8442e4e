package k6x

import (
	"regexp"
	"slices"
	"strings"

	"github.com/sirupsen/logrus"
	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/input"
)

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
	if meant := input.Nearest(name, known); meant != "" {
		return "; did you mean " + meant + "?"
	}

	return "; there are " + strings.Join(known, ", ")
}
