package testrun

import (
	"fmt"
	"slices"
	"time"

	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/gate"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
)

// final returns the samples by which k6 judges repeated steps: the medians. The result of a search
// comes last, for thresholds that name no step.
func (s *Scenario) final(at time.Time) (samples metrics.Samples) {
	var found []report.Group
	for _, g := range s.Report.Groups() {
		switch {
		case s.sweep.Searched() != "" && s.found(g.Key):
			found = append(found, g)
		case len(g.Steps) > 1:
			samples = append(samples, s.metrics.Medians(s.tagsOf(g.Steps[0]), at, &g)...)
		}
	}
	for _, g := range found {
		samples = append(samples, s.metrics.Medians(s.tagsOf(g.Steps[0]), at, &g)...)
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
	if s.sweep.OpenLoop() {
		number = step.Rate
	}

	return s.Report.Search != nil && number == s.Report.Search.Found
}

// searches reports whether a threshold with these tags applies to a search's result.
func (s *Scenario) searches(tags *metrics.TagSet) bool {
	if s.sweep.Searched() == "" {
		return false
	}
	_, named := tags.Get(s.sweep.Searched())

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
		return fmt.Sprintf("no operation succeeded of %s", gate.StepName(g.Key))
	case f.Rate:
		return g.FewOperations()
	default:
		return f.RestsOnLittle(g)
	}
}
