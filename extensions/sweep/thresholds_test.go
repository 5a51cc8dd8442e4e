package sweep_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/errext/exitcodes"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/testutil"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/testrun"
)

// thresholdTest runs a sweep with thresholds and judges them as k6 does. prepare may register
// metrics and send samples.
type thresholdTest struct {
	config, script string
	thresholds     map[string][]string
	tuple          *lib.ExecutionTuple
	prepare        func(*testSweep) []metrics.Sample
}

// run returns the crossed thresholds, and the log about those without samples.
func (tt thresholdTest) run(t *testing.T) (crossed, logged []string) {
	t.Helper()
	if tt.tuple == nil {
		tt.tuple = testutil.Tuple(t, "", "")
	}
	options := lib.Options{Thresholds: thresholdsOfTest(t, tt.thresholds)}
	s, err := newWithOptions(t, tt.config, tt.script, tt.tuple, options)
	require.NoError(t, err)
	var more []metrics.Sample
	if tt.prepare != nil {
		more = tt.prepare(s)
	}
	registry := s.State.Test.Registry
	all := k6x.ThresholdsOf(options.Thresholds, registry)
	for _, of := range all {
		of.Metric.Thresholds = options.Thresholds[of.Name]
	}

	_, err = s.Run(t.Context())
	require.NoError(t, err)
	if len(more) > 0 {
		s.Out <- metrics.Samples(more)
	}
	testrun.Of(registry).EndTest()
	ingest(s)
	for _, of := range all {
		_, err := of.Metric.Thresholds.Run(of.Metric.Sink, time.Minute)
		require.NoError(t, err)
	}
	for _, v := range testrun.Of(registry).ThresholdVerdicts(s.State.Test.TestPreInitState) {
		if !v.Held {
			crossed = append(crossed, v.Gate)
		}
	}
	for _, line := range s.Warnings() {
		if strings.HasPrefix(line, "threshold ") {
			logged = append(logged, line)
		}
	}

	return crossed, logged
}

func ingest(s *testSweep) {
	for {
		select {
		case container := <-s.Out:
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

func TestThresholdsWithoutSamplesEndTheRunBeforeItBegins(t *testing.T) {
	_, err := newWithOptions(t, `{"clients": [1, 8], "iterations": 10}`, ``, testutil.Tuple(t, "", ""), lib.Options{
		Thresholds: thresholdsOfTest(t, map[string][]string{"sweep_p99{clients:61}": {"value<10"}, "sweep_max{clients:9}": {"value<10"}}),
	})
	require.EqualError(t, err, "threshold sweep_max{clients:9}: no sample has clients:9; there are clients 1, 8; "+
		"threshold sweep_p99{clients:61}: no sample has clients:61; there are clients 1, 8")
	var code errext.HasExitCode
	require.ErrorAs(t, err, &code)
	require.Equal(t, exitcodes.InvalidConfig, code.ExitCode())
}

// Two kinds of operations, of 40 and of 2 ms.
func TestThresholdsOnSeveralOperationsNeverHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		crossed, logged := thresholdTest{
			config: `{"clients": [1], "iterations": 2000, "pause": "0s"}`,
			script: `sweep.run(() => { sweep.op('a_slow', () => sleep(40)); sweep.op('quick', () => sleep(2)) })`,
			thresholds: map[string][]string{
				"sweep_p99": {"value<39"}, "sweep_p99{op:quick}": {"value<3"}, "sweep_p50{op:a_slow}": {"value<39"}, "sweep_ops": {"count>4000"},
			},
		}.run(t)
		require.Equal(t, []string{"sweep_ops count>4000", "sweep_p50{op:a_slow} value<39", "sweep_p99 value<39"}, crossed)
		require.Equal(t, []string{"threshold sweep_p99 value<39 cannot hold: k6 judges a Gauge by its last value, " +
			"and there are several (op a_slow, quick): write one threshold for each, such as sweep_p99{op:quick}"}, logged)
	})
}

func TestThresholdsJudgeTheMedianOfTheRepeats(t *testing.T) {
	for name, tt := range map[string]struct {
		repeats string // mean duration in each repeat, ms
		crossed []string
	}{
		"the last one is the best":  {"[30, 30, 1]", []string{"sweep_ops_per_second value>100", "sweep_p99 value<10", "sweep_p99{clients:1} value<10"}},
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

func TestThresholdsJudgeEachVariant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		crossed, _ := thresholdTest{
			config:     `{"clients": [1], "iterations": 2000, "repeats": 3, "variants": ["a", "b"], "pause": "0s"}`,
			script:     `const name = sweep.step().variant; sweep.run(() => sleep(name === 'b' ? 30 : 1))`,
			thresholds: map[string][]string{"sweep_p99{variant:a}": {"value<10"}, "sweep_p99{variant:b}": {"value<10"}},
		}.run(t)
		require.Equal(t, []string{"sweep_p99{variant:b} value<10"}, crossed)
	})
}

func TestThresholdsWithoutASuccessfulOperationNeverHold(t *testing.T) {
	all := map[string][]string{
		"sweep_max{clients:1}": {"value<10"}, "sweep_max{clients:2}": {"value<10"}, "sweep_ops_per_second{clients:2}": {"value>=0"},
		"sweep_failed": {"count>=0"},
	}
	const one, two, rate = "sweep_max{clients:1} value<10", "sweep_max{clients:2} value<10", "sweep_ops_per_second{clients:2} value>=0"
	for name, tt := range map[string]struct {
		script  string
		crossed []string
	}{
		"none":             {`sweep.run(() => { sleep(1); throw 'no' })`, []string{one, two, rate}},
		"none in one step": {`sweep.run(() => { sleep(1); if (tag('clients') === '2') throw 'no' })`, []string{two, rate}},
		"some":             {`let n = 0; sweep.run(() => { sleep(1); if (n++ % 2) throw 'no' })`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				crossed, logged := thresholdTest{config: `{"clients": [1, 2], "iterations": 20, "pause": "0s"}`, script: tt.script, thresholds: all}.run(t)
				require.Equal(t, tt.crossed, crossed)
				if crossed == nil {
					require.Empty(t, logged)
				} else {
					require.Len(t, logged, len(crossed)-1, "each cause is said once")
					require.Contains(t, logged, "threshold "+two+", "+rate+" cannot hold: no operation succeeded of rollup with 2 clients")
				}
			})
		})
	}
}

// Operations of all repeats count together.
func TestThresholdsOnAPercentileOfFewOperationsNeverHold(t *testing.T) {
	for repeats, crossed := range map[int][]string{1: {"sweep_p95{clients:1} value<10"}, 2: nil} {
		synctest.Test(t, func(t *testing.T) {
			got, logged := thresholdTest{
				config:     fmt.Sprintf(`{"clients": [1, 2], "iterations": 100, "repeats": %d, "pause": "0s"}`, repeats),
				script:     `sweep.run(() => sleep(1))`,
				thresholds: map[string][]string{"sweep_p95{clients:1}": {"value<10"}, "sweep_p95{clients:2}": {"value<10"}, "sweep_p90{clients:1}": {"value<10"}},
			}.run(t)
			require.Equal(t, crossed, got)
			if crossed != nil {
				require.Equal(t, []string{"threshold sweep_p95{clients:1} value<10 cannot hold: " +
					"p95 of 100 operations rests on 5 of them, 10 are needed: 200 operations or more"}, logged)
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
				"sweep_incomplete": {"count==0"}, "sweep_incomplete{clients:1}": {"count==0"},
				"a_trend": {"p(99)<10"}, "a_rate": {"rate<0.1"}, "a_gauge": {"value<1"}, "a_trend{x:y}": {"avg<10"}, "a_counter": {"count==0"},
			},
			prepare: func(s *testSweep) []metrics.Sample {
				registry := s.State.Test.Registry
				registry.MustNewMetric("a_trend", metrics.Trend, metrics.Time)
				registry.MustNewMetric("a_rate", metrics.Rate)
				registry.MustNewMetric("a_gauge", metrics.Gauge)
				registry.MustNewMetric("a_counter", metrics.Counter)

				return nil
			},
		}.run(t)
		require.Equal(t, []string{
			"threshold a_gauge value<1, a_rate rate<0.1, a_trend p(99)<10 cannot hold: no sample was sent",
			"threshold a_trend{x:y} avg<10 cannot hold: no sample has these tags",
			"threshold sweep_failed{op:own} count==0, sweep_p99{op:own} value<10, sweep_p99{op:own} value>=0 cannot hold: " +
				"no sample has op:own; there are op get",
		}, logged, "each cause is said once")
		require.Len(t, crossed, 7)
	})
}

func TestThresholdsOfASearchJudgeWhatItFinds(t *testing.T) {
	for name, tt := range map[string]struct {
		bound   string
		crossed []string
	}{
		"it finds 4":       {"45ms", []string{"sweep_mean value<35", "sweep_p99{clients:8} value<45"}},
		"it finds nothing": {"5ms", []string{"sweep_mean value<35", "sweep_p99 value<45", "sweep_p99{clients:8} value<45"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				crossed, logged := thresholdTest{
					config: `{"find": {"max": 8, "p99": "` + tt.bound + `"}, "iterations": 200, "pause": "0s"}`,
					script: `sweep.run(() => sleep(10 * Number(tag('clients'))))`,
					thresholds: map[string][]string{
						"sweep_p99": {"value<45"}, "sweep_mean": {"value<35"}, "sweep_p99{clients:8}": {"value<45"},
					},
				}.run(t)
				require.Equal(t, tt.crossed, crossed)
				if tt.bound == "5ms" {
					require.Contains(t, logged, "threshold sweep_mean value<35, sweep_p99 value<45 cannot hold: "+
						"the search of rollup has found nothing that keeps its bound")
				}
			})
		})
	}
}

// In a distributed run, other parts judge thresholds on steps without clients here.
func TestThresholdsOfAnotherSegmentsStepsAreLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		crossed, logged := thresholdTest{
			config: `{"clients": [1, 8], "iterations": 2000, "pause": "0s"}`, script: `sweep.run(() => sleep(1))`,
			tuple:      testutil.Tuple(t, "1/2:1", "0,1/2,1"),
			thresholds: map[string][]string{"sweep_p99{clients:1}": {"value<10"}, "sweep_max{clients:8}": {"value<0.5"}},
		}.run(t)
		require.Equal(t, []string{"sweep_max{clients:8} value<0.5"}, crossed)
		require.Empty(t, logged)
	})
}
