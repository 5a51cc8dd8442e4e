package testrun

import (
	"strings"

	"github.com/sirupsen/logrus"
	"go.k6.io/k6/v2/errext/exitcodes"
	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/host"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
)

// Start describes a scenario at its start.
type Start struct {
	Name string
	// Params are the options as the report shows them.
	Params map[string]any
	Sweep  Sweep
	// Tags of all samples of the scenario.
	Tags    *metrics.TagSet
	Out     chan<- metrics.SampleContainer
	Metrics *stream.Metrics
	Test    *lib.ExecutionState
	Logger  logrus.FieldLogger
}

// Scenario is a running sweep: it collects, saves and judges its report, and marks failures.
type Scenario struct {
	Report *report.Report
	// Tags of all samples of the scenario.
	Tags *metrics.TagSet
	Test *lib.ExecutionState

	sweep   Sweep
	results *Results
	out     chan<- metrics.SampleContainer
	metrics *stream.Metrics
	logger  logrus.FieldLogger
	// stopEvents ends the recording of marks.
	stopEvents func()
}

// Begin begins a scenario and its journal. It returns an error if the report could not be written;
// the sweep must not run then.
func (r *Results) Begin(start Start) (*Scenario, error) {
	s := r.NewScenario(start)
	if err := r.keepReport(s.Report, start.Test.Test); err != nil {
		s.stopEvents()
		r.forget(s.Report)

		return nil, err
	}

	return s, nil
}

// NewScenario begins a scenario without a journal.
func (r *Results) NewScenario(start Start) *Scenario {
	rep := r.addReport(start.Name, start.Params)

	return &Scenario{
		Report: rep, Test: start.Test, sweep: start.Sweep, Tags: start.Tags,
		results: r, out: start.Out, metrics: start.Metrics, logger: start.Logger,
		stopEvents: measure.OnEvent(func(e measure.Event) { r.mark(rep, e) }),
	}
}

// Await registers the scenario, and an optional task, for the end of the test.
func (s *Scenario) Await(events common.Events, task func()) {
	s.results.testEnd.await(events, s, task)
}

// Live sends the metrics of a step with its own tags.
func (s *Scenario) Live(step stream.Step, own map[string]string) *stream.Live {
	step.Scenario, step.Target = s.Report.Scenario, s.results.kindOf(s.Report)

	return stream.NewLive(s.metrics, s.out, s.Tags.WithTagsFromMap(own), step)
}

// Server returns the target's server on this machine, or nil.
func (s *Scenario) Server() *host.Server { return s.results.serverProcess(s.Report.Scenario) }

// BaseServer returns the server of a duet's base, or Server if the script names none.
func (s *Scenario) BaseServer() *host.Server { return s.results.baseServer(s.Report.Scenario) }

// Add adds finished steps and duets to the report. A NaN figure is a fault in our code: it is left
// out, logged, and k6 exits with an error.
func (s *Scenario) Add(steps []report.Step, duets ...report.Duet) {
	var lost []string
	for i := range steps {
		lost = append(lost, steps[i].DropNotNumbers()...)
	}
	for i := range duets {
		lost = append(lost, duets[i].DropNotNumbers()...)
	}
	if len(lost) > 0 {
		s.logger.Errorf("internal error: figures of the step are not numbers and are left out of the report: %s", strings.Join(lost, ", "))
		k6x.FailExit(exitcodes.MarkedAsFailed)
	}
	s.results.add(s.Report, steps, duets)
}

// SetQuiet stores the result of waiting for an idle server.
func (s *Scenario) SetQuiet(quiet *report.Quiet) {
	s.results.change(func() { s.Report.Quiet = quiet })
}

// SetSearch stores the progress of a search.
func (s *Scenario) SetSearch(search *report.Search) {
	s.results.change(func() { s.Report.Search = search })
}

// Save writes the journal.
func (s *Scenario) Save() { s.results.journal(s.Report, false, s.Test.Test) }

// Push sends samples of the scenario.
func (s *Scenario) Push(samples metrics.Samples) { s.metrics.Push(s.out, samples) }

// End closes the report, judges its gates and saves it.
func (s *Scenario) End(interrupted bool) {
	s.stopEvents()
	s.results.change(func() { s.Report.Interrupted = interrupted })
	s.results.judge(s.Report)
	s.results.journal(s.Report, true, s.Test.Test)
}
