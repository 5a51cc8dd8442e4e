package sweep_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/testutil"
)

// drifting is a function whose operations start at 30 ms and get 5 ms faster each second, down to 5
// ms.
const drifting = `globalThis.began = globalThis.began || Date.now()
	sweep.run(() => sleep(Math.max(5, 30 - (Date.now() - began) / 200)))`

// The warm-up for a remote server lasts until the latency is steady. The extension does not count
// for maxDuration.
func TestFirstWarmUpLastsUntilTheLatencyDoesNotDrift(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [8, 4], "duration": "1s", "warmup": "2s", "maxDuration": "4s", "gracefulStop": "0s"}`, drifting)
		rep, err := s.Run(t.Context())
		require.NoError(t, err)
		require.Empty(t, s.Warnings())
		require.Len(t, rep.Steps, 2)
		for _, step := range rep.Steps {
			require.True(t, step.Complete)
			require.InDelta(t, 5, step.Latency.P50, 0.01)
		}
		require.True(t, rep.Quiet.Reached)
		require.Nil(t, rep.Quiet.ServerCores)
		require.Greater(t, rep.Quiet.WaitedSeconds, 3.0, "the drift ends after five seconds")
		require.Less(t, rep.Quiet.WaitedSeconds, 6.0)
		require.NoError(t, rep.Validate())
		require.NotContains(t, rep.Markdown(), "quiet")
	})
}

func TestFirstWarmUpEndsWithItsBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [8], "duration": "1s", "warmup": "2s", "quiet": "1s"}`, drifting)
		rep, err := s.Run(t.Context())
		require.NoError(t, err)
		require.True(t, rep.Steps[0].Complete)
		require.False(t, rep.Quiet.Reached)
		require.InDelta(t, 1, rep.Quiet.WaitedSeconds, 0.3)
		require.Contains(t, strings.Join(s.Warnings(), "\n"), "the target is not quiet after")
		require.Contains(t, rep.Markdown(), "The target was not quiet when the sweep began: after 1.1")
	})
}

func TestWarmUpsThatAreNotProlonged(t *testing.T) {
	for name, c := range map[string]struct {
		config, script, segment string
		judged                  bool
	}{
		"steady":      {`{"clients": [8], "duration": "1s", "warmup": "2s"}`, `sweep.run(() => sleep(10))`, "", true},
		"off":         {`{"clients": [8], "duration": "1s", "warmup": "2s", "quiet": "0s"}`, drifting, "", false},
		"a segment":   {`{"clients": [8], "duration": "1s", "warmup": "2s"}`, drifting, "0:1/2", false},
		"too seldom":  {`{"clients": [1], "duration": "1s", "warmup": "2s"}`, drifting, "", false},
		"no warm-up":  {`{"clients": [8], "duration": "3s"}`, drifting, "", false},
		"open loop":   {`{"rate": [100], "preAllocatedVUs": 20, "duration": "1s", "warmup": "2s"}`, drifting, "", false},
		"second step": {`{"clients": [1, 8], "duration": "1s", "warmup": "2s"}`, drifting, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSegment(t, c.config, c.script, testutil.Tuple(t, c.segment, ""))
				begin := time.Now()
				rep, err := s.Run(t.Context())
				require.NoError(t, err)
				require.Equal(t, c.judged, rep.Quiet != nil)
				require.Less(t, time.Since(begin), time.Duration(len(rep.Steps))*3*time.Second+200*time.Millisecond)
			})
		})
	}
}
