package testrun_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/errext/exitcodes"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6test"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/internal/sweeptest"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/testrun"
)

// thresholdTest runs a sweep in a test with thresholds, and judges them as k6 does. prepare may
// register more metrics, and send samples of them.
type thresholdTest struct {
	config, script string
	thresholds     map[string][]string
	tuple          *lib.ExecutionTuple
	prepare        func(*sweeptest.Sweep) []metrics.Sample
}

// run returns which thresholds are crossed, and what was logged of those that were judged on
// nothing.
func (tt thresholdTest) run(t *testing.T) (crossed, logged []string) {
	t.Helper()
	if tt.tuple == nil {
		tt.tuple = k6test.Tuple(t, "", "")
	}
	options := lib.Options{Thresholds: sweeptest.ThresholdsOfTest(t, tt.thresholds)}
	s, err := sweeptest.NewWithOptions(t, tt.config, tt.script, tt.tuple, options)
	require.NoError(t, err)
	var more []metrics.Sample
	if tt.prepare != nil {
		more = tt.prepare(s)
	}
	registry := s.State.Test.Registry
	judged := k6glue.ThresholdsOf(options.Thresholds, registry)
	for _, j := range judged {
		j.Metric.Thresholds = options.Thresholds[j.Name]
	}

	_, err = s.Run(t.Context())
	require.NoError(t, err)
	if len(more) > 0 {
		s.Out <- metrics.Samples(more)
	}
	testrun.Of(registry).EndTest()
	ingest(s)
	for _, j := range judged {
		held, err := j.Metric.Thresholds.Run(j.Metric.Sink, time.Minute)
		require.NoError(t, err)
		if !held {
			crossed = append(crossed, j.Name)
		}
	}
	for _, line := range s.Warnings() {
		if len(line) > 10 && line[:10] == "threshold " {
			logged = append(logged, line)
		}
	}

	return crossed, logged
}

// ingest takes all samples as k6's ingester does.
func ingest(s *sweeptest.Sweep) {
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
	_, err := sweeptest.NewWithOptions(t, `{"clients": [1, 8], "iterations": 10}`, ``, k6test.Tuple(t, "", ""), lib.Options{
		Thresholds: sweeptest.ThresholdsOfTest(t, map[string][]string{"sweep_p99{clients:61}": {"value<10"}, "sweep_max{clients:9}": {"value<10"}}),
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
			script: `const name = sweep.step().variant; sweep.run(() => sleep(name === 'b' ? 30 : 1))`,
			thresholds: map[string][]string{
				"sweep_p99": {"value<10"}, "sweep_p99{variant:a}": {"value<10"}, "sweep_p99{variant:b}": {"value<10"}, "sweep_p99{op:c}": {"value<10"},
			},
		}.run(t)
		require.Equal(t, []string{"sweep_p99", "sweep_p99{variant:b}"}, crossed)
	})
}

func TestThresholdsWithoutASuccessfulOperationNeverHold(t *testing.T) {
	all := map[string][]string{
		"sweep_max": {"value<10"}, "sweep_ops_per_second": {"value>=0"}, "sweep_duration": {"p(99)<10"}, "sweep_failed": {"rate<=1"},
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
					prepare: func(s *sweeptest.Sweep) (samples []metrics.Sample) { // of requests, which k6 times also when they fail
						registry := s.State.Test.Registry
						for _, metric := range []*metrics.Metric{
							registry.MustNewMetric("http_req_duration", metrics.Trend, metrics.Time),
							registry.MustNewMetric("http_reqs", metrics.Counter), registry.MustNewMetric("checks", metrics.Rate),
						} {
							for range 100 {
								series := metrics.TimeSeries{Metric: metric, Tags: s.State.Test.RunTags}
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
				"sweep_p99{op:own}": {"value<10", "value>=0"}, "sweep_failed{op:own}": {"rate==0"}, "sweep_failed{op:get}": {"rate==0"},
				"sweep_incomplete": {"count==0"}, "sweep_incomplete{clients:1}": {"count==0"}, "sweep_gate{gate:g}": {"value==0"},
				"a_trend": {"p(99)<10"}, "a_rate": {"rate<0.1"}, "a_gauge": {"value<1"}, "a_trend{x:y}": {"avg<10"}, "a_counter": {"count==0"},
			},
			prepare: func(s *sweeptest.Sweep) []metrics.Sample {
				registry := s.State.Test.Registry
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
			"threshold sweep_failed{op:own} 'rate==0' cannot hold: no sample has op:own; there are op get",
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
			tuple:      k6test.Tuple(t, "1/2:1", "0,1/2,1"),
			thresholds: map[string][]string{"sweep_p99{clients:1}": {"value<10"}, "sweep_p99": {"value<10"}, "sweep_max{clients:8}": {"value<0.5"}},
		}.run(t)
		require.Equal(t, []string{"sweep_max{clients:8}"}, crossed)
		require.Empty(t, logged)
	})
}
