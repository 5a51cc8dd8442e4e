package executor

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sirupsen/logrus"
	logtest "github.com/sirupsen/logrus/hooks/test"
	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/testutil"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/host"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/testrun"
)

// waiting returns a sweep before its first step, and its log.
func waiting(t *testing.T, options string) (*sweepRun, *logtest.Hook) {
	t.Helper()
	logger, logs := logtest.NewNullLogger()
	registry, tuple := metrics.NewRegistry(), testutil.Tuple(t, "", "")
	state := lib.NewExecutionState(&lib.TestRunState{
		TestPreInitState: &lib.TestPreInitState{Registry: registry, Logger: logger}, RunTags: registry.RootTagSet(),
	}, tuple, 0, 0)
	config := read(t, options)
	results := testrun.Of(registry)

	return &sweepRun{
		config: config, state: state, results: results, logger: logrus.NewEntry(logger), progress: newProgress(config),
		scenario: results.NewScenario(testrun.Start{Name: "rollup"}),
	}, logs
}

func TestSweepWaitsForAServerOnThisMachine(t *testing.T) {
	const busyFor, ever = 5 * time.Second, time.Hour
	for name, tt := range map[string]struct {
		busy, cutOff time.Duration
		ends         time.Duration // when the server exits; zero: never
		took         time.Duration
		reached      *bool
	}{
		"at rest":        {0, ever, 0, time.Second, new(true)},
		"busy at first":  {busyFor, ever, 0, busyFor + time.Second, new(true)},
		"always busy":    {ever, ever, 0, 10 * time.Second, new(false)},
		"interrupted":    {ever, 3 * time.Second, 0, 3 * time.Second, nil},
		"it has ended":   {ever, ever, 2 * time.Second, 2 * time.Second, nil},
		"ended at first": {ever, ever, 1, 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, logs := waiting(t, `{"clients": [1], "iterations": 1, "quiet": "10s"}`)
				ctx, cancel := context.WithTimeout(t.Context(), tt.cutOff)
				defer cancel()
				begin := time.Now()
				r.awaitRest(ctx, func() (time.Duration, bool) {
					passed := time.Since(begin)

					return min(passed, tt.busy)/3 + passed/50, tt.ends == 0 || passed < tt.ends-1
				})
				require.InDelta(t, tt.took.Seconds(), time.Since(begin).Seconds(), host.RestWindow.Seconds())
				quiet := r.scenario.Report.Quiet
				if tt.reached == nil {
					require.Nil(t, quiet)

					return
				}
				require.Equal(t, *tt.reached, quiet.Reached)
				require.InDelta(t, time.Since(begin).Seconds(), quiet.WaitedSeconds, 1e-9)
				require.Equal(t, *tt.reached, *quiet.ServerCores < 0.05)
				if !*tt.reached {
					require.Equal(t, "the target is not quiet after 10s: its server uses 0.35 of a core; it is measured all the same", logs.LastEntry().Message)
				}
				_, shown := r.progress.read()
				require.Equal(t, "waiting until the target is quiet", shown[0])
			})
		})
	}
}

// Other active scenarios keep the server busy, so there is no wait.
func TestSweepBesideOthersDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := waiting(t, `{"clients": [8], "duration": "1s", "warmup": "2s"}`)
		require.True(t, r.awaitsQuiet())
		r.state.ModCurrentlyActiveVUsCount(+1)
		require.False(t, r.awaitsQuiet())
	})
}
