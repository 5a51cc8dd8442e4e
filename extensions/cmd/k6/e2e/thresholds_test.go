package e2e

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func judged(t *testing.T, scenarios, thresholds string, more ...string) *run {
	t.Helper()
	env := map[string]string{"SCENARIOS": scenarios, "THRESHOLDS": thresholds, defaultEnvMachbase: "none"}
	for i := 0; i < len(more); i += 2 {
		env[more[i]] = more[i+1]
	}

	return k6(t, options{script: "testdata/thresholds.js", env: env})
}

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

func (r *run) fileGates(t *testing.T, scenario string) map[string]bool {
	t.Helper()
	gates := r.gates(t, scenario)
	maps.DeleteFunc(gates, func(name string, _ bool) bool { return strings.HasPrefix(name, "sweep_") })

	return gates
}

const oneSweep = `{"sweep": {"executor": "client-sweep", "clients": [1, 8], "iterations": 20, "pause": "0s", "onError": "continue"}}`

// k6 treats an empty metric as 0, so these thresholds would hold.
func TestThresholdsOnMissingMetrics(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		thresholds string
		more       []string
		code       int
		says       string
	}{
		"those of a module": {
			`{"machbase_op_duration{op:query}": ["p(99)<1"]}`, nil, exitInvalidConfig,
			"threshold machbase_op_duration{op:query}: the metric has no samples in a sweep: sweep_p50 to sweep_max",
		},
		"a step": {
			`{"sweep_p99{clients:61}": ["value<1"]}`, nil, exitInvalidConfig,
			"threshold sweep_p99{clients:61}: no sample has clients:61; there are clients 1, 8",
		},
		"an operation": {
			`{"sweep_p99{op:own,clients:8}": ["value<1"]}`, nil, exitThreshold,
			"threshold sweep_p99{op:own,clients:8} value<1 cannot hold: no sample has op:own; there are op sweep",
		},
		"a success": {
			`{"sweep_p99{clients:8}": ["value<1"], "sweep_failed": ["count>0"], "sweep_ops_per_second{clients:8}": ["value>=0"]}`,
			[]string{"WORK", "fails"}, exitThreshold,
			"threshold sweep_ops_per_second{clients:8} value>=0, sweep_p99{clients:8} value<1 cannot hold: " +
				"no operation succeeded of sweep with 8 clients",
		},
		"operations beyond a percentile": {
			`{"sweep_p99{clients:8}": ["value<10000"]}`, nil, exitThreshold,
			"threshold sweep_p99{clients:8} value<10000 cannot hold: p99 of 160 operations rests on 1 of them, 10 are needed: 1,000 operations or more",
		},
		"several steps": {
			`{"sweep_p99": ["value<10000"]}`, nil, exitInvalidConfig,
			"threshold sweep_p99: k6 judges a Gauge by its last value, and there are several (clients 1, 8): " +
				"write one threshold for each, such as sweep_p99{clients:8}",
		},
		"several operations": {
			`{"sweep_max{clients:8}": ["value<10000"]}`, []string{"WORK", "kinds"}, exitThreshold,
			"threshold sweep_max{clients:8} value<10000 cannot hold: k6 judges a Gauge by its last value, and there are several " +
				"(op a_slow, quick): write one threshold for each, such as sweep_max{clients:8,op:quick}",
		},
		"the share of failures": {
			`{"sweep_failed": ["rate<0.1"]}`, nil, exitInvalidConfig,
			"threshold sweep_failed: a Counter's rate is its count by the seconds of the test: write count==0; " +
				"the option allowFailed: '1%' bounds the share of operations that fail",
		},
		"requests": {
			`{"http_req_duration": ["p(95)<500"]}`, nil, exitThreshold,
			"threshold http_req_duration p(95)<500 cannot hold: no sample was sent",
		},
		"a part of the requests, of checks": {
			`{"http_req_failed{name:x}": ["rate<0.01"], "checks": ["rate>0.9"]}`, nil, exitThreshold,
			"threshold http_req_failed{name:x} rate<0.01 cannot hold: no sample has these tags",
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
					require.True(t, gates["sweep_failed count>0"])

					continue
				}
				require.Contains(t, gates, metric+" "+expressions[0])
				require.False(t, gates[metric+" "+expressions[0]])
			}
			require.Contains(t, string(junit), "cannot hold")
		})
	}
}

// An error before the first sweep.op: each iteration throws or hangs. k6 alone would exit with
// 0.
func TestThresholdsOfATestThatMeasuresNothing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ slip, metric, holds, why string }{
		{"throws", "sweep_op_duration{op:nap}", "p(95)<10000", "no sample has these tags"},
		{"hangs", "sweep_op_failed", "rate<1", "no sample was sent"},
		{"none", "sweep_max{op:nap}", "value<10000", "no sweep was measured; sweep.op under k6's own executors has sweep_op_duration and sweep_op_failed"},
	} {
		r := k6(t, options{script: "testdata/op.js", env: with(noMachbase, map[string]string{
			"SLIP": tt.slip, "METRIC": tt.metric, "HOLDS": tt.holds,
		})})
		require.Equal(t, exitThreshold, r.code, r.output)
		require.Len(t, r.lines("threshold "+tt.metric+" "+tt.holds+" cannot hold: "+tt.why), 1, r.output)
	}
}

func TestThresholdsOnExistingMetrics(t *testing.T) {
	t.Parallel()
	beside := strings.TrimSuffix(oneSweep, "}") + `,
		"other": {"executor": "client-sweep", "after": "sweep", "clients": [3], "iterations": 20},
		"beside": {"executor": "constant-vus", "vus": 2, "duration": "2s", "exec": "pulse"},
		"late": {"executor": "constant-vus", "vus": 1, "startTime": "2500ms", "duration": "1s", "exec": "pulse"}}`
	r := judged(t, beside, `{
		"sweep_max{scenario:sweep,clients:8}": ["value<10000"], "sweep_max{clients:3}": ["value<10000"],
		"sweep_op_duration{scenario:beside,op:nap}": ["avg>9"],
		"sweep_op_failed{scenario:beside}": ["rate==0"], "sweep_failed": ["count==0"], "sweep_incomplete": ["count==0"],
		"sweep_incomplete{clients:8}": ["count==0"],
		"a_counter": ["count==0"], "iteration_duration": ["p(99)<10000"], "machbase_ops{outcome:error}": ["count<1"],
		"sweep_op_duration{scenario:late}": [{"threshold": "avg>1", "abortOnFail": true}]
	}`)
	require.Equal(t, exitOK, r.code, r.output)
	require.Empty(t, r.lines("k6 says crossed"), r.output)
	require.Empty(t, r.lines("cannot hold"), r.output)

	const folded = `{"scenario": "folded", "portable": true, "clients": [1, 2], "iterations": 20, "maxDuration": "4s", "gracefulStop": "0s", "pause": "0s"}`
	portable := judged(t, "{}", `{"sweep_max{scenario:folded,clients:2}": ["value<10000"], "sweep_p99{clients:1,op:own}": ["value<10000"]}`, "SWEEP", folded)
	require.Equal(t, exitThreshold, portable.code, portable.output)
	require.Len(t, portable.lines("cannot hold: no sample has op:own; there are op folded"), 2, "in the log and in the report: %s", portable.output)
	require.False(t, portable.gates(t, "folded")["sweep_p99{clients:1,op:own} value<10000"])
	require.True(t, portable.gates(t, "folded")["sweep_max{scenario:folded,clients:2} value<10000"])

	portable = judged(t, "{}", `{"sweep_p99{clients:5}": ["value<10000"]}`, "SWEEP", folded)
	require.Equal(t, exitInvalidConfig, portable.code, portable.output)
	require.NotEmpty(t, portable.lines("threshold sweep_p99{clients:5}: no sample has clients:5; there are clients 1, 2"), portable.output)
}

func TestThresholdsWithSweepOpOnly(t *testing.T) {
	t.Parallel()
	r := judged(t, `{"beside": {"executor": "constant-vus", "vus": 2, "duration": "1500ms", "exec": "pulse"}}`, `{
		"sweep_op_duration": ["avg>9"], "sweep_op_duration{op:none}": ["avg<1"], "http_req_duration": ["p(95)<500"], "sweep_op_failed": ["rate==0"]
	}`)
	require.Equal(t, exitThreshold, r.code, r.output)
	require.Empty(t, r.lines("k6 says crossed"), r.output)
	require.Len(t, r.lines("cannot hold"), 2, r.output)
	require.Len(t, r.lines("threshold sweep_op_duration{op:none} avg<1 cannot hold: no sample has these tags"), 1, r.output)
	require.Len(t, r.lines("threshold http_req_duration p(95)<500 cannot hold: no sample was sent"), 1, r.output)

	r = k6(t, options{script: "testdata/unaware.js", env: map[string]string{defaultEnvMachbase: "none"}})
	require.Equal(t, exitThreshold, r.code, r.output)
	require.Len(t, r.lines("threshold http_req_duration p(95)<500 cannot hold: no sample was sent"), 1, r.output)
}

// k6 judges a Gauge by its last value, so this must be the value that the threshold names.
func TestThresholdsUseTheNamedValue(t *testing.T) {
	calm(t)
	for name, tt := range map[string]struct {
		scenarios, thresholds string
		more, crossed         []string
		code                  int
	}{
		"operation": {
			oneSweep, `{"sweep_mean{clients:1,op:quick}": ["value<29"], "sweep_mean{clients:1,op:a_slow}": ["value<29"]}`,
			[]string{"WORK", "kinds"}, []string{"sweep_mean{clients:1,op:a_slow} value<29"}, exitThreshold,
		},
		"repeat": {
			`{"sweep": {"executor": "client-sweep", "clients": [1], "iterations": 20, "repeats": 3, "pause": "0s"}}`,
			`{"sweep_p50{clients:1}": ["value<29"], "sweep_ops_per_second": ["value>500"]}`, []string{"WORK", "quicker"},
			[]string{"sweep_ops_per_second value>500", "sweep_p50{clients:1} value<29"}, exitThreshold,
		},
		"step": {
			`{"sweep": {"executor": "client-sweep", "clients": [4, 1], "iterations": 20, "pause": "0s"}}`,
			`{"sweep_p50{clients:4}": ["value<29"], "sweep_p50{clients:1}": ["value<29"]}`, []string{"WORK", "crowd"},
			[]string{"sweep_p50{clients:4} value<29"}, exitThreshold,
		},
		"scenario": {
			`{"one": {"executor": "client-sweep", "clients": [1], "iterations": 20, "env": {"WORK": "kinds"}},
			  "two": {"executor": "client-sweep", "clients": [1], "iterations": 20, "after": "one"}}`,
			`{"sweep_mean": ["value<29"], "sweep_mean{scenario:two}": ["value<29"]}`, nil, nil, exitInvalidConfig,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := judged(t, tt.scenarios, tt.thresholds, tt.more...)
			require.Equal(t, tt.code, r.code, r.output)
			var crossed []string
			for _, line := range r.lines("k6 says crossed: ") {
				crossed = append(crossed, strings.TrimSpace(strings.TrimPrefix(line, "k6 says crossed: ")))
			}
			require.ElementsMatch(t, tt.crossed, crossed, r.output)
			if tt.code == exitInvalidConfig {
				require.NotEmpty(t, r.lines("there are several (scenario one, two): write one threshold for each, such as sweep_mean{scenario:two}"), r.output)
			}
		})
	}
}

func TestGatesMakeTheExitCode(t *testing.T) {
	t.Parallel()
	gates := filepath.Join(t.TempDir(), "gates.json")
	require.NoError(t, os.WriteFile(gates, []byte(`{"scenario": "gated", "absolute": [{"op": "gated", "p50": "1ms"}]}`), 0o600))
	other := filepath.Join(t.TempDir(), "other.json")
	require.NoError(t, os.WriteFile(other, []byte(`{"scenario": "other", "absolute": [{"op": "other", "p50": "1s"}]}`), 0o600))
	const crossed, counts = "gate crossed: p50 of gated in every step", "--no-thresholds is about k6's own thresholds: the gates of "
	for name, tt := range map[string]struct {
		work   string
		env    map[string]string
		args   []string
		code   int
		says   []string
		silent []string
	}{
		"crossed":              {work: "slow", code: exitThreshold, says: []string{crossed}, silent: []string{counts}},
		"thresholds overruled": {work: "slow", env: map[string]string{"THRESHOLDS": `{"iteration_duration": ["p(95)<100000"]}`}, code: exitThreshold, says: []string{crossed}},
		"no thresholds":        {work: "slow", args: []string{"--no-thresholds"}, code: exitThreshold, says: []string{crossed, counts + gates + " still count"}},
		"not returned":         {work: "slow", env: map[string]string{"CALL": "1"}, code: exitThreshold, says: []string{crossed}},
		"of no scenario":       {work: "quick", env: map[string]string{"OTHER": other}, code: exitThreshold, says: []string{"the gates of " + other + ` are crossed: no scenario \"other\" was measured`}},
		"and a failure":        {work: "fails", env: map[string]string{"THRESHOLDS": `{}`}, code: exitThreshold, says: []string{"failed: the run is marked as failed"}},
		"held":                 {work: "quick", code: exitOK, silent: []string{crossed, counts}},
		"held, no thresholds":  {work: "quick", args: []string{"--no-thresholds"}, code: exitOK, says: []string{counts + gates + " still count"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := with(noMachbase, with(map[string]string{"FILE": gates, "WORK": tt.work}, tt.env))
			r := k6(t, options{script: "testdata/gates.js", env: env, args: tt.args})
			require.Equal(t, tt.code, r.code, r.output)
			for _, line := range tt.says {
				require.Len(t, r.lines(line), 1, r.output)
			}
			for _, line := range tt.silent {
				require.Empty(t, r.lines(line), r.output)
			}
		})
	}
}
