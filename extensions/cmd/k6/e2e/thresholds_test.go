package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// judged runs a sweep with thresholds. No server is needed.
func judged(t *testing.T, scenarios, thresholds string, more ...string) *run {
	t.Helper()
	env := map[string]string{"SCENARIOS": scenarios, "THRESHOLDS": thresholds, defaultEnvMachbase: "none"}
	for i := 0; i < len(more); i += 2 {
		env[more[i]] = more[i+1]
	}

	return k6(t, options{script: "testdata/thresholds.js", env: env})
}

// gates are the verdicts in the report, by name.
func (r *run) gates(t *testing.T, scenario string) map[string]bool {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(r.results, scenario+".json"))
	require.NoError(t, err, r.output)
	var rep struct {
		Gates []struct {
			Gate string
			Held bool
		}
	}
	require.NoError(t, json.Unmarshal(raw, &rep))
	gates := map[string]bool{}
	for _, g := range rep.Gates {
		gates[g.Gate] = g.Held
	}

	return gates
}

const oneSweep = `{"sweep": {"executor": "client-sweep", "clients": [1, 8], "iterations": 20, "pause": "0s"}}`

// Each of these held before: k6 takes an empty metric for 0.
func TestThresholdsOnWhatIsNeverSent(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		thresholds string
		more       []string
		code       int
		says       string
	}{
		"single durations": {
			`{"sweep_duration": ["p(99)<0.000001"]}`, nil, exitInvalidConfig,
			"threshold sweep_duration: the metric has samples with raw: true only; sweep_p50 to sweep_max are there without",
		},
		"those of a module": {
			`{"machbase_op_duration{op:query}": ["p(99)<1"]}`, nil, exitInvalidConfig,
			"threshold machbase_op_duration{op:query}: the metric has no samples in a sweep: sweep_p50 to sweep_max",
		},
		"a step": {
			`{"sweep_p99{clients:61}": ["value<1"]}`, nil, exitInvalidConfig,
			"threshold sweep_p99{clients:61}: no sample has clients:61; there are clients 1, 8",
		},
		"an operation": {
			`{"sweep_p99{op:own}": ["value<1"]}`, nil, exitThreshold,
			"threshold sweep_p99{op:own} 'value<1' cannot hold: no sample has op:own; there are op sweep",
		},
		"a success": {
			`{"sweep_p99": ["value<1"], "sweep_failed": ["rate<=1"], "sweep_ops_per_second{clients:8}": ["value>=0"]}`,
			[]string{"WORK", "fails"}, exitThreshold,
			"threshold sweep_p99 'value<1' cannot hold: no operation succeeded of sweep with 8 clients",
		},
		"operations beyond a percentile": {
			`{"sweep_p99{clients:8}": ["value<10000"]}`, nil, exitThreshold,
			"threshold sweep_p99{clients:8} 'value<10000' cannot hold: p99 of 160 operations rests on 1 of them, 10 are needed: 1,000 operations or more",
		},
		"requests": {
			`{"http_req_duration": ["p(95)<500"]}`, nil, exitThreshold,
			"threshold http_req_duration 'p(95)<500' cannot hold: no sample was sent",
		},
		"a part of the requests, of checks": {
			`{"http_req_failed{name:x}": ["rate<0.01"], "checks": ["rate>0.9"]}`, nil, exitThreshold,
			"threshold http_req_failed{name:x} 'rate<0.01' cannot hold: no sample has these tags",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := judged(t, oneSweep, tt.thresholds, tt.more...)
			require.Equal(t, tt.code, r.code, r.output)
			require.Len(t, r.lines(tt.says), 1, r.output)
			if tt.code == exitInvalidConfig {
				require.Empty(t, r.lines("k6 says"), "nothing ran")

				return
			}
			var thresholds map[string][]string
			require.NoError(t, json.Unmarshal([]byte(tt.thresholds), &thresholds))
			gates := r.gates(t, "sweep")
			junit, err := os.ReadFile(filepath.Join(r.results, "sweep.junit.xml"))
			require.NoError(t, err)
			for metric, expressions := range thresholds {
				if metric == "sweep_failed" {
					require.True(t, gates["sweep_failed rate<=1"])

					continue
				}
				require.Contains(t, gates, metric+" "+expressions[0])
				require.False(t, gates[metric+" "+expressions[0]])
				require.Len(t, r.lines("k6 says crossed: "+metric+" "+expressions[0]), 1, r.output)
			}
			require.Contains(t, string(junit), "cannot hold")
		})
	}
}

// A slip before the first sweep.op is an exception of each iteration, after which k6 exits with 0.
func TestThresholdsOfATestThatMeasuresNothing(t *testing.T) {
	t.Parallel()
	r := k6(t, options{script: "testdata/op.js", env: with(noMachbase, map[string]string{"SLIP": "1"})})
	require.Equal(t, exitThreshold, r.code, r.output)
	require.Len(t, r.lines("thresholds on sweep_max{op:nap} cannot hold: no operation was measured"), 1, r.output)
}

// What is there is judged: with a second sweep, with a scenario of k6's own executors beside it,
// and as scenarios of these.
func TestThresholdsOnWhatIsSentHold(t *testing.T) {
	t.Parallel()
	beside := strings.TrimSuffix(oneSweep, "}") + `,
		"other": {"executor": "client-sweep", "after": "sweep", "clients": [3], "iterations": 20, "raw": true},
		"beside": {"executor": "constant-vus", "vus": 2, "duration": "2s", "exec": "pulse"},
		"late": {"executor": "constant-vus", "vus": 1, "startTime": "2500ms", "duration": "1s", "exec": "pulse"}}`
	r := judged(t, beside, `{
		"sweep_max{scenario:sweep,clients:8}": ["value<10000"], "sweep_max{clients:3}": ["value<10000"], "sweep_max": ["value<10000"],
		"sweep_mean{scenario:beside,op:nap}": ["value>9"], "sweep_duration{scenario:other}": ["p(99)<10000"],
		"sweep_ops{scenario:beside}": ["count>10"], "sweep_failed": ["rate==0"], "sweep_incomplete": ["count==0"],
		"sweep_incomplete{scenario:beside}": ["count==0"], "sweep_incomplete{clients:8}": ["count==0"],
		"a_counter": ["count==0"], "iteration_duration": ["p(99)<10000"], "machbase_ops{outcome:error}": ["count<1"],
		"sweep_mean{scenario:late}": [{"threshold": "value>1", "abortOnFail": true}]
	}`)
	require.Equal(t, exitOK, r.code, r.output)
	require.Empty(t, r.lines("k6 says crossed"), r.output)
	require.Empty(t, r.lines("cannot hold"), r.output)

	const folded = `{"scenario": "folded", "portable": true, "clients": [1, 2], "iterations": 20, "maxDuration": "4s", "gracefulStop": "0s", "pause": "0s"}`
	portable := judged(t, "{}", `{"sweep_max{scenario:folded,clients:2}": ["value<10000"], "sweep_p99{op:own}": ["value<10000"]}`, "SWEEP", folded)
	require.Equal(t, exitThreshold, portable.code, portable.output)
	require.Equal(t, []string{"k6 says crossed: sweep_p99{op:own} value<10000\n"}, portable.lines("k6 says crossed"))
	require.False(t, portable.gates(t, "folded")["sweep_p99{op:own} value<10000"])
	require.True(t, portable.gates(t, "folded")["sweep_max{scenario:folded,clients:2} value<10000"])

	portable = judged(t, "{}", `{"sweep_p99{clients:5}": ["value<10000"]}`, "SWEEP", folded)
	require.Equal(t, exitInvalidConfig, portable.code, portable.output)
	require.NotEmpty(t, portable.lines("threshold sweep_p99{clients:5}: no sample has clients:5; there are clients 1, 2"), portable.output)
}

// Thresholds of a test in which only sweep.op counts, under an executor of k6's own, and of a
// script that does not know of sweeps but by the executor's name.
func TestThresholdsBesideTheModule(t *testing.T) {
	t.Parallel()
	r := judged(t, `{"beside": {"executor": "constant-vus", "vus": 2, "duration": "1500ms", "exec": "pulse"}}`, `{
		"sweep_mean": ["value>9"], "sweep_mean{op:none}": ["value<1"], "http_req_duration": ["p(95)<500"], "sweep_incomplete": ["count==0"]
	}`)
	require.Equal(t, exitThreshold, r.code, r.output)
	require.ElementsMatch(t, []string{
		"k6 says crossed: sweep_mean{op:none} value<1\n", "k6 says crossed: http_req_duration p(95)<500\n",
	}, r.lines("k6 says crossed"), r.output)
	require.Len(t, r.lines("no sample has op:none; there are op nap"), 2, "in the log and in the report: %s", r.output)

	r = k6(t, options{script: "testdata/unaware.js", env: map[string]string{defaultEnvMachbase: "none"}})
	require.Equal(t, exitThreshold, r.code, r.output)
	require.Len(t, r.lines("threshold http_req_duration 'p(95)<500' cannot hold: no sample was sent"), 1, r.output)
	require.Regexp(t, `✗ 'p\(95\)<500'`, r.output, "k6's own summary says so as well")
	require.Regexp(t, `✓ 'p\(95\)<5000'`, r.output)
}

// A Gauge's last value was judged before: that of the operation, of the repeat and of the step that
// came last.
func TestThresholdsJudgeTheWorst(t *testing.T) {
	for name, tt := range map[string]struct {
		scenarios, thresholds string
		more, crossed         []string
	}{
		"operation": {
			oneSweep, `{"sweep_max": ["value<29"], "sweep_mean{op:quick}": ["value<29"], "sweep_mean{op:a_slow}": ["value<29"]}`,
			[]string{"WORK", "kinds"},
			[]string{"sweep_mean{op:a_slow} value<29", "sweep_max value<29"},
		},
		"repeat": {
			`{"sweep": {"executor": "client-sweep", "clients": [1], "iterations": 20, "repeats": 3, "pause": "0s"}}`,
			`{"sweep_p50{clients:1}": ["value<29"], "sweep_ops_per_second": ["value>500"]}`, []string{"WORK", "quicker"},
			[]string{"sweep_ops_per_second value>500", "sweep_p50{clients:1} value<29"},
		},
		"step": {
			`{"sweep": {"executor": "client-sweep", "clients": [4, 1], "iterations": 20, "pause": "0s"}}`,
			`{"sweep_p50": ["value<29"], "sweep_p50{clients:1}": ["value<29"], "sweep_ops_per_second": ["value>100"]}`, []string{"WORK", "crowd"},
			[]string{"sweep_p50 value<29"},
		},
		"scenario": {
			`{"one": {"executor": "client-sweep", "clients": [1], "iterations": 20, "env": {"WORK": "kinds"}},
			  "two": {"executor": "client-sweep", "clients": [1], "iterations": 20, "after": "one"}}`,
			`{"sweep_mean": ["value<29"], "sweep_mean{scenario:two}": ["value<29"]}`, nil,
			[]string{"sweep_mean value<29"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := judged(t, tt.scenarios, tt.thresholds, tt.more...)
			var crossed []string
			for _, line := range r.lines("k6 says crossed: ") {
				crossed = append(crossed, strings.TrimSpace(strings.TrimPrefix(line, "k6 says crossed: ")))
			}
			require.ElementsMatch(t, tt.crossed, crossed, r.output)
			require.Equal(t, exitThreshold, r.code)
		})
	}
}
