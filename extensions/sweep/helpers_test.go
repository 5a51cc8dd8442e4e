package sweep_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/grafana/sobek"
	"github.com/sirupsen/logrus"
	logtest "github.com/sirupsen/logrus/hooks/test"
	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/js/modulestest"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/testutil"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/executor"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/jsmodule"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/testrun"
)

// testSweep is an executor client-sweep in its own test run, with VUs like k6's. Use it inside of a
// synctest bubble: there times are exact, and blocked clients and leaked goroutines fail the test.
type testSweep struct {
	*testing.T

	State    *lib.ExecutionState
	Executor lib.Executor
	Out      chan metrics.SampleContainer
	logs     *logtest.Hook
	VUs      []*testVU
}

// newSweep prepares the executor and its VUs. Each VU runs script in every iteration; see testVU.
func newSweep(t *testing.T, config, script string) *testSweep {
	t.Helper()

	return newSegment(t, config, script, testutil.Tuple(t, "", ""))
}

// newSegment is newSweep in an execution segment.
func newSegment(t *testing.T, config, script string, et *lib.ExecutionTuple) *testSweep {
	t.Helper()
	s, err := newWithOptions(t, config, script, et, lib.Options{})
	require.NoError(t, err)

	return s
}

// newWithOptions also takes options of the test, and returns an error of the new executor.
func newWithOptions(t *testing.T, config, script string, et *lib.ExecutionTuple, options lib.Options) (*testSweep, error) {
	t.Helper()
	logger, logs := logtest.NewNullLogger()
	registry := metrics.NewRegistry()
	s := &testSweep{T: t, Out: make(chan metrics.SampleContainer, 10_000), logs: logs}
	scenario := scenarioOf(t, "rollup", config)
	require.Empty(t, scenario.Validate())

	planned := lib.GetMaxPlannedVUs(scenario.GetExecutionRequirements(et))
	s.State = lib.NewExecutionState(&lib.TestRunState{
		TestPreInitState: &lib.TestPreInitState{Registry: registry, Logger: logger},
		RunTags:          registry.RootTagSet().With("run", "7"),
		Options:          options,
	}, et, planned, planned)
	for range planned {
		vu := newTestVU(t, s, script)
		s.VUs = append(s.VUs, vu)
		s.State.AddInitializedVU(vu)
	}

	var err error
	if s.Executor, err = scenario.NewExecutor(s.State, logrus.NewEntry(logger)); err != nil {
		return nil, err
	}
	require.NoError(t, s.Executor.Init(t.Context()))

	return s, nil
}

// parseOptions reads the options of a scenario.
func parseOptions(t *testing.T, json string) *executor.Config {
	t.Helper()
	c, err := executor.Read("rollup", []byte(json))
	require.NoError(t, err)

	return c
}

// scenarioOf reads the options of a scenario as k6 does.
func scenarioOf(t *testing.T, name, json string) lib.ExecutorConfig {
	t.Helper()
	c, err := executor.NewConfig(name, []byte(json))
	require.NoError(t, err)

	return c
}

// Run runs the executor to its end and checks general invariants.
func (s *testSweep) Run(ctx context.Context) (*report.Report, error) {
	s.Helper()
	err := s.Executor.Run(ctx, s.Out)
	require.Zero(s, s.State.GetCurrentlyActiveVUsCount(), "all VUs are given back")
	for _, vu := range s.VUs {
		require.Zero(s, vu.active.Load(), "no VU is given back before it is deactivated")
	}
	reports := testrun.Of(s.State.Test.Registry).Reports()
	require.Len(s, reports, 1)

	return reports[0], err
}

// Calls returns the number of iterations of all VUs.
func (s *testSweep) Calls() (n int) {
	for _, vu := range s.VUs {
		n += int(vu.Script.Get("calls").ToInteger())
	}

	return n
}

// Warnings returns the logged warnings and errors.
func (s *testSweep) Warnings() (out []string) {
	for _, e := range s.logs.AllEntries() {
		if e.Level <= logrus.WarnLevel {
			out = append(out, e.Message)
		}
	}

	return out
}

// sentSample is a sample that was sent.
type sentSample struct {
	Value float64
	At    time.Time
	Tags  map[string]string
}

// Sent returns all samples by metric.
func (s *testSweep) Sent() map[string][]sentSample {
	out := map[string][]sentSample{}
	for {
		select {
		case container := <-s.Out:
			for _, x := range container.GetSamples() {
				out[x.Metric.Name] = append(out[x.Metric.Name], sentSample{x.Value, x.Time, x.Tags.Map()})
			}
		default:
			return out
		}
	}
}

// valuesOf returns the values of the samples with these tags, in order.
func valuesOf(samples []sentSample, tags map[string]string) (values []float64) {
	for _, s := range samples {
		if maps.Equal(s.Tags, tags) {
			values = append(values, s.Value)
		}
	}

	return values
}

// sum adds up values.
func sum(values []float64) (sum float64) {
	for _, v := range values {
		sum += v
	}

	return sum
}

// testVU is a VU that runs JavaScript with k6/x/sweep. A script may use
//
//	calls     number of the iteration              sweep     the module
//	sleep(ms) throws when it is cut off            abort()   like k6/execution's test.abort
//	tag(name) the VU's current tag                 hang()    until the context is done, then throws
//	onEnd()   notes the end of the client's session
//	check(name, ok)  pushes the sample of k6's check
//	answered(status) pushes the samples of k6's http for a GET; 0: no answer
type testVU struct {
	modulestest.VU

	id      uint64
	Script  *sobek.Runtime
	fn      sobek.Callable
	runTag  *metrics.TagSet
	active  atomic.Int64 // number of active activations
	Ended   []int64      // for each session that called onEnd: activations at its end
	EndedAt []time.Time  // times of these ends
	Numbers []uint64
}

func newTestVU(t *testing.T, s *testSweep, script string) *testVU {
	t.Helper()
	local, global := s.State.GetUniqueVUIdentifiers()
	vu := &testVU{id: local, Script: sobek.New(), runTag: s.State.Test.RunTags}
	vu.Script.SetFieldNameMapper(common.FieldNameMapper{})
	vu.RuntimeField = vu.Script
	vu.CtxField = t.Context()
	vu.InitEnvField = &common.InitEnvironment{TestPreInitState: s.State.Test.TestPreInitState}
	instance := instanceOf(t, &vu.VU)
	vu.InitEnvField = nil
	vu.StateField = &lib.State{
		VUID: local, VUIDGlobal: global, Samples: s.Out, Logger: s.State.Test.Logger,
		Tags:           lib.NewVUStateTags(s.State.Test.RunTags),
		BuiltinMetrics: metrics.RegisterBuiltinMetrics(s.State.Test.Registry),
		Options:        lib.Options{SystemTags: &metrics.DefaultSystemTagSet},
	}

	wait := func(done <-chan time.Time) error {
		select {
		case <-done:
			return nil
		case <-vu.Context().Done():
			return errors.New("cut short")
		}
	}
	for name, value := range map[string]any{
		"sweep": instance.Exports().Default,
		"calls": 0,
		"vu":    local,
		"sleep": func(ms int) error { return wait(time.After(time.Duration(ms) * time.Millisecond)) },
		"onEnd": func() {
			k6x.SessionOf(vu).AtEnd(func() {
				vu.Ended, vu.EndedAt = append(vu.Ended, vu.active.Load()), append(vu.EndedAt, time.Now())
			})
		},
		"hang":  func() error { return wait(nil) },
		"check": func(name string, ok bool) { vu.push(vu.StateField.BuiltinMetrics.Checks, ok, "check", name) },
		"answered": func(status int) {
			vu.push(vu.StateField.BuiltinMetrics.HTTPReqFailed, status < 200 || status > 399,
				"method", "GET", "url", "http://h/", "status", fmt.Sprint(status))
		},
		"abort": func() { vu.Script.Interrupt(&errext.InterruptError{Reason: errext.AbortTest}) },
		"tag": func(name string) string {
			value, _ := vu.StateField.Tags.GetCurrentValues().Tags.Get(name)

			return value
		},
	} {
		require.NoError(t, vu.Script.Set(name, value))
	}
	fn, err := vu.Script.RunString("(function () { calls++\n" + script + "\n})")
	require.NoError(t, err)
	vu.fn, _ = sobek.AssertFunction(fn)

	return vu
}

func instanceOf(t *testing.T, vu modules.VU) modules.Instance {
	t.Helper()

	return jsmodule.New().NewModuleInstance(vu)
}

// push pushes a sample as k6's modules do. tags alternate names and values.
func (vu *testVU) push(metric *metrics.Metric, value bool, tags ...string) {
	set := vu.StateField.Tags.GetCurrentValues().Tags
	for tag := range slices.Chunk(tags, 2) {
		set = set.With(tag[0], tag[1])
	}
	metrics.PushIfNotDone(vu.CtxField, vu.StateField.Samples, metrics.Sample{
		TimeSeries: metrics.TimeSeries{Metric: metric, Tags: set}, Time: time.Now(), Value: metrics.B(value),
	})
}

// GetID returns the VU's id.
func (vu *testVU) GetID() uint64 { return vu.id }

// Activate behaves like k6's VU.
func (vu *testVU) Activate(params *lib.VUActivationParams) lib.ActiveVU {
	vu.active.Add(1)
	vu.Script.ClearInterrupt()
	vu.StateField.Tags.Modify(func(t *metrics.TagsAndMeta) {
		t.Tags = vu.runTag.WithTagsFromMap(params.Tags).With("scenario", params.Scenario)
	})
	vu.CtxField = params.RunContext
	active := &activeVU{testVU: vu, params: params, busy: make(chan struct{}, 1)}
	context.AfterFunc(params.RunContext, func() {
		vu.Script.Interrupt(context.Canceled)
		active.busy <- struct{}{}
		time.Sleep(time.Nanosecond) // a VU takes time to end, and callers have to wait
		vu.active.Add(-1)
		params.DeactivateCallback(vu)
	})

	return active
}

type activeVU struct {
	*testVU

	params *lib.VUActivationParams
	busy   chan struct{}
}

// RunOnce behaves like k6's VU.
func (vu *activeVU) RunOnce() error {
	select {
	case <-vu.params.RunContext.Done():
		return vu.params.RunContext.Err()
	case vu.busy <- struct{}{}:
	}
	defer func() { <-vu.busy }()
	_, global := vu.params.GetNextIterationCounters()
	vu.Numbers = append(vu.Numbers, global)

	ctx, cancel := context.WithCancel(vu.params.RunContext)
	defer cancel()
	vu.CtxField = ctx
	_, err := vu.fn(sobek.Undefined())
	var interrupted *sobek.InterruptedError
	if errors.As(err, &interrupted) {
		if abort, ok := interrupted.Value().(*errext.InterruptError); ok {
			abort.Reason = interrupted.Error()

			return abort
		}
	}
	if err != nil {
		return fmt.Errorf("script: %w", err)
	}

	return nil
}

// thresholdsOfTest parses the thresholds of a test's options.
func thresholdsOfTest(t *testing.T, of map[string][]string) map[string]metrics.Thresholds {
	t.Helper()
	thresholds := map[string]metrics.Thresholds{}
	for name, expressions := range of {
		parsed := metrics.NewThresholds(expressions)
		require.NoError(t, parsed.Parse())
		thresholds[name] = parsed
	}

	return thresholds
}
