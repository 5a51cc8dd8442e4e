package e2e

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func wrong(t *testing.T, call string, args ...string) *run {
	t.Helper()

	return k6(t, options{script: "testdata/wrong.js", env: map[string]string{"CALL": call, defaultEnvMachbase: ""}, args: args})
}

// A wrong call would be wrong in each iteration, so it ends the test, whether it throws or rejects
// a promise.
func TestWrongCallsEndTheTest(t *testing.T) {
	t.Parallel()
	const ttl = "MemcachedError: set: ttl 60 must say its unit, such as '60s'"
	const name = "TypeError: there is no getAsync here: use asyncGet"
	for call, says := range map[string]string{
		"sync": ttl, "async": ttl, "inAsync": ttl, "name": name, "asyncName": name, "op": ttl,
		"module": "TypeError: there is no client here: use Client",
	} {
		begin := time.Now()
		r := wrong(t, call)
		require.Equal(t, exitScriptException, r.code, "%s:\n%s", call, r.output)
		require.Contains(t, r.output, says, call)
		require.Contains(t, r.output, "testdata/wrong.js:", "%s: where it stands", call)
		require.Less(t, time.Since(begin), 50*time.Second, "the test ends at once")
	}
}

func TestOtherErrorsDoNotEndTheTest(t *testing.T) {
	t.Parallel()
	r := wrong(t, "caught", "--vus=1", "--iterations=2", "--duration=1m")
	require.Equal(t, exitOK, r.code, r.output)
	require.NotContains(t, r.output, "not caught")
	r = wrong(t, "server", "--vus=1", "--iterations=2", "--duration=1m")
	require.Equal(t, exitOK, r.code, r.output)
	require.Len(t, r.lines("MemcachedError: "), 2, r.output)
}
