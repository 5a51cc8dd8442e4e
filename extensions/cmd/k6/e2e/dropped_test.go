package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// noMachbase lets a run work without the server.
var noMachbase = map[string]string{defaultEnvMachbase: "machbase://127.0.0.1:1"}

func with(env, more map[string]string) map[string]string {
	all := map[string]string{}
	for _, from := range []map[string]string{env, more} {
		for name, value := range from {
			all[name] = value
		}
	}

	return all
}

func TestOptionsThatDropTheScenariosEndTheTestAtOnce(t *testing.T) {
	t.Parallel()
	config := filepath.Join(t.TempDir(), "config.json")
	require.NoError(t, os.WriteFile(config, []byte(`{"vus": 2}`), 0o644))
	cacheSweep := options{script: "cache-sweep.js", env: map[string]string{"MEMCACHED_URL": "127.0.0.1:1"}}
	own := options{script: "testdata/own.js"}
	for name, tt := range map[string]struct {
		options
		args, environment []string
		scenario          string
	}{
		"duration":            {own, []string{"--duration", "3s"}, nil, "own"},
		"duration of ours":    {cacheSweep, []string{"--duration=3s"}, nil, "cache-sweep"},
		"vus":                 {own, []string{"-u", "2"}, nil, "own"},
		"iterations":          {own, []string{"-qi5"}, nil, "own"},
		"stage":               {own, []string{"--stage", "3s:2"}, nil, "own"},
		"environment":         {own, nil, []string{"K6_DURATION=3s"}, "own"},
		"configuration file":  {own, []string{"--config", config}, nil, "own"},
		"the script":          {options{script: own.script, env: map[string]string{"OPTIONS": `{"vus": 2}`}}, nil, nil, "own"},
		"portable":            {options{script: own.script, env: map[string]string{"SWEEP": `{"portable": true, "maxDuration": "2s"}`}}, []string{"--vus", "2"}, nil, "own"},
		"a script without us": {options{script: "testdata/bare.js"}, []string{"--iterations", "2"}, nil, "bare"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.options.args, tt.options.environment = tt.args, tt.environment
			tt.env = with(noMachbase, tt.env)
			r := k6(t, tt.options)
			require.Equal(t, exitInvalidConfig, r.code, r.output)
			lines := r.lines("level=error")
			require.Len(t, lines, 1, r.output)
			require.NotContains(t, lines[0], "\\n", "there is no stack")
			require.Contains(t, lines[0], "no sweep runs: k6's options vus, duration, iterations and stages replace the script's scenarios ("+
				tt.scenario+"), ")
			require.Contains(t, lines[0], "; use -e DURATION, ITERATIONS or CLIENTS")
			require.NoFileExists(t, filepath.Join(r.results, tt.scenario+".json"))
		})
	}
}

func TestRunUnderAnotherExecutorEndsTheTest(t *testing.T) {
	t.Parallel()
	r := k6(t, options{script: "testdata/elsewhere.js", env: noMachbase})
	require.Equal(t, exitInvalidConfig, r.code, r.output)
	lines := r.lines("level=error")
	require.Len(t, lines, 1, r.output)
	require.Contains(t, lines[0], "sweep.run works in scenarios with executor 'client-sweep' only")
}

// A segment in which a sweep has no client has no executor for it; that is no error.
func TestSegmentWithoutClientsIsValid(t *testing.T) {
	t.Parallel()
	gates := filepath.Join(t.TempDir(), "gates.json")
	require.NoError(t, os.WriteFile(gates, []byte(`{"scenario": "own", "absolute": [{"op": "own", "p50": "10s"}]}`), 0o600))
	r := k6(t, options{
		script: "testdata/own.js",
		env:    with(noMachbase, map[string]string{"SWEEP": `{"clients": [1]}`}),
		args:   []string{"--execution-segment", "0:1/2", "--execution-segment-sequence", "0,1/2,1"},
	})
	other := k6(t, options{
		script: "testdata/own.js",
		env:    with(noMachbase, map[string]string{"SWEEP": `{"clients": [1], "gates": "` + gates + `"}`}),
		args:   []string{"--execution-segment", "1/2:1", "--execution-segment-sequence", "0,1/2,1"},
	})
	require.Equal(t, []int{exitOK, exitOK}, []int{r.code, other.code}, r.output+other.output)
	require.Empty(t, strings.Join(append(r.lines("level=error"), other.lines("level=error")...), ""))
}

// k6's own scenarios with sweep.op are no sweep, so --vus may change them.
func TestVUsOptionOfPlainScenarios(t *testing.T) {
	t.Parallel()
	r := k6(t, options{script: "testdata/elsewhere.js", env: with(noMachbase, map[string]string{"OP": "true"}), args: []string{"--vus", "2", "--iterations", "4"}})
	require.Equal(t, exitOK, r.code, r.output)
	require.Len(t, r.samples(t, "sweep_op_duration"), 4)
}
