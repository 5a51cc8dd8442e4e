// Package output is k6's output sweep: it makes a sweep's report of any k6 script.
//
// A plan has the scenarios and their stages. The output assigns each of k6's samples to an
// operation of a step, and counts it in a measure.Series. At the end, after k6 has judged its
// thresholds, it makes the report, judges the gates and writes the files.
package output

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/sirupsen/logrus"
	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/errext/exitcodes"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"
	"go.k6.io/k6/v2/output"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/executor"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/testrun"
)

// Name of the output in k6 run -o.
const Name = "sweep"

func init() { //nolint:gochecknoinits // k6's way of registering extensions
	output.RegisterExtension(Name, New)
}

// Limits on memory.
const (
	mostBytes     = 40 << 20 // limit for all series together
	mostOverTime  = 64       // series with figures over time
	mostMeanings  = 16_384   // cached meanings of time series
	mostChecks    = 500
	weighEvery    = time.Second
	leaveOfMemory = 0.9 // share of mostBytes that may stay in use after a merge
)

// Output makes a report from k6's samples.
type Output struct {
	config Config
	params output.Params
	logger logrus.FieldLogger
	plan   *plan
	// state has k6's metrics, to detect failures.
	state      *lib.State
	hasStatus  bool
	thresholds map[string]metrics.Thresholds

	// testStart is when k6 started the test, before setup, in Unix ns; zero: unknown.
	testStart atomic.Int64
	setupEnd  time.Time
	// starts is the start of scenarios without startTime; zero: not yet.
	starts time.Time
	last   time.Time

	meanings map[metrics.TimeSeries]meaning
	// known has k6's metrics with samples, by name.
	known     map[string]*metrics.Metric
	sums      map[string]*sum
	vus       vus
	ops       int // kinds of operations with a series
	overTime  int // series with figures over time
	tooMany   bool
	mostBytes int
	weighed   time.Time

	// marked collects the report's marks. stopEvents ends that.
	marked     report.Report
	stopEvents func()
}

var (
	_ output.WithStopWithTestError = &Output{}
	_ output.WithThresholds        = &Output{}
	_ output.WithBuiltinMetrics    = &Output{}
)

// New returns the output, or an error for invalid settings.
func New(params output.Params) (output.Output, error) {
	o, err := newOutput(params)
	if err != nil {
		return nil, errext.WithExitCodeIfNone(fmt.Errorf("-o %s: %w", Name, err), exitcodes.InvalidConfig)
	}

	return o, nil
}

func newOutput(params output.Params) (*Output, error) {
	config, err := newConfig(params)
	if err != nil {
		return nil, err
	}
	p, err := newPlan(params.ScriptOptions, config)
	if err != nil {
		return nil, err
	}
	if len(p.scenarios) == 0 && len(p.sweeps) > 0 {
		return nil, fmt.Errorf("leave it out: the script is a sweep (%s), which writes its own report; -e RESULTS=DIR sets the folder",
			strings.Join(slices.Sorted(maps.Keys(p.sweeps)), ", "))
	}
	if p.sweeps[config.Name] {
		return nil, fmt.Errorf("the sweep %s has a report of that name: give name=%s-script", config.Name, config.Name)
	}
	logger := params.Logger.WithField("output", Name)
	if g := config.Gates; g != nil {
		if missing := cmp.Or(g.NoBaseline(), g.NoBase()); missing != "" {
			logger.Warnf("gates: %s", missing)
		}
	}
	tags := params.ScriptOptions.SystemTags

	return &Output{
		config: config, params: params, logger: logger, plan: p,
		state:     &lib.State{},
		hasStatus: tags == nil || tags.Has(metrics.TagStatus),
		meanings:  map[metrics.TimeSeries]meaning{}, known: map[string]*metrics.Metric{}, sums: map[string]*sum{},
		mostBytes: mostBytes,
	}, nil
}

// Description shows the report's path.
func (o *Output) Description() string { return fmt.Sprintf("%s (%s)", Name, o.base()) }

func (o *Output) base() string { return filepath.Join(o.config.Dir, o.config.Name) }

// SetThresholds sets k6's thresholds, which k6 updates with their results.
func (o *Output) SetThresholds(thresholds map[string]metrics.Thresholds) { o.thresholds = thresholds }

// SetBuiltinMetrics sets k6's own metrics.
func (o *Output) SetBuiltinMetrics(builtin *metrics.BuiltinMetrics) { o.state.BuiltinMetrics = builtin }

// AddMetricSamples counts samples. k6 calls it from one goroutine, and Stop later.
func (o *Output) AddMetricSamples(containers []metrics.SampleContainer) {
	defer crash.Contain("the output " + Name)
	for _, container := range containers {
		switch c := container.(type) {
		case *stream.Figures: // sweeps have their own reports
		case metrics.Sample: // GetSamples would allocate
			o.take(&c, container)
		default:
			samples := container.GetSamples()
			for i := range samples {
				o.take(&samples[i], container)
			}
		}
	}
	if now := time.Now(); now.Sub(o.weighed) >= weighEvery {
		o.weighed = now
		o.weigh()
	}
}

func (o *Output) take(sample *metrics.Sample, container metrics.SampleContainer) { //nolint:cyclop // one case for each meaning
	m, known := o.meanings[sample.TimeSeries]
	if !known {
		if len(o.meanings) >= mostMeanings {
			clear(o.meanings)
		}
		m = o.meaningOf(sample.TimeSeries)
		o.meanings[sample.TimeSeries] = m
		o.known[sample.Metric.Name] = sample.Metric
	}
	at := sample.Time
	switch {
	case m.vus:
		o.vus.add(at, sample.Value)

		return
	case m.scenario == nil:
		return
	case m.scenario.name == report.InSetup:
		o.setupEnd = at
	}
	if at.After(o.last) {
		o.last = at
	}
	var took time.Duration
	if m.op != "" && !m.untimed {
		took = time.Duration(max(sample.Value, 0) * float64(time.Millisecond))
	}
	if m.socket {
		if end := at.Add(took); !end.After(time.Now()) { // k6/ws uses the start time of sessions
			at = end
		}
	}
	since := at.Sub(o.startOf(m.scenario, at, took))
	if m.iterations {
		m.scenario.done += int64(sample.Value)
	}
	if m.scenario.planned && since < o.config.Skip && !m.dropped {
		return
	}
	for _, s := range m.sums {
		s.add(at, sample.Value)
	}
	step := m.scenario.stepOf(since)
	switch {
	case m.dropped:
		step.dropped += uint64(sample.Value)
	case m.op != "":
		if at.After(step.last) {
			step.last = at
		}
		if why := sample.Metadata[stream.MetadataError]; m.failed != "" && why != "" {
			m.failed = why
		}
		o.count(step, &m, since-step.begins, took, container)
	}
}

// startOf returns the start of a scenario. at and took are the end and the duration of one of its
// operations.
func (o *Output) startOf(s *scenario, at time.Time, took time.Duration) time.Time {
	if s.name == report.InSetup || s.name == report.InTeardown {
		if began := at.Add(-took); s.began.IsZero() || began.Before(s.began) {
			s.began = began
		}

		return s.began
	}
	if o.starts.IsZero() {
		o.starts = o.setupEnd
		if o.starts.IsZero() {
			o.starts = time.Unix(0, o.testStart.Load())
		}
		if o.testStart.Load() == 0 && o.setupEnd.IsZero() { // in a test without k6
			o.starts = at.Add(-took - s.starts)
		}
	}

	return o.starts.Add(s.starts)
}

func (o *Output) count(step *step, m *meaning, at, took time.Duration, container metrics.SampleContainer) {
	failed := m.failed
	if m.asksOthers {
		if err := k6x.Failure(o.state, container, false); err != nil {
			failed = err.Error()
		}
	}
	series := o.series(step, m.op)
	switch {
	case m.untimed:
		series.Fail(at, -1, failed)
	case failed != "":
		series.Fail(at, took, failed)
	default:
		series.Ok(at, took)
	}
}

// series returns the series of a kind of operation, or of OtherOp if there are too many.
func (o *Output) series(s *step, op string) *measure.Series {
	if series := s.series[op]; series != nil {
		return series
	}
	if s.series == nil {
		s.series = map[string]*measure.Series{}
	}
	if o.ops >= o.config.MostOps || o.tooMany {
		o.tooMany = true
		op = report.OtherOp
		if series := s.series[op]; series != nil {
			return series
		}
	} else {
		o.ops++
	}
	overTime := o.overTime < mostOverTime
	if overTime {
		o.overTime++
	}
	s.series[op] = measure.NewSeries(op, s.window(), overTime)

	return s.series[op]
}

// weigh limits the memory of all series: it merges the rarest into OtherOp, and new ones too.
func (o *Output) weigh() {
	type weighed struct {
		step  *step
		op    string
		ended uint64
		bytes int
	}
	var all []weighed
	bytes := 0
	for _, s := range o.plan.scenarios {
		for _, step := range s.steps {
			for op, series := range step.series {
				n := series.Bytes()
				bytes += n
				if op != report.OtherOp {
					all = append(all, weighed{step, op, series.Ended(), n})
				}
			}
		}
	}
	if bytes <= o.mostBytes {
		return
	}
	o.tooMany = true
	slices.SortFunc(all, func(a, b weighed) int { return int(int64(a.ended) - int64(b.ended)) })
	for _, rare := range all {
		if float64(bytes) <= leaveOfMemory*float64(o.mostBytes) {
			break
		}
		series := rare.step.series[rare.op]
		delete(rare.step.series, rare.op)
		o.series(rare.step, report.OtherOp).Absorb(series)
		bytes -= rare.bytes
	}
}

// scenarioOf returns the scenario of a sample with these tags; nil for a sweep.
func (o *Output) scenarioOf(name, group string) *scenario {
	switch {
	case o.plan.sweeps[name]:
		return nil
	case name != "":
	case strings.HasPrefix(group, "::setup"):
		name = report.InSetup
	case strings.HasPrefix(group, "::teardown"):
		name = report.InTeardown
	case len(o.plan.scenarios) == 1 && len(o.plan.sweeps) == 0: // samples have no tag scenario
		for _, s := range o.plan.scenarios {
			return s
		}
	default:
		name = inNone
	}
	s := o.plan.scenarios[name]
	if s == nil {
		s = &scenario{name: name, variant: name, steps: []*step{{clients: 1, repeat: 1}}}
		o.plan.scenarios[name] = s
	}

	return s
}

// sumsOf returns the sums of a metric and, for a check, the sum of the check's name.
func (o *Output) sumsOf(metric *metrics.Metric, check string) []*sum {
	names := []string{metric.Name}
	if check != "" {
		name := metric.Name + "{" + shortened(check) + "}"
		if o.sums[name] == nil && len(o.sums) >= mostChecks {
			name = metric.Name + "{" + report.OtherOp + "}"
		}
		names = append(names, name)
	}
	sums := make([]*sum, 0, len(names))
	for _, name := range names {
		if o.sums[name] == nil {
			o.sums[name] = newSum(name, metric.Type)
		}
		sums = append(sums, o.sums[name])
	}

	return sums
}

// Start starts the output.
func (o *Output) Start() error {
	k6x.OnTestStart(func(at time.Time) { o.testStart.Store(at.UnixNano()) })
	o.stopEvents = measure.OnEvent(func(e measure.Event) { testrun.Mark(&o.marked, e) }) // one by one

	return nil
}

// Stop ends the output of a test without error.
func (o *Output) Stop() error { return o.StopWithTestError(nil) }

// StopWithTestError makes the report, judges the gates and writes the files. k6 has judged its
// thresholds by then.
func (o *Output) StopWithTestError(failed error) error {
	defer crash.Contain("the output " + Name)
	o.stopEvents()
	o.publish(o.report(wasInterrupted(failed)))

	return nil
}

// wasInterrupted reports whether the error means that the test was stopped early.
func wasInterrupted(failed error) bool {
	var abort errext.HasAbortReason

	return errors.As(failed, &abort) && abort.AbortReason() != errext.AbortedByThresholdsAfterTestEnd
}

func (o *Output) report(interrupted bool) *report.Report {
	r := newReport(o.config.Name, o.reportParams())
	if results := testrun.OfBuiltin(o.state.BuiltinMetrics); results != nil {
		results.AddMeta(r)
	}
	r.Interrupted, r.Marks = interrupted, o.marked.Marks
	if !o.starts.IsZero() {
		r.Started = o.starts.UTC()
		r.Script.Seconds = max(o.last.Sub(o.starts), 0).Seconds()
	}
	scenarios := slices.SortedFunc(maps.Values(o.plan.scenarios), func(a, b *scenario) int {
		return strings.Compare(a.name, b.name)
	})
	slices.SortStableFunc(scenarios, func(a, b *scenario) int { return o.began(a).Compare(o.began(b)) })
	for _, s := range scenarios {
		for _, step := range s.steps {
			began := o.began(s)
			step.add(r, s, began, o.last.Sub(began), interrupted)
		}
	}
	if o.tooMany {
		r.Script.MostOps = o.ops
	}
	r.Script.VUs = o.vus.lane()
	for _, name := range slices.Sorted(maps.Keys(o.sums)) {
		r.Script.Metrics = append(r.Script.Metrics, o.sums[name].metric())
	}
	r.Gates = o.thresholdVerdicts()

	return r
}

func (o *Output) began(s *scenario) time.Time {
	if !s.began.IsZero() {
		return s.began
	}

	return o.starts.Add(s.starts)
}

func (o *Output) reportParams() map[string]any {
	params := map[string]any{"scenarios": o.plan.params}
	if o.config.Skip > 0 {
		params["skip"] = o.config.Skip.String()
	}
	if o.config.ByStage {
		params["by"] = "stage"
	}
	if executor.IsPart(o.plan.tuple) {
		params["segment"] = o.plan.tuple.Segment.String()
	}

	return params
}
