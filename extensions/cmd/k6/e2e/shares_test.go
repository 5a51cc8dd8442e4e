package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func inspected(t *testing.T, script string, settings ...string) map[string]struct {
	Iterations *int
	Duration   *string
} {
	t.Helper()
	args := []string{"inspect"}
	for _, setting := range settings {
		args = append(args, "-e", setting)
	}
	cmd := exec.Command(withoutRace(t), append(args, filepath.Join(root, "scenarios", script))...)
	cmd.Env = append(os.Environ(), "K6_AUTO_EXTENSION_RESOLUTION=false", "K6_NO_USAGE_REPORT=true", "SWEEP_ITERATIONS=", "SWEEP_DURATION=")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	var options struct {
		Scenarios map[string]struct {
			Iterations *int
			Duration   *string
		}
	}
	require.NoError(t, json.Unmarshal(out, &options))
	require.NotEmpty(t, options.Scenarios)

	return options.Scenarios
}

func TestDefaultShares(t *testing.T) {
	t.Parallel()
	for script, usual := range map[string]any{
		"stock-rollup.js": 10000, "stock-tick.js": 10000, "stock-union.js": 10000, "stock-bench.js": 10000,
		"stock-append.js": "10s", "cache-sweep.js": "10s", "postgres.js": "10s", "nats-core.js": "10s", "natsjs-kv-sweep.js": "10s", "read-bulk.js": "30s",
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			for name, s := range inspected(t, script) {
				if iterations, is := usual.(int); is {
					require.Nil(t, s.Duration, name)
					require.Equal(t, iterations, *s.Iterations, name)
				} else {
					require.Nil(t, s.Iterations, name)
					require.Equal(t, usual, *s.Duration, name)
				}
			}
			for name, s := range inspected(t, script, "ITERATIONS=7") {
				require.Nil(t, s.Duration, name)
				require.Equal(t, 7, *s.Iterations, name)
			}
			for name, s := range inspected(t, script, "DURATION=5s") {
				require.Nil(t, s.Iterations, name)
				require.Equal(t, "5s", *s.Duration, name)
			}
		})
	}
}

func TestStockRollupHasStepDurations(t *testing.T) {
	t.Parallel()
	recipe := func(args ...string) string {
		cmd := exec.Command("make", append([]string{"-n", "-o", "bin/k6", "-o", "bin/k6-drivers"}, args...)...)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "SWEEP_ITERATIONS=", "SWEEP_DURATION=", "SWEEP_REPEATS=", "MAKEFLAGS=",
			"ITERATIONS=5", "DURATION=5m", "SECONDS=true") // exported by a shell
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))

		return string(out)
	}
	require.Contains(t, recipe("stock-rollup"), "-e DURATION=10s scenarios/stock-rollup.js")
	require.NotContains(t, recipe("stock-rollup", "ITERATIONS=10000"), "DURATION")
	require.NotContains(t, recipe("stock-rollup", "DURATION=1m"), "10s", "the setting is in the environment")
	require.Contains(t, recipe("stock-drivers"), "-e DURATION=2s -e WARMUP=1s -e PAUSE=200ms -e REPEATS=4 scenarios/stock-drivers.js")
	require.NotContains(t, recipe("stock-drivers", "ITERATIONS=10"), "DURATION")
}
