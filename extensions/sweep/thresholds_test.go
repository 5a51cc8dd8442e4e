package sweep

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/errext/exitcodes"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/lib/executor"
	"go.k6.io/k6/v2/metrics"
	"gopkg.in/guregu/null.v3"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
)

// thresholdsOfTest are the thresholds of a test's options.
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

// thresholdTest runs a sweep in a test with thresholds, and judges them as k6 does. prepare may
// register more metrics, and send samples of them.
type thresholdTest struct {
	config, script string
	thresholds     map[string][]string
	tuple          *lib.ExecutionTuple
	prepare        func(*sweepTest) []metrics.Sample
}

// run returns which thresholds are crossed, and what was logged of those that were judged on
// nothing.
func (tt thresholdTest) run(t *testing.T) (crossed, logged []string) {
	t.Helper()
	if tt.tuple == nil {
		tt.tuple = tuple(t, "", "")
	}
	options := lib.Options{Thresholds: thresholdsOfTest(t, tt.thresholds)}
	s, err := newOptionsTest(t, tt.config, tt.script, tt.tuple, options)
	require.NoError(t, err)
	var more []metrics.Sample
	if tt.prepare != nil {
		more = tt.prepare(s)
	}
	registry := s.state.Test.Registry
	judged := k6glue.ThresholdsOf(options.Thresholds, registry)
	for _, j := range judged {
		j.Metric.Thresholds = options.Thresholds[j.Name]
	}

	_, err = s.run(t.Context())
	require.NoError(t, err)
	if len(more) > 0 {
		s.out <- metrics.Samples(more)
	}
	m, err := registerMetrics(registry)
	require.NoError(t, err)
	resultsOf(registry).testEnd.run(m)
	s.ingest()
	for _, j := range judged {
		held, err := j.Metric.Thresholds.Run(j.Metric.Sink, time.Minute)
		require.NoError(t, err)
		if !held {
			crossed = append(crossed, j.Name)
		}
	}
	for _, line := range s.warnings() {
		if len(line) > 10 && line[:10] == "threshold " {
			logged = append(logged, line)
		}
	}

	return crossed, logged
}

// ingest takes all samples as k6's ingester does.
func (s *sweepTest) ingest() {
	for {
		select {
		case container := <-s.out:
			for _, sample := range container.GetSamples() {
				sample.Metric.Sink.Add(sample)
				for _, sub := range sample.Metric.Submetrics {
					if sample.Tags.Contains(sub.Tags) {
						sub.Metric.Sink.Add(sample)
					}
				}
			}
		default:
			return
		}
	}
}

func TestThresholdsWithoutSamplesAreRefused(t *testing.T) {
	registerDurations(t)
	const plain = `{"clients": [1, 8, 64], "iterations": 10, "tags": {"kind": "x"}}`
	const open = `{"rate": [100, 1000], "preAllocatedVUs": 4, "duration": "1s"}`
	const find = `{"find": {"max": 64, "min": 2, "p99": "5ms"}, "duration": "1s"}`
	beside := map[string]lib.ExecutorConfig{"ramp": executor.NewRampingVUsConfig("ramp")}
	for name, tt := range map[string]struct {
		config, threshold string
		beside            map[string]lib.ExecutorConfig
		problem           string // empty: it is accepted
	}{
		"any step":                 {config: plain, threshold: "sweep_p99"},
		"a step":                   {config: plain, threshold: "sweep_p99{clients:64}"},
		"no such step":             {config: plain, threshold: "sweep_p99{clients:61}", problem: "no sample has clients:61; there are clients 1, 8, 64"},
		"of a counter":             {config: plain, threshold: "sweep_failed{clients:61}", problem: "no sample has clients:61; there are clients 1, 8, 64"},
		"no such tag":              {config: plain, threshold: "sweep_p99{client:64}", problem: "no sample has the tag client; there are clients, kind, op, run, scenario; did you mean clients?"},
		"a phase":                  {config: plain, threshold: "sweep_p99{phase:measure}", problem: "no sample has the tag phase; there are clients, kind, op, run, scenario"},
		"a tag of the run":         {config: plain, threshold: "sweep_p99{run:7,clients:8}"},
		"another run":              {config: plain, threshold: "sweep_p99{run:8}", problem: "no sample has run:8; there are run 7"},
		"a tag of the scenario":    {config: plain, threshold: "sweep_p99{ kind : 'x', clients:8}"},
		"another scenario":         {config: plain, threshold: "sweep_p99{scenario:other,clients:8}", problem: "no sample has scenario:other; there are scenario rollup"},
		"no rate":                  {config: plain, threshold: "sweep_p99{rate:100}", problem: "no sample has the tag rate; there are clients, kind, op, run, scenario"},
		"any operation":            {config: plain, threshold: "sweep_p99{op:own}"},
		"a named operation":        {config: `{"clients": [1], "iterations": 1, "ops": ["get", "set"]}`, threshold: "sweep_p99{op:get}"},
		"no such operation":        {config: `{"clients": [1], "iterations": 1, "ops": ["get", "set"]}`, threshold: "sweep_p99{op:own}", problem: "no sample has op:own; there are op get, set"},
		"a slip":                   {config: `{"clients": [1], "iterations": 1, "ops": ["lookup", "set"]}`, threshold: "sweep_p99{op:lokup}", problem: "no sample has op:lokup; there are op lookup, set; did you mean lookup?"},
		"nobody may name them":     {config: `{"clients": [1], "iterations": 1, "ops": ["get", "set"]}`, threshold: "sweep_p99{op:rollup}"},
		"clients have no op":       {config: plain, threshold: "sweep_clients_done{op:get}", problem: "no sample has the tag op; there are clients, kind, run, scenario"},
		"steps have no op":         {config: plain, threshold: "sweep_incomplete{op:get}", problem: "no sample has the tag op; there are clients, kind, run, scenario"},
		"a rate":                   {config: open, threshold: "sweep_p99{rate:1000}"},
		"no such rate":             {config: open, threshold: "sweep_p99{rate:500}", problem: "no sample has rate:500; there are rate 100, 1000"},
		"clients of a rate":        {config: open, threshold: "sweep_p99{rate:100,clients:4}"},
		"no such clients":          {config: open, threshold: "sweep_p99{rate:100,clients:5}", problem: "no sample has clients:5; there are clients 4"},
		"a step of a search":       {config: find, threshold: "sweep_p99{clients:17}"},
		"a step beyond a search":   {config: find, threshold: "sweep_p99{clients:65}", problem: "no sample has clients:65; there are clients 2 to 64"},
		"no number":                {config: find, threshold: "sweep_p99{clients:all}", problem: "no sample has clients:all; there are clients 2 to 64"},
		"raw samples":              {config: `{"clients": [1], "iterations": 1, "raw": true}`, threshold: "sweep_duration{clients:1}"},
		"no raw samples":           {config: plain, threshold: "sweep_duration", problem: "the metric has samples with raw: true only; sweep_p50 to sweep_max are there without"},
		"a module's durations":     {config: plain, threshold: "cache_op_duration{operation:get}", problem: notSentInSweep},
		"those of setup":           {config: plain, threshold: "cache_op_duration{group:::setup}"},
		"a variant":                {config: `{"clients": [1], "iterations": 1, "variants": ["a", "b"]}`, threshold: "sweep_p99{variant:a}"},
		"no such variant":          {config: `{"clients": [1], "iterations": 1, "variants": ["a", "b"]}`, threshold: "sweep_p99{variant:c}", problem: "no sample has variant:c; there are variant a, b"},
		"a gate":                   {config: plain, threshold: "sweep_gate{gate:any}"},
		"not the sweep's":          {config: plain, threshold: "other{clients:61}"},
		"of another executor":      {config: plain, threshold: "sweep_p99{scenario:ramp,op:own}", beside: beside},
		"it has no steps":          {config: plain, threshold: "sweep_p99{clients:61}", beside: beside, problem: "no sample has clients:61; there are clients 1, 8, 64"},
		"nor single durations":     {config: plain, threshold: "sweep_duration", beside: beside, problem: "the metric has samples with raw: true only; sweep_p50 to sweep_max are there without"},
		"it may call the module":   {config: plain, threshold: "cache_op_duration{operation:get}", beside: beside},
		"which of two sweeps":      {config: plain, threshold: "sweep_p99{clients:8}", beside: sweepBeside(t)},
		"the other one":            {config: plain, threshold: "sweep_p99{clients:7}", beside: sweepBeside(t)},
		"the step of another one":  {config: plain, threshold: "sweep_p99{clients:7,scenario:rollup}", beside: sweepBeside(t), problem: "no sample has clients:7; there are clients 1, 8, 64"},
		"of neither":               {config: plain, threshold: "sweep_p99{clients:6}", beside: sweepBeside(t), problem: "no sample has clients:6; there are clients 7, 8, 1, 64"},
		"a scenario that is not":   {config: plain, threshold: "sweep_p99{scenario:fourth}", beside: sweepBeside(t), problem: "no sample has scenario:fourth; there are scenario other, rollup"},
		"with what is not of both": {config: plain, threshold: "sweep_p99{clients:7,kind:x}", beside: sweepBeside(t), problem: "no sample has the tag kind; there are clients, op, run, scenario"},
	} {
		t.Run(name, func(t *testing.T) {
			config := parse(t, tt.config)
			options := lib.Options{Thresholds: thresholdsOfTest(t, map[string][]string{tt.threshold: {"value<10"}})}
			if tt.beside != nil {
				options.Scenarios = lib.ScenarioConfigs{"rollup": config}
				for name, other := range tt.beside {
					options.Scenarios[name] = other
				}
			}
			registry := metrics.NewRegistry()
			_, err := registerMetrics(registry)
			require.NoError(t, err)
			registry.MustNewMetric("cache_op_duration", metrics.Trend, metrics.Time)
			registry.MustNewMetric("other", metrics.Gauge)
			test := &lib.TestRunState{
				TestPreInitState: &lib.TestPreInitState{Registry: registry},
				Options:          options, RunTags: registry.RootTagSet().With("run", "7"),
			}
			err = resultsOf(registry).checkThresholds(config, test)
			if tt.problem == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, "threshold "+tt.threshold+": "+tt.problem)
			}
			test.RuntimeOptions.NoThresholds = null.BoolFrom(true)
			require.NoError(t, resultsOf(registry).checkThresholds(config, test), "k6 looks at none")
		})
	}
}

// registerDurations makes a metric of a module's single durations known.
func registerDurations(t *testing.T) {
	t.Helper()
	runtime, _ := newModule(t)
	env := runtime.VU.InitEnvField
	env.BuiltinMetrics = metrics.RegisterBuiltinMetrics(env.Registry)
	_, err := k6glue.NewDurations(env.Registry, "cache_op_duration")
	require.NoError(t, err)
}

func sweepBeside(t *testing.T) map[string]lib.ExecutorConfig {
	t.Helper()
	other, err := newConfig("other", []byte(`{"executor": "client-sweep", "clients": [7, 8], "iterations": 10}`))
	require.NoError(t, err)

	return map[string]lib.ExecutorConfig{"other": other}
}

func TestThresholdsWithoutSamplesEndTheRunBeforeItBegins(t *testing.T) {
	_, err := newOptionsTest(t, `{"clients": [1, 8], "iterations": 10}`, ``, tuple(t, "", ""), lib.Options{
		Thresholds: thresholdsOfTest(t, map[string][]string{"sweep_p99{clients:61}": {"value<10"}, "sweep_max{clients:9}": {"value<10"}}),
	})
	require.EqualError(t, err, "threshold sweep_max{clients:9}: no sample has clients:9; there are clients 1, 8; "+
		"threshold sweep_p99{clients:61}: no sample has clients:61; there are clients 1, 8")
	var code errext.HasExitCode
	require.ErrorAs(t, err, &code)
	require.Equal(t, exitcodes.InvalidConfig, code.ExitCode())
}

// Two kinds of operation, of 40 and of 2 ms, at each number of clients; those of 4 clients take as
// much longer.
const twoKinds = `sweep.run(() => {
	const n = Number(tag('clients'))
	sweep.op('a_slow', () => sleep(40 * n))
	sweep.op('quick', () => sleep(2 * n))
})`

func TestThresholdsJudgeTheWorstOfAllSteps(t *testing.T) {
	for name, tt := range map[string]struct {
		clients    string
		thresholds map[string][]string
		crossed    []string
	}{
		"the worst operation, although another one comes last": {
			"[1]",
			map[string][]string{
				"sweep_p99": {"value<39"}, "sweep_mean": {"value<41", "value>39"}, "sweep_p99{op:quick}": {"value<3"}, "sweep_p50{op:a_slow}": {"value<39"},
				"sweep_ops_per_second": {"value>20"},
			},
			[]string{"sweep_p50{op:a_slow}", "sweep_p99"},
		},
		"the worst step, although another one comes last": {
			"[4, 1]",
			map[string][]string{
				"sweep_p99": {"value<159"}, "sweep_max": {"value<161"}, "sweep_p99{op:quick}": {"value<7"}, "sweep_p99{op:quick,clients:1}": {"value<3"},
				"sweep_p99{clients:1}": {"value<41"}, "sweep_p90{scenario:rollup,run:7}": {"value<159"},
			},
			[]string{"sweep_p90{scenario:rollup,run:7}", "sweep_p99", "sweep_p99{op:quick}"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				crossed, logged := thresholdTest{
					config: `{"clients": ` + tt.clients + `, "iterations": 2000, "pause": "0s"}`, script: twoKinds, thresholds: tt.thresholds,
				}.run(t)
				require.Equal(t, tt.crossed, crossed)
				require.Empty(t, logged)
			})
		})
	}
}

func TestThresholdsJudgeTheMedianOfTheRepeats(t *testing.T) {
	for name, tt := range map[string]struct {
		repeats string // how long an operation takes in each of them, ms
		crossed []string
	}{
		"the last one is the best":  {"[30, 30, 1]", []string{"sweep_ops_per_second", "sweep_p99", "sweep_p99{clients:1}"}},
		"the last one is the worst": {"[1, 1, 30]", nil},
		"the first one is":          {"[30, 1, 1]", nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				crossed, _ := thresholdTest{
					config: `{"clients": [1], "iterations": 2000, "repeats": 3, "pause": "0s"}`,
					script: `sweep.run(() => sleep(` + tt.repeats + `[calls - 1]))`,
					thresholds: map[string][]string{
						"sweep_p99": {"value<10"}, "sweep_p99{clients:1}": {"value<10"}, "sweep_ops_per_second": {"value>100"},
					},
				}.run(t)
				require.Equal(t, tt.crossed, crossed)
			})
		})
	}
}

// A variant is no repeat of another one.
func TestThresholdsJudgeEachVariant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		crossed, _ := thresholdTest{
			config: `{"clients": [1], "iterations": 2000, "repeats": 3, "variants": ["a", "b", "c"], "pause": "0s"}`,
			script: `const name = sweep.variant(); sweep.run(() => sleep(name === 'b' ? 30 : 1))`,
			thresholds: map[string][]string{
				"sweep_p99": {"value<10"}, "sweep_p99{variant:a}": {"value<10"}, "sweep_p99{variant:b}": {"value<10"}, "sweep_p99{op:c}": {"value<10"},
			},
		}.run(t)
		require.Equal(t, []string{"sweep_p99", "sweep_p99{variant:b}"}, crossed)
	})
}

func TestThresholdsWithoutASuccessfulOperationNeverHold(t *testing.T) {
	all := map[string][]string{
		"sweep_max": {"value<10"}, "sweep_ops_per_second": {"value>=0"}, "sweep_duration": {"p(99)<10"}, "sweep_failed": {"count<1000"},
		"sweep_max{clients:1}": {"value<10"}, "http_req_duration": {"p(95)<500"}, "http_reqs": {"rate>1", "count>0"}, "checks": {"rate<0.1"},
	}
	for name, tt := range map[string]struct {
		script  string
		crossed []string
		logged  string
	}{
		"none": {
			`sweep.run(() => { sleep(1); throw 'no' })`,
			[]string{"http_req_duration", "http_reqs", "sweep_duration", "sweep_max", "sweep_max{clients:1}", "sweep_ops_per_second"},
			"threshold sweep_max 'value<10' cannot hold: no operation succeeded of rollup with 2 clients",
		},
		"none in one step": {
			`const n = tag('clients'); sweep.run(() => { sleep(1); if (tag('clients') === '2') throw 'no' })`,
			[]string{"sweep_duration", "sweep_max", "sweep_ops_per_second"},
			"threshold sweep_max 'value<10' cannot hold: no operation succeeded of rollup with 2 clients",
		},
		"some": {`let n = 0; sweep.run(() => { sleep(1); if (n++ % 2) throw 'no' })`, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				crossed, logged := thresholdTest{
					config: `{"clients": [1, 2], "iterations": 20, "raw": true, "pause": "0s"}`, script: tt.script, thresholds: all,
					prepare: func(s *sweepTest) (samples []metrics.Sample) { // of requests, which k6 times also when they fail
						registry := s.state.Test.Registry
						for _, metric := range []*metrics.Metric{
							registry.MustNewMetric("http_req_duration", metrics.Trend, metrics.Time),
							registry.MustNewMetric("http_reqs", metrics.Counter), registry.MustNewMetric("checks", metrics.Rate),
						} {
							for range 100 {
								series := metrics.TimeSeries{Metric: metric, Tags: s.state.Test.RunTags}
								value := 1.0
								if metric.Type == metrics.Rate {
									value = 0
								}
								samples = append(samples, metrics.Sample{TimeSeries: series, Time: time.Now(), Value: value})
							}
						}

						return samples
					},
				}.run(t)
				require.Equal(t, tt.crossed, crossed)
				if tt.logged != "" {
					require.Contains(t, logged, tt.logged)
				} else {
					require.Empty(t, logged)
				}
			})
		})
	}
}

// With fewer than ten operations beyond it, a percentile is one of the slowest few. Repeats count
// together.
func TestThresholdsOnAPercentileOfFewOperationsNeverHold(t *testing.T) {
	for repeats, crossed := range map[int][]string{1: {"sweep_p95", "sweep_p95{clients:1}"}, 2: nil} {
		synctest.Test(t, func(t *testing.T) {
			got, logged := thresholdTest{
				config:     fmt.Sprintf(`{"clients": [1, 2], "iterations": 100, "repeats": %d, "pause": "0s"}`, repeats),
				script:     `sweep.run(() => sleep(1))`,
				thresholds: map[string][]string{"sweep_p95": {"value<10"}, "sweep_p95{clients:1}": {"value<10"}, "sweep_p90": {"value<10"}},
			}.run(t)
			require.Equal(t, crossed, got)
			if crossed != nil {
				require.Contains(t, logged, "threshold sweep_p95{clients:1} 'value<10' cannot hold: "+
					"p95 of 100 operations rests on 5 of them, 10 are needed: 200 operations or more")
			}
		})
	}
}

func TestThresholdsWithoutASampleNeverHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		crossed, logged := thresholdTest{
			config: `{"clients": [1], "iterations": 2000}`, script: `sweep.run(() => sweep.op('get', () => sleep(1)))`,
			thresholds: map[string][]string{
				"sweep_p99{op:own}": {"value<10", "value>=0"}, "sweep_failed{op:own}": {"count==0"}, "sweep_failed{op:get}": {"count==0"},
				"sweep_incomplete": {"count==0"}, "sweep_incomplete{clients:1}": {"count==0"}, "sweep_gate{gate:g}": {"value==0"},
				"a_trend": {"p(99)<10"}, "a_rate": {"rate<0.1"}, "a_gauge": {"value<1"}, "a_trend{x:y}": {"avg<10"}, "a_counter": {"count==0"},
			},
			prepare: func(s *sweepTest) []metrics.Sample {
				registry := s.state.Test.Registry
				registry.MustNewMetric("a_trend", metrics.Trend, metrics.Time)
				registry.MustNewMetric("a_rate", metrics.Rate)
				registry.MustNewMetric("a_gauge", metrics.Gauge)
				registry.MustNewMetric("a_counter", metrics.Counter)

				return nil
			},
		}.run(t)
		require.Equal(t, []string{
			"a_gauge", "a_rate", "a_trend", "a_trend{x:y}", "sweep_failed{op:own}", "sweep_gate{gate:g}", "sweep_p99{op:own}",
		}, crossed)
		require.Equal(t, []string{
			"threshold a_gauge 'value<1' cannot hold: no sample was sent",
			"threshold a_rate 'rate<0.1' cannot hold: no sample was sent",
			"threshold a_trend 'p(99)<10' cannot hold: no sample was sent",
			"threshold a_trend{x:y} 'avg<10' cannot hold: no sample has these tags",
			"threshold sweep_failed{op:own} 'count==0' cannot hold: no sample has op:own; there are op get",
			"threshold sweep_gate{gate:g} 'value==0' cannot hold: nobody has judged this gate",
			"threshold sweep_p99{op:own} 'value<10' cannot hold: no sample has op:own; there are op get",
			"threshold sweep_p99{op:own} 'value>=0' cannot hold: no sample has op:own; there are op get",
		}, logged)
	})
}

// Without a number in its tags, a threshold is for what the search finds: the steps above break the
// bound.
func TestThresholdsOfASearchJudgeWhatItFinds(t *testing.T) {
	for name, tt := range map[string]struct {
		bound   string
		crossed []string
	}{
		"it finds 4":       {"45ms", []string{"sweep_mean", "sweep_p99{clients:8}"}},
		"it finds nothing": {"5ms", []string{"sweep_mean", "sweep_p99", "sweep_p99{clients:8}"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				crossed, logged := thresholdTest{
					config: `{"find": {"max": 8, "p99": "` + tt.bound + `"}, "iterations": 2000, "pause": "0s"}`,
					script: `sweep.run(() => sleep(10 * Number(tag('clients'))))`,
					thresholds: map[string][]string{
						"sweep_p99": {"value<45"}, "sweep_mean": {"value<35"}, "sweep_p99{clients:8}": {"value<45"},
					},
				}.run(t)
				require.Equal(t, tt.crossed, crossed)
				if tt.bound == "5ms" {
					require.Contains(t, logged, "threshold sweep_p99 'value<45' cannot hold: "+
						"the search of rollup has found nothing that keeps its bound")
				}
			})
		})
	}
}

// A part of a distributed run has no client in some steps: thresholds on these are the others' to
// judge.
func TestThresholdsOfAnotherSegmentsStepsAreLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		crossed, logged := thresholdTest{
			config: `{"clients": [1, 8], "iterations": 2000, "pause": "0s"}`, script: `sweep.run(() => sleep(1))`,
			tuple:      tuple(t, "1/2:1", "0,1/2,1"),
			thresholds: map[string][]string{"sweep_p99{clients:1}": {"value<10"}, "sweep_p99": {"value<10"}, "sweep_max{clients:8}": {"value<0.5"}},
		}.run(t)
		require.Equal(t, []string{"sweep_max{clients:8}"}, crossed)
		require.Empty(t, logged)
	})
}

func TestThresholdsJudgedOnNothingAreInTheReport(t *testing.T) {
	runtime, results := newModule(t)
	results.testEnd.note(thresholdName("sweep_p99{op:own}", "value<10"), "no sample was sent")
	results.testEnd.note(thresholdName("sweep_gate{gate:g}", "value==1"), "no sample was sent")
	data, err := runtime.VU.Runtime().RunString(`({ metrics: {
		'sweep_p99{op:own}': { values: { value: 0 }, thresholds: { 'value<10': { ok: true }, 'value<20': { ok: true } } },
		'sweep_gate{gate:g}': { values: { value: 0 }, thresholds: { 'value==1': { ok: false } } },
		'sweep_gate{gate:h}': { values: { value: 0 }, thresholds: { 'value==1': { ok: false } } },
	} })`)
	require.NoError(t, err)
	verdicts := results.testEnd.thresholdVerdicts(data)
	require.Len(t, verdicts, 3, "a gate that was judged has a verdict of its own")
	require.Equal(t, "sweep_gate{gate:g} value==1", verdicts[0].Gate)
	for i, held := range []bool{false, false, true} {
		require.Equal(t, held, verdicts[i].Held)
	}
	require.Equal(t, "cannot hold: no sample was sent", verdicts[1].Detail)
}
