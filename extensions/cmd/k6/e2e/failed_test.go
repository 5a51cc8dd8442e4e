package e2e

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestThresholdOnFailedOperations(t *testing.T) {
	t.Parallel()
	run := func(url, metric string) *run {
		return k6(t, options{script: "testdata/failed.js", env: map[string]string{
			defaultEnvMachbase: "", "MEMCACHED_URL": url, "METRIC": metric,
		}})
	}
	good := os.Getenv("MEMCACHED_URL")
	require.NotEmpty(t, good)
	r := run(good, "")
	require.Equal(t, exitOK, r.code, r.output)
	require.Regexp(t, `memcached_failed\.*: 0\.00% `, r.output)
	require.Zero(t, sum(r.samples(t, "memcached_failed"), nil))
	require.GreaterOrEqual(t, len(r.samples(t, "memcached_failed")), 20)

	r = run("127.0.0.1:1", "")
	require.Equal(t, exitThreshold, r.code, r.output)
	require.Regexp(t, `memcached_failed\.*: 100\.00% `, r.output)
	require.Regexp(t, `\{ page:home \}\.*: 100\.00% `, r.output)

	r = run(good, "memcached_faild")
	require.Equal(t, exitInvalidConfig, r.code, r.output)
	require.Contains(t, r.output, "did you mean memcached_failed?")
}
