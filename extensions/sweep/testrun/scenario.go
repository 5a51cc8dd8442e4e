package testrun

import (
	"strings"

	"github.com/sirupsen/logrus"
	"go.k6.io/k6/v2/errext/exitcodes"
	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/happened"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/host"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/thresholds"
)

// Start is what is known of a scenario when it begins.
type Start struct {
	Name string
	// Params are the options as the report shows them.
	Params map[string]any
	// Sweep has the sweep's options.
	Sweep thresholds.Sweep
	// Tags are those of all of the scenario's samples.
	Tags    *metrics.TagSet
	Out     chan<- metrics.SampleContainer
	Metrics *stream.Metrics
	Test    *lib.ExecutionState
	Logger  logrus.FieldLogger
}

// Scenario is a sweep: its report is assembled, kept on the disk, judged, and marked as failed
// here.
type Scenario struct {
	thresholds.Scenario

	results *Results
	out     chan<- metrics.SampleContainer
	metrics *stream.Metrics
	logger  logrus.FieldLogger
	// deaf ends the report's marks.
	deaf func()
}

// Begin begins a scenario and keeps its report. It returns an error when nobody could read that in
// the end: nothing is to be measured then.
func (r *Results) Begin(start Start) (*Scenario, error) {
	s := r.NewScenario(start)
	if err := r.keepReport(s.Report, start.Test.Test); err != nil {
		s.deaf()
		r.forget(s.Report)

		return nil, err
	}

	return s, nil
}

// NewScenario begins a scenario whose report is not yet kept on the disk.
func (r *Results) NewScenario(start Start) *Scenario {
	rep := r.addReport(start.Name, start.Params)

	return &Scenario{
		Scenario: thresholds.Scenario{Report: rep, Sweep: start.Sweep, Tags: start.Tags, Test: start.Test},
		results:  r, out: start.Out, metrics: start.Metrics, logger: start.Logger,
		deaf: happened.Listen(func(e happened.Event) { r.mark(rep, e) }),
	}
}

// Await adds the scenario to those that are judged when the test ends, and a task of its own for
// that moment, which may be nil.
func (s *Scenario) Await(events common.Events, task func()) {
	s.results.testEnd.await(events, s, task)
}

// Live sends the metrics of a step, which has tags of its own.
func (s *Scenario) Live(step stream.Step, own map[string]string) *stream.Live {
	step.Scenario, step.Target = s.Report.Scenario, s.results.kindOf(s.Report)

	return stream.NewLive(s.metrics, s.out, s.Tags.WithTagsFromMap(own), step)
}

// Server is that of the scenario's target, when it runs on this machine; else nil.
func (s *Scenario) Server() *host.Server { return s.results.serverProcess(s.Report.Scenario) }

// BaseServer is that of the base of a duet: where the script tells of none, it is Server's.
func (s *Scenario) BaseServer() *host.Server { return s.results.baseServer(s.Report.Scenario) }

// Add adds steps that have ended to the report, with their duets. A figure that is no number is a
// fault of what worked it out: it is left out, the log tells of it, and k6 does not exit with 0.
func (s *Scenario) Add(steps []report.Step, duets ...report.Duet) {
	var lost []string
	for i := range steps {
		lost = append(lost, steps[i].DropNotNumbers()...)
	}
	for i := range duets {
		lost = append(lost, duets[i].DropNotNumbers()...)
	}
	if len(lost) > 0 {
		s.logger.Errorf("a fault of k6's extensions: figures of the step are no numbers, and are not in the report: %s", strings.Join(lost, ", "))
		k6glue.FailExit(exitcodes.MarkedAsFailed)
	}
	s.results.add(s.Report, steps, duets)
}

// Quieted keeps how the wait for a quiet target has ended.
func (s *Scenario) Quieted(quiet *report.Quiet) {
	s.results.change(func() { s.Report.Quiet = quiet })
}

// Searched keeps how far a search has come.
func (s *Scenario) Searched(search *report.Search) {
	s.results.change(func() { s.Report.Search = search })
}

// Save writes what the scenario has done so far to the disk.
func (s *Scenario) Save() { s.results.journal(s.Report, false, s.Test.Test) }

// Push sends samples of the scenario.
func (s *Scenario) Push(samples metrics.Samples) { s.metrics.Push(s.out, samples) }

// End closes the report, judges its gates and saves it: nothing more will be measured.
func (s *Scenario) End(interrupted bool) {
	s.deaf()
	s.results.change(func() { s.Report.Interrupted = interrupted })
	s.results.judge(s.Report, s.logger)
	s.results.journal(s.Report, true, s.Test.Test)
}
