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

// Scenario is a scenario that has a report.
type Scenario struct {
	Report *report.Report
	Sweep  Sweep
	// Tags are those of all of the scenario's samples.
	Tags *metrics.TagSet
	Test *lib.ExecutionState
}

// Final returns the samples by which k6 judges a step that was repeated: the medians of the
// repeats. Those of the step that a search has found come last, so that a threshold which names no
// step is about this one.
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

// isJudged reports whether a threshold with these tags is for the step. Of a search that is the
// step that was found, unless the tags name another one: those above break the bound.
func (s *Scenario) isJudged(g *report.Group, tags *metrics.TagSet) bool {
	return s.tagsOf(g.Steps[0]).Contains(tags) && (!s.searches(tags) || s.found(g.Key))
}

// found reports whether the step is the one that the search has found.
func (s *Scenario) found(step report.Key) bool {
	number := float64(step.Clients)
	if s.Sweep.OpenLoop() {
		number = step.Rate
	}

	return s.Report.Search != nil && number == s.Report.Search.Found
}

// searches reports whether a threshold with these tags is for what a search finds.
func (s *Scenario) searches(tags *metrics.TagSet) bool {
	if s.Sweep.Searched() == "" {
		return false
	}
	_, named := tags.Get(s.Sweep.Searched())

	return !named
}

// foundNothing reports whether a threshold with these tags is for what a search has not found.
func (s *Scenario) foundNothing(tags *metrics.TagSet) bool {
	if !s.searches(tags) || s.Report.Search != nil && s.Report.Search.Found > 0 {
		return false
	}

	return slices.ContainsFunc(s.Report.Steps, func(step report.Step) bool { return s.tagsOf(&step).Contains(tags) })
}

// tagsOf are the tags of the step's samples.
func (s *Scenario) tagsOf(step *report.Step) *metrics.TagSet {
	return s.Tags.WithTagsFromMap(stream.StepTags(int64(step.Clients), step.Rate, step.Variant)).With("op", step.Op)
}

// restsOnNothing says why the figure of a step means nothing; it returns "" if it means something.
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
