package sweep_test

import (
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/js/modulestest"
	"go.k6.io/k6/v2/lib/fsext"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/executor"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/gate"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/testrun"
)

func inFolder(runtime *modulestest.Runtime, dir string) {
	runtime.VU.InitEnvField.CWD = &url.URL{Scheme: "file", Path: dir}
	runtime.VU.InitEnvField.FileSystems = map[string]fsext.Fs{"file": fsext.NewOsFs()}
}

func evaluate(t *testing.T, runtime *modulestest.Runtime, script string) any {
	t.Helper()
	value, err := runtime.VU.Runtime().RunString(`(` + script + `)`)
	require.NoError(t, err)

	return value.Export()
}

func TestSweepOptions(t *testing.T) {
	for script, want := range map[string]map[string]any{
		`sweep.options({ clients: [1, 8], iterations: 10 })`: {
			"scenarios": map[string]any{
				"default": map[string]any{"executor": "client-sweep", "clients": []any{int64(1), int64(8)}, "iterations": int64(10)},
			},
			"thresholds": map[string]any{"sweep_failed": []any{"count==0"}, "sweep_incomplete": []any{"count==0"}},
		},
		`sweep.options({ scenario: 'look', rate: [5], preAllocatedVUs: 2, duration: '1s', allowFailed: true,
			thresholds: { sweep_p99: ['value<5'], sweep_incomplete: [] } })`: {
			"scenarios": map[string]any{
				"look": map[string]any{
					"executor": "client-sweep", "rate": []any{int64(5)}, "preAllocatedVUs": int64(2), "duration": "1s", "allowFailed": true,
				},
			},
			"thresholds": map[string]any{"sweep_p99": []any{"value<5"}, "sweep_incomplete": []any{}},
		},
		`sweep.options([{ scenario: 'a', clients: [1], iterations: 1 }, { scenario: 'b', clients: [2], iterations: 1 }])`: {
			"scenarios": map[string]any{
				"a": map[string]any{"executor": "client-sweep", "clients": []any{int64(1)}, "iterations": int64(1)},
				"b": map[string]any{"executor": "client-sweep", "clients": []any{int64(2)}, "iterations": int64(1), "after": "a"},
			},
			"thresholds": map[string]any{"sweep_failed": []any{"count==0"}, "sweep_incomplete": []any{"count==0"}},
		},
	} {
		runtime, _ := newModule(t)
		require.Equal(t, want, evaluate(t, runtime, script))
	}
}

func TestSettingsOfOptions(t *testing.T) {
	const script = `sweep.options({ scenario: 'look', op: 'get', clients: [4], iterations: 10 })`
	usual := map[string]any{
		"executor": "client-sweep", "op": "get", "clients": []any{int64(4)}, "iterations": int64(10),
	}
	for _, tt := range []struct {
		env  map[string]string
		want map[string]any // nil: the option is removed
	}{
		{nil, nil},
		{map[string]string{"CLIENTS": "1, 2", "WARMUP": "0s"}, map[string]any{"clients": []any{int64(1), int64(2)}, "warmup": "0s"}},
		{map[string]string{"SWEEP_DURATION": "3s"}, map[string]any{"duration": "3s", "iterations": nil}},
		{map[string]string{"PRECISION": "2%", "REPEATS": "3"}, map[string]any{"precision": "2%", "iterations": nil, "repeats": int64(3)}},
		{
			map[string]string{"RATE": "50,0.5"},
			map[string]any{
				"rate": []any{int64(50), 0.5}, "clients": nil, "preAllocatedVUs": int64(64), "duration": "10s", "iterations": nil,
			},
		},
		{
			map[string]string{"FIND": "p99<=5ms, max=16", "DURATION": "1s"},
			map[string]any{"find": map[string]any{"p99": "5ms", "max": int64(16)}, "clients": nil, "duration": "1s", "iterations": nil},
		},
	} {
		runtime, _ := newModule(t)
		require.NoError(t, runtime.VU.Runtime().Set("__ENV", tt.env))
		want := maps.Clone(usual)
		for name, value := range tt.want {
			if want[name] = value; value == nil {
				delete(want, name)
			}
		}
		got, is := evaluate(t, runtime, script).(map[string]any)
		require.True(t, is)
		require.Equal(t, map[string]any{"look": want}, got["scenarios"], tt.env)
	}
	for name, tt := range map[string][2]string{
		"CLIENTS": {"x", `CLIENTS must be integers from 1, with commas between them, such as 1,8,64, but is "x"`},
		"RATE":    {"-1", `RATE must be operations a second`},
		"FIND":    {"p99", `FIND must be a bound such as p99<5ms`},
		"WARMUP":  {"5", `WARMUP must be a time such as 2s, but is "5"`},
		"REPEATS": {"0", `REPEATS must be an integer from 1, but is "0"`},
		"GATE":    {"p98<2ms", `GATE must be bounds such as p99<2ms or opsPerSecond>1000`},
		"GATES":   {"nowhere.json", "nowhere.json"},
	} {
		runtime, _ := newModule(t)
		inFolder(runtime, t.TempDir())
		require.NoError(t, runtime.VU.Runtime().Set("__ENV", map[string]string{name: tt[0]}))
		_, err := runtime.VU.Runtime().RunString(script)
		require.ErrorContains(t, err, tt[1])
		require.NotContains(t, err.Error(), "sweep.options", "it is about a setting, and not about the script")
	}
}

func TestSweepOptionsThatMakeNoSense(t *testing.T) {
	for script, want := range map[string]string{
		`sweep.options()`: "sweep.options: takes an object of options",
		`sweep.options({ scenario: 5, clients: [1] })`:                                  "sweep.options: scenario must be a name",
		`sweep.options({ clients: [1], iterations: 1, portable: 'yes' })`:               "sweep.options: portable must be true or false",
		`sweep.options({ clients: [1], iterations: 1, thresholds: 5 })`:                 "sweep.options: thresholds must be an object of k6's own thresholds, such as { 'sweep_p99{clients:8}': ['value<5'] }",
		`sweep.options({ clients: [1], iterations: 1, thresholds: 'x.json' })`:          "sweep.options: thresholds must be an object of k6's own thresholds; a file of gates is named by gates: 'x.json'",
		`sweep.options({ clients: [1], iterations: 1, gates: {} })`:                     "sweep.options: gates must be the path of a file of gates, such as '../thresholds/x.json'",
		`sweep.options({ find: { p99: '1s', max: 5 }, iterations: 1, portable: true })`: "sweep.options: portable: find needs the executor client-sweep: its steps are not known before",
		`sweep.options({ clients: [1, 1], iterations: 1, portable: true })`:             "sweep.options: clients and rate must name each number once; repeats runs a step more often",
		`sweep.options({ clients: [1] })`:                                               "sweep.options: one of iterations (operations of each client), duration, untilDone (until sweep.done) and precision (such as '1%') must be set, and no two of them",
	} {
		runtime, _ := newModule(t)
		name, message := thrownBy(t, runtime, script)
		require.Equal(t, invalidConfig, name, script)
		require.Equal(t, want, message, script)
	}
}

func TestSweepOptionsCanBeChanged(t *testing.T) {
	runtime, _ := newModule(t)
	require.Equal(t, []any{"count==0", "count<1"}, evaluate(t, runtime, `(() => {
		const options = sweep.options({ clients: [1], iterations: 1 });
		options.thresholds.sweep_failed.push('count<1');
		return options.thresholds.sweep_failed;
	})()`))
	require.NotContains(t, evaluate(t, runtime, `sweep.options({ find: { p99: '1s', max: 2 }, iterations: 1 }).thresholds`),
		"sweep_incomplete", "in a search it only breaks the bound")
	_, message := thrownBy(t, runtime, `sweep.options({ executor: 'ramping-vus', clients: [1], iterations: 1 })`)
	require.Contains(t, message, "executor is always 'client-sweep'")
	_, message = thrownBy(t, runtime, `sweep.options({ clients: [1], iterations: 1, threshold: {} })`)
	require.Regexp(t, `^sweep.options: unknown option "threshold"; known are after, .*, portable, .*, scenario, `, message)
	require.Regexp(t, `; did you mean thresholds\?$`, message)
	_, message = thrownBy(t, runtime, `sweep.options({ clients: [1], iterations: NaN })`)
	require.Contains(t, message, "sweep.options:")
	_, message = thrownBy(t, runtime, `sweep.meta({ params: { iterations: 5 } })`)
	require.Contains(t, message, "params.iterations is what the sweep itself tells")
}

func TestPortableOptions(t *testing.T) {
	runtime, _ := newModule(t)
	options, ok := evaluate(t, runtime, `sweep.options({ scenario: 'look', clients: [1, 8], duration: '5s', warmup: '2s', pause: '3s', repeats: 2,
		portable: true, tags: { team: 'db' }, env: { A: 'b' }, exec: 'read', startTime: '1m' })`).(map[string]any)
	require.True(t, ok)
	scenarios, ok := options["scenarios"].(map[string]any)
	require.True(t, ok)
	require.Len(t, scenarios, 4)
	require.Equal(t, map[string]any{
		"executor": "per-vu-iterations", "vus": int64(8), "iterations": int64(1), "startTime": "1m25s", "maxDuration": "17s",
		"gracefulStop": "5s", "tags": map[string]any{"phase": "warmup", "team": "db"}, "exec": "read", "env": map[string]any{"A": "b"},
	}, scenarios["look-8-1"], "warm-up, duration and 10 s; the slots do not overlap")
	require.Equal(t, "1m50s", scenarios["look-1-2"].(map[string]any)["startTime"])
}

const someGates = `{
	"scenario": "rollup",
	"absolute": [{"op": "rollup", "clients": 2, "p99": "15ms"}, {"op": "rollup", "p50": "5ms"}]
}`

func TestGatesOfAFile(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "gates.json"), []byte(someGates), 0o600))
	runtime, results := newModule(t)
	inFolder(runtime, dir)
	require.Nil(t, evaluate(t, runtime, `sweep.gates('gates.json')`))
	require.NotNil(t, results.GatesOf(filepath.Join(dir, "gates.json")))

	require.NoError(t, os.Remove(filepath.Join(dir, "gates.json")))
	require.Nil(t, evaluate(t, runtime, `sweep.gates('gates.json')`), "read once, not by each VU")
	both := evaluate(t, runtime, `sweep.options({ scenario: 'rollup', clients: [2], iterations: 1, gates: 'gates.json', thresholds: { sweep_p99: ['value<9'] } })`)
	thresholds, ok := both.(map[string]any)["thresholds"].(map[string]any)
	require.True(t, ok)
	require.ElementsMatch(t, []string{"sweep_failed", "sweep_incomplete", "sweep_p99"}, slices.Collect(maps.Keys(thresholds)))
}

func TestThresholdsThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"bad.json":      `{"scenario": "x", "absolut": []}`,
		"relative.json": `{"scenario": "x", "relative": {"baseline": "gone.json", "p99": "+10%"}}`,
		"broken.json":   `{"scenario": "x", "relative": {"baseline": "bad.json", "p99": "+10%"}}`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	for script, want := range map[string]string{
		`sweep.gates()`:              "sweep.gates(path) takes the path of a file of gates",
		`sweep.gates('none.json')`:   "no such file",
		`sweep.gates('bad.json')`:    `"absolut"`,
		`sweep.gates('broken.json')`: "/bad.json: not a report",
	} {
		runtime, _ := newModule(t)
		inFolder(runtime, dir)
		_, message := thrownBy(t, runtime, script)
		require.Contains(t, message, want, script)
	}
	runtime, results := newModule(t)
	inFolder(runtime, dir)
	require.Nil(t, evaluate(t, runtime, `sweep.gates('relative.json')`), "the run comes before its baseline")
	require.Contains(t, results.GatesOf(filepath.Join(dir, "relative.json")).NoBaseline(), "k6 x sweep record RUN.json -o ")
	runtime.VU.InitEnvField = nil
	_, message := thrownBy(t, runtime, `sweep.gates('bad.json')`)
	require.Equal(t, "sweep.gates belongs into the init context, where options are", message)
}

func TestGatesAreJudged(t *testing.T) {
	file, err := gate.Parse([]byte(someGates))
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [1, 2], "iterations": 500}`, `sweep.run(() => sleep(10))`)
		testrun.Of(s.State.Test.Registry).AddGates("gates.json", file)
		rep, err := s.Run(t.Context())
		require.NoError(t, err)

		held := map[string]bool{}
		for _, v := range rep.Gates {
			held[v.Gate] = v.Held
		}
		plan := file.Plan()
		require.Len(t, rep.Gates, len(plan))
		require.True(t, held[plan[0]], "p99 of 2 clients")
		require.False(t, held[plan[1]], "p50 of every step")
	})
}

func TestGatesOfUnknownOperationsAreRefusedBeforeTheRun(t *testing.T) {
	runtime, results := newModule(t)
	file, err := gate.Parse([]byte(someGates))
	require.NoError(t, err)
	results.AddGates("gates.json", file)
	for given, want := range map[string]string{
		`{"clients": [1, 2], "iterations": 1}`:                                "",
		`{"clients": [2], "iterations": 1, "op": "x", "opNames": ["rollup"]}`: "",
		`{"find": {"p99": "1s", "max": 5}, "iterations": 1}`:                  "",
		`{"clients": [1, 2], "iterations": 1, "op": "tick"}`:                  `"rollup"`,
		`{"clients": [1, 4], "iterations": 1}`:                                "2",
	} {
		err := results.CheckGates(parseOptions(t, given).Planned())
		if want == "" {
			require.NoError(t, err, given)

			continue
		}
		require.ErrorContains(t, err, want, given)
	}
	other, err := executor.Read("other", []byte(`{"clients": [1], "iterations": 1}`))
	require.NoError(t, err)
	require.NoError(t, results.CheckGates(other.Planned()), "not its gates")

	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "gates.json"), []byte(someGates), 0o600))
	inFolder(runtime, dir)
	_, message := thrownBy(t, runtime, `sweep.options({ scenario: 'fake', clients: [2], iterations: 1, gates: 'gates.json' })`)
	require.Equal(t, `sweep.options: the gates are of scenario "rollup", not of "fake"`, message)
}
