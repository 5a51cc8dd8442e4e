package thresholds

import (
	"fmt"
	"slices"
	"time"

	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
)

// Scenario is a scenario with a report.
type Scenario struct {
	Report *report.Report
	Sweep  Sweep
	// Tags of all samples of the scenario.
	Tags *metrics.TagSet
	Test *lib.ExecutionState
}

// Final returns the samples by which k6 judges repeated steps: the medians. The result of a search
// comes last, for thresholds that name no step.
func (s *Scenario) Final(m *stream.Metrics, at time.Time) (samples metrics.Samples) {
	var found []report.Group
	for _, g := range s.Report.Groups() {
		switch {
		case s.Sweep.Searched() != "" && s.found(g.Key):
			found = append(found, g)
		case len(g.Steps) > 1:
			samples = append(samples, m.Medians(s.tagsOf(g.Steps[0]), at, &g)...)
		}
	}
	for _, g := range found {
		samples = append(samples, m.Medians(s.tagsOf(g.Steps[0]), at, &g)...)
	}

	return samples
}

// isJudged reports whether a threshold with these tags applies to the step. In a search, it applies
// to the result, unless the tags name another step.
func (s *Scenario) isJudged(g *report.Group, tags *metrics.TagSet) bool {
	return s.tagsOf(g.Steps[0]).Contains(tags) && (!s.searches(tags) || s.found(g.Key))
}

func (s *Scenario) found(step report.Key) bool {
	number := float64(step.Clients)
	if s.Sweep.OpenLoop() {
		number = step.Rate
	}

	return s.Report.Search != nil && number == s.Report.Search.Found
}

// searches reports whether a threshold with these tags applies to a search's result.
func (s *Scenario) searches(tags *metrics.TagSet) bool {
	if s.Sweep.Searched() == "" {
		return false
	}
	_, named := tags.Get(s.Sweep.Searched())

	return !named
}

// foundNothing reports whether a threshold with these tags applies to a search without result.
func (s *Scenario) foundNothing(tags *metrics.TagSet) bool {
	if !s.searches(tags) || s.Report.Search != nil && s.Report.Search.Found > 0 {
		return false
	}

	return slices.ContainsFunc(s.Report.Steps, func(step report.Step) bool { return s.tagsOf(&step).Contains(tags) })
}

func (s *Scenario) tagsOf(step *report.Step) *metrics.TagSet {
	return s.Tags.WithTagsFromMap(stream.StepTags(int64(step.Clients), step.Rate, step.Variant)).With("op", step.Op)
}

// restsOnNothing returns why the figure of a step is meaningless, or "".
func restsOnNothing(f *report.Figure, g *report.Group) string {
	switch {
	case len(g.Succeeded().Steps) < len(g.Steps):
		return fmt.Sprintf("no operation succeeded of %s", words(&g.Key))
	case f.Rate:
		return g.FewOperations()
	default:
		return f.RestsOnLittle(g)
	}
}

func words(step *report.Key) string {
	words := step.Op
	if step.Variant != "" {
		words = step.Variant + ": " + words
	}
	if step.Clients > 0 {
		words += " with " + report.Plural(step.Clients, "client")
	}
	if step.Rate > 0 {
		words += " at " + stream.FormatNumber(step.Rate) + " a second"
	}

	return words
}
