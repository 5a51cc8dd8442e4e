package sweep

import (
	"time"

	"github.com/sirupsen/logrus"
	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/host"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
)

// scenarioStart is what is known of a scenario when it begins.
type scenarioStart struct {
	name string
	// params are the options as the report shows them.
	params map[string]any
	// sweep is nil where k6's own executors run the scenario, and sweep.op counts its operations.
	sweep thresholdSweep
	// tags are those of all of the scenario's samples.
	tags    *metrics.TagSet
	out     chan<- metrics.SampleContainer
	metrics *sweepMetrics
	test    *lib.ExecutionState
	logger  logrus.FieldLogger
}

// sweptScenario is a scenario that has a report. Whoever measures it, the executor client-sweep or
// one of k6's own, it is assembled, kept on the disk, judged, and marked as failed here.
type sweptScenario struct {
	thresholdScenario

	results *results
	out     chan<- metrics.SampleContainer
	metrics *sweepMetrics
	logger  logrus.FieldLogger
}

// begin begins a scenario and keeps its report. It returns an error when nobody could read that in
// the end: nothing is to be measured then.
func (r *results) begin(start scenarioStart) (*sweptScenario, error) {
	s := r.newScenario(start)
	if err := s.keep(); err != nil {
		r.forget(s.report)

		return nil, err
	}

	return s, nil
}

// newScenario begins a scenario whose report is not yet kept on the disk.
func (r *results) newScenario(start scenarioStart) *sweptScenario {
	return &sweptScenario{
		thresholdScenario: thresholdScenario{
			report: r.addReport(start.name, start.params), sweep: start.sweep, tags: start.tags, test: start.test,
		},
		results: r, out: start.out, metrics: start.metrics, logger: start.logger,
	}
}

// keep begins to keep the report on the disk.
func (s *sweptScenario) keep() error { return s.results.keepReport(s.report, s.test.Test) }

// await adds the scenario to those that are judged when the test ends, and a task of its own for
// that moment, which may be nil.
func (s *sweptScenario) await(events common.Events, task func()) {
	s.results.testEnd.await(events, s, task)
}

// live sends the metrics of a step, which has tags of its own.
func (s *sweptScenario) live(step stream.Step, own map[string]string) *liveMetrics {
	step.Scenario, step.Target = s.report.Scenario, s.results.kindOf(s.report)

	return newLiveMetrics(s.metrics, s.out, s.tags.WithTagsFromMap(own), step)
}

// server is that of the scenario's target, when it runs on this machine; else nil.
func (s *sweptScenario) server() *host.Server { return s.results.serverProcess(s.report.Scenario) }

// add adds steps that have ended to the report.
func (s *sweptScenario) add(steps []report.Step) { s.results.add(s.report, steps) }

// drop takes the last n steps out of the report.
func (s *sweptScenario) drop(n int) { s.results.drop(s.report, n) }

// quieted keeps how the wait for a quiet target has ended.
func (s *sweptScenario) quieted(quiet *report.Quiet) {
	s.results.change(func() { s.report.Quiet = quiet })
}

// searched keeps how far a search has come.
func (s *sweptScenario) searched(search *report.Search) {
	s.results.change(func() { s.report.Search = search })
}

// save writes what the scenario has done so far to the disk.
func (s *sweptScenario) save() { s.results.journal(s.report, false, s.test.Test) }

// saveSeldom does so every now and then. Nobody waits for it.
func (s *sweptScenario) saveSeldom() { s.results.batch(s.report, s.test.Test) }

// push sends samples of the scenario.
func (s *sweptScenario) push(samples metrics.Samples) { s.metrics.push(s.out, samples) }

// pushZero sends that no step of the scenario is incomplete but those that were told before.
func (s *sweptScenario) pushZero(at time.Time) {
	s.push(metrics.Samples{{
		TimeSeries: metrics.TimeSeries{Metric: s.metrics.incomplete, Tags: s.tags}, Time: at, Value: 0,
	}})
}

// end closes the report, judges its gates and saves it: nothing more will be measured.
func (s *sweptScenario) end(interrupted bool) {
	s.results.change(func() { s.report.Interrupted = interrupted })
	s.push(s.metrics.gates(s.results.judge(s.report, s.logger), s.tags))
	s.results.journal(s.report, true, s.test.Test)
}
