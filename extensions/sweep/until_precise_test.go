package sweep_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// A step with a precision ends at the first check that finds it reached, after 3 s at the earliest.
// In a duet, the ratio counts.
func TestStepEndsWhenItIsKnown(t *testing.T) {
	for name, tt := range map[string]struct {
		script      string
		least, most float64 // seconds
	}{
		"operations that are alike": {`sweep.run(() => sleep(10))`, 3, 3.1},
		"operations that differ":    {`let n = sweep.step().clients; sweep.run(() => { n = n * 16807 % 2147483647; sleep(1 + n % 100) })`, 3.7, 200},
		"a duet":                    {`sweep.run({ base: () => sleep(10), change: () => sleep(100) })`, 3, 13},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSweep(t, `{"clients": [4], "precision": "2%", "warmup": "200ms", "maxDuration": "300s"}`, tt.script)
				rep, err := s.Run(t.Context())
				require.NoError(t, err)
				require.NotEmpty(t, rep.Steps)
				for _, step := range rep.Steps {
					require.True(t, step.Complete)
					require.GreaterOrEqual(t, step.Seconds, tt.least)
					require.LessOrEqual(t, step.Seconds, tt.most)
				}
			})
		})
	}
}
