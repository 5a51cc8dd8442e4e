package thresholds

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
)

// judgedThresholds are thresholds on one metric at the end of the test.
type judgedThresholds struct {
	k6glue.Thresholds

	// figure is what the metric is of a step; nil for metrics that are not Gauges of a sweep.
	figure *report.Figure
	// worst is the worst figure of all steps that the thresholds are for; nil where there is none.
	worst *float64
	// hollow says why latencies and rates mean nothing; empty: they do.
	hollow string
	// absent says what there is instead when there is no sample.
	absent string
}

// measured finds out what was measured of what the thresholds are for.
func (j *Judge) measured(t k6glue.Thresholds, scenarios []*Scenario) *judgedThresholds {
	judged := &judgedThresholds{Thresholds: t, figure: stream.FigureOf(t.Parent), absent: absent(t, scenarios)}
	if judged.figure == nil && t.Parent != stream.MetricDuration {
		judged.hollow = j.noneSucceeded(t, scenarios)

		return judged
	}
	for i := range scenarios {
		s := scenarios[i]
		if s.foundNothing(t.Tags) {
			judged.hollow = "the search of " + s.Report.Scenario + " has found nothing that keeps its bound"
		}
		for _, g := range s.judged(t.Tags) {
			if why := judged.restsOnNothing(g); why != "" {
				judged.hollow = why
			}
			judged.add(g)
		}
	}

	return judged
}

// restsOnNothing says why the figure of a step says nothing; empty: it does.
func (j *judgedThresholds) restsOnNothing(g judgedGroup) string {
	switch {
	case g.lacksSuccess():
		return fmt.Sprintf("no operation succeeded of %s", g.words())
	case j.figure == nil:
		return ""
	case j.figure.Rate: // a second of one of k6's own executors may be short
		return g.FewOperations()
	default:
		return j.figure.RestsOnLittle(&g.Group)
	}
}

func (j *judgedThresholds) add(g judgedGroup) {
	if j.figure == nil {
		return
	}
	value := g.median(j.figure)
	if j.worst != nil {
		value = j.figure.Worse(*j.worst, value)
	}
	j.worst = &value
}

// settle makes k6 judge the thresholds by what was measured. It calls unheld for each that k6 takes
// for held and that cannot hold. It is for the goroutine that k6glue.LastSample calls
// from.
func (j *judgedThresholds) settle(unheld func(threshold *metrics.Threshold, why string)) error {
	if j.worst != nil {
		j.Metric.Sink.Add(metrics.Sample{Value: *j.worst})
	}
	empty := j.empty()
	for _, threshold := range j.Metric.Thresholds.Thresholds {
		var why string
		switch {
		case j.hollow != "" && ofLatencyOrRate(j.Parent, j.Metric, threshold):
			why = j.hollow
		case empty:
			why = j.absent
		default:
			continue
		}
		if err := k6glue.NeverHolds(threshold, j.Metric); err != nil {
			return err
		}
		unheld(threshold, why)
	}

	return nil
}

// empty tells whether there is nothing to be judged. Where nothing was counted by a Counter of a
// script or of another module, zero is the truth.
func (j *judgedThresholds) empty() bool {
	if j.figure != nil {
		return j.worst == nil
	}

	return j.Metric.Sink.IsEmpty() && (j.Metric.Type != metrics.Counter || stream.OwnMetric(j.Parent))
}

// ofLatencyOrRate tells whether the threshold bounds a time or a number a second.
func ofLatencyOrRate(parent string, metric *metrics.Metric, threshold *metrics.Threshold) bool {
	switch metric.Type {
	case metrics.Counter:
		return strings.HasPrefix(strings.TrimSpace(threshold.Source), "rate")
	case metrics.Trend:
		return metric.Contains == metrics.Time
	case metrics.Gauge:
		return stream.FigureOf(parent) != nil
	case metrics.Rate:
		return false
	default:
		return false
	}
}

// noneSucceeded says that no operation has succeeded of those that a metric of another module is
// about, as far as its tags tell; empty: one has, or that is not known.
func (j *Judge) noneSucceeded(t k6glue.Thresholds, scenarios []*Scenario) string {
	wanted := map[string]string{}
	for _, name := range []string{"scenario", "clients", "rate"} {
		if value, tagged := t.Tags.Get(name); tagged {
			wanted[name] = value
		}
	}
	if len(wanted) == 0 && !j.allSwept(scenarios) {
		return ""
	}
	some := false
	for i := range scenarios {
		s := scenarios[i]
		for at := range s.Report.Steps {
			step := &s.Report.Steps[at]
			if !hasTags(s.tagsOf(step), wanted) {
				continue
			}
			if step.Operations > 0 {
				return ""
			}
			some = true
		}
	}
	if !some {
		return ""
	}

	return "no operation succeeded"
}

func hasTags(tags *metrics.TagSet, wanted map[string]string) bool {
	for name, value := range wanted {
		if got, _ := tags.Get(name); got != value {
			return false
		}
	}

	return true
}

// allSwept tells whether each scenario of the test has a report, or is a step of one that has.
func (j *Judge) allSwept(scenarios []*Scenario) bool {
	test := scenarios[0].Test.Test
	swept := map[string]bool{}
	for i := range scenarios {
		swept[scenarios[i].Report.Scenario] = true
	}
	for name := range test.Options.Scenarios {
		if !swept[name] && j.sweepOf(name) == nil {
			return false
		}
	}

	return true
}

// judgedGroup is a step with its repeats, of one kind of operation, or all seconds of a scenario
// without steps.
type judgedGroup struct {
	report.Group

	seconds bool
}

// judged are the steps that a threshold with these tags is for. Of a search that is the step that
// was found, unless the tags name another one: those above break the bound.
func (s *Scenario) judged(tags *metrics.TagSet) []judgedGroup {
	steps := s.Report
	if s.Sweep == nil {
		steps = &report.Report{}
		for _, second := range s.Report.Steps {
			second.Clients = 0
			steps.Steps = append(steps.Steps, second)
		}
	}
	var groups []judgedGroup
	for _, g := range steps.Groups() {
		if s.tagsOf(g.Steps[0]).Contains(tags) && s.isResult(g.Key, tags) {
			groups = append(groups, judgedGroup{Group: g, seconds: s.Sweep == nil})
		}
	}

	return groups
}

// isResult tells whether the step is one that a threshold with these tags is for.
func (s *Scenario) isResult(step report.Key, tags *metrics.TagSet) bool {
	if !s.searches(tags) {
		return true
	}
	number := float64(step.Clients)
	if s.Sweep.OpenLoop() {
		number = step.Rate
	}

	return s.Report.Search != nil && number == s.Report.Search.Found
}

// searches tells whether a threshold with these tags is for what a search finds.
func (s *Scenario) searches(tags *metrics.TagSet) bool {
	if s.Sweep == nil || s.Sweep.Searched() == "" {
		return false
	}
	_, named := tags.Get(s.Sweep.Searched())

	return !named
}

// foundNothing tells whether a threshold with these tags is for what a search has not found.
func (s *Scenario) foundNothing(tags *metrics.TagSet) bool {
	if !s.searches(tags) || s.Report.Search != nil && s.Report.Search.Found > 0 {
		return false
	}

	return slices.ContainsFunc(s.Report.Steps, func(step report.Step) bool { return s.tagsOf(&step).Contains(tags) })
}

// tagsOf are the tags of the step's samples.
func (s *Scenario) tagsOf(step *report.Step) *metrics.TagSet {
	tags := s.Tags
	if s.Sweep != nil {
		tags = tags.WithTagsFromMap(stream.StepTags(int64(step.Clients), step.Rate, step.Variant))
	}

	return tags.With("op", step.Op)
}

// lacksSuccess tells whether a step, or all of the seconds, have no successful operation.
func (g *judgedGroup) lacksSuccess() bool {
	succeeded := len(g.Succeeded().Steps)

	return succeeded == 0 || !g.seconds && succeeded < len(g.Steps)
}

// median is the median of the figure over all repeats, or seconds. A second in which no operation
// has ended has no latency.
func (g *judgedGroup) median(f *report.Figure) float64 {
	of := g.Group
	if !f.Rate {
		of = g.Succeeded()
	}

	return report.Median(of.Values(f.Of))
}

func (g *judgedGroup) words() string {
	words := g.Op
	if g.Variant != "" {
		words = g.Variant + ": " + words
	}
	if g.Clients > 0 {
		words += " with " + report.Plural(g.Clients, "client")
	}
	if g.Rate > 0 {
		words += " at " + stream.FormatNumber(g.Rate) + " a second"
	}

	return words
}

// absent says why a threshold has no sample at the end of the test.
func absent(t k6glue.Thresholds, scenarios []*Scenario) string {
	switch {
	case t.Parent == stream.MetricGate:
		return "nobody has judged this gate"
	case !k6glue.SentInSweep(t.Parent):
		return notSentInSweep
	case !stream.OwnMetric(t.Parent) && t.Tags.IsEmpty():
		return "no sample was sent"
	case !stream.OwnMetric(t.Parent):
		return "no sample has these tags"
	}
	samples := make([]Tags, 0, len(scenarios))
	for i := range scenarios {
		s := scenarios[i]
		tags := Tags{}
		for at := range s.Report.Steps {
			for name, value := range s.tagsOf(&s.Report.Steps[at]).Map() {
				if values := tags[name]; values.Names == nil || !values.has(value) {
					tags[name] = TagValues{Names: append(values.Names, value)}
				}
			}
		}
		if !OfOperations(t.Parent) {
			delete(tags, "op")
		}
		tags.AddOutcomes(t.Parent)
		samples = append(samples, tags)
	}
	if why := lacking(t.Tags.Map(), samples); why != "" {
		return why
	}

	return "no sample was sent"
}

// ofAnotherSegment tells whether the threshold is for a step of which other instances have all
// clients: they judge it.
func ofAnotherSegment(t k6glue.Thresholds, scenarios []*Scenario) bool {
	tag, tagged := t.Tags.Get("clients")
	if !tagged {
		return false
	}
	elsewhere := false
	for i := range scenarios {
		s := scenarios[i]
		if s.Sweep == nil {
			continue
		}
		for _, n := range s.Sweep.StepClients() {
			if strconv.FormatInt(n, 10) != tag {
				continue
			}
			if s.Test.ExecutionTuple.ScaleInt64(n) > 0 {
				return false
			}
			elsewhere = true
		}
	}

	return elsewhere
}
