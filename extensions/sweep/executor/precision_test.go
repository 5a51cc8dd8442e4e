package executor

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/testutil"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

func TestPrecision(t *testing.T) {
	for given, want := range map[string]stats.Aim{
		`"1%"`: {OpsPerSecond: 0.01}, `0.02`: {OpsPerSecond: 0.02}, `"0.5 %"`: {OpsPerSecond: 0.005},
		`{"p99": "5%"}`: {P99: 0.05}, `{"opsPerSecond": 0.01, "p99": "5%"}`: {OpsPerSecond: 0.01, P99: 0.05},
	} {
		c := read(t, `{"clients": [1], "precision": `+given+`}`)
		require.Empty(t, c.Validate())
		require.InDelta(t, want.OpsPerSecond, c.Precision.OpsPerSecond, 1e-12, given)
		require.InDelta(t, want.P99, c.Precision.P99, 1e-12, given)
		require.True(t, c.plan(Step{}, testutil.Tuple(t, "", "")).UntilKnown)
		require.Equal(t, time.Second, c.Warmup.TimeDuration(), "it warms up")

		written, err := json.Marshal(c.Precision)
		require.NoError(t, err)
		var again Precision
		require.NoError(t, json.Unmarshal(written, &again), "an archive")
		require.Equal(t, c.Precision, again)
	}
	c := read(t, `{"clients": [1], "precision": {"opsPerSecond": "1%", "p99": "2.5%"}, "warmup": "0s"}`)
	require.Equal(t, true, c.Params(testutil.Tuple(t, "", ""))["intervals"], "who asks for precision is shown it")
	require.Equal(t, "ops/s ±1 %, p99 ±2.5 %", c.Params(testutil.Tuple(t, "", ""))["precision"])
	require.Zero(t, c.Warmup.Duration, "not where none is asked for")
	require.ErrorContains(t, c.fits(testutil.Tuple(t, "0:1/2", "")), "precision cannot be shared by execution segments")
	require.Empty(t, c.NoDuet(testutil.Tuple(t, "", "")), "in a duet it is of the ratio")
}

func TestPrecisionThatIsRefused(t *testing.T) {
	for _, given := range []string{`"1"`, `1`, `0`, `"0%"`, `"60%"`, `-0.01`, `true`, `{}`, `{"p50": "1%"}`, `{"p99": 7}`, `[0.01]`} {
		_, err := Read("rollup", []byte(`{"clients": [1], "precision": `+given+`}`))
		require.ErrorContains(t, err, "precision must be from '0.1%' to '50%', or an object such as", given)
	}
	for given, says := range map[string]string{
		`{"clients": [1], "precision": "1%", "duration": "5s"}`:                    "and precision (such as '1%') must be set, and no two of them",
		`{"rate": [5], "preAllocatedVUs": 1, "duration": "1s", "precision": "1%"}`: "none of iterations, untilDone and precision",
	} {
		errs := read(t, given).Validate()
		require.Len(t, errs, 1)
		require.ErrorContains(t, errs[0], says)
	}
}
