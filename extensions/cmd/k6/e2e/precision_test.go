package e2e

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPrecisionEndsTheStep(t *testing.T) {
	t.Parallel()
	r := work(t, `{"clients": [2], "precision": "50%", "warmup": "200ms", "maxDuration": "300s"}`, nil)
	require.Equal(t, exitOK, r.code, r.output)
	rep := r.report(t, "work")
	require.Equal(t, "ops/s ±50 %", rep.Params["precision"])
	s := rep.Steps[0]
	require.True(t, s.Complete)
	require.Zero(t, s.PerClient)
	require.GreaterOrEqual(t, s.Window.Seconds, 3.0)
	require.Less(t, s.Window.Seconds, 250.0)
	require.GreaterOrEqual(t, s.Ops, 100)
	require.Contains(t, r.table(t, "work"), "| ops/s ± |")
	require.NotEmpty(t, r.lines("known to ops/s ±"), r.output)
}

func TestPrecisionThatIsNotReached(t *testing.T) {
	t.Parallel()
	r := work(t, `{"clients": [1], "precision": "0.1%", "warmup": "0s", "maxDuration": "5s"}`, map[string]string{"MS": "10"})
	require.Equal(t, exitThreshold, r.code, r.output)
	require.False(t, r.report(t, "work").Steps[0].Complete)
	require.NotEmpty(t, r.lines("maxDuration (5s) is over before the step is known to ops/s ±0.1 % (ops/s ±"), r.output)
	require.Empty(t, r.lines("known to ops/s ±0.1 % after"), r.output)
}

func TestPrecisionOfScenarios(t *testing.T) {
	t.Parallel()
	r := k6(t, options{script: "cache-sweep.js", env: cachesEnv(t, "TARGET", "memcached", "CLIENTS", "2", "PRECISION", "50%",
		"WARMUP", "200ms", "QUIET", "0s", "KEYS", "100", "MEMCACHED_URL", slowed(t, os.Getenv("MEMCACHED_URL")))})
	require.Equal(t, exitOK, r.code, r.output)
	rep := r.report(t, "cache-sweep-memcached")
	require.Equal(t, "ops/s ±50 %", rep.Params["precision"])
	require.True(t, rep.Steps[0].Complete)

	r = k6(t, options{script: "cache-sweep.js", env: cachesEnv(t, "TARGET", "memcached", "CLIENTS", "2", "PRECISION", "30%", "DURATION", "1s")})
	require.NotEmpty(t, r.lines("DURATION and PRECISION exclude each other: set one of them"), r.output)
}

func TestPrecisionOfADuet(t *testing.T) {
	t.Parallel()
	r := k6(t, options{script: "cache-sweep.js", env: cachesEnv(t, "TARGET", "memcached", "CLIENTS", "2", "PRECISION", "50%",
		"WARMUP", "200ms", "QUIET", "0s", "KEYS", "100", "BASE", "PIPELINE=2", "MAX_DURATION", "200s", "MEMCACHED_URL", slowed(t, os.Getenv("MEMCACHED_URL")))})
	require.Equal(t, exitOK, r.code, r.output)
	rep := r.report(t, "cache-sweep-memcached-duet")
	require.True(t, rep.Steps[0].Complete)
	require.NotEmpty(t, r.lines("known to ops/s ±"), r.output)
	require.Empty(t, r.lines("before the step is known"), r.output)
	require.NotEmpty(t, r.lines("pipeline 1 beside pipeline 2: ops/s"), r.output)
}
