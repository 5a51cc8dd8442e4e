package sweep_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/lib"
)

func TestSearchThatFindsNothingMarksTheRun(t *testing.T) {
	for name, tt := range map[string]struct {
		bound  string
		failed bool
	}{"nothing": {`"p99": "1ms"`, true}, "something": {`"mean": "1s"`, false}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSweep(t, `{"find": {`+tt.bound+`, "max": 2}, "iterations": 50, "pause": "0s"}`, `sweep.run(() => sleep(20))`)
				s.State.Test.TestStatus = lib.NewTestStatus()
				rep, err := s.Run(t.Context())
				require.NoError(t, err)
				require.Equal(t, tt.failed, s.State.Test.TestStatus.Failed())
				if tt.failed {
					require.Contains(t, s.Warnings(), "the search has found nothing: Not even 1 client keeps p99 <= 1ms. The run is marked as failed")
					require.Contains(t, rep.Markdown(), " operations rests on ")
				}
			})
		})
	}
}
