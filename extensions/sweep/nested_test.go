package sweep_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/errext"
)

// Operations of a nested sweep.run would belong to both.
func TestSweepRunWithinSweepRunEndsTheTest(t *testing.T) {
	for _, script := range []string{
		`sweep.run(() => sweep.run(() => sleep(1)))`,
		`sweep.run(() => { try { sweep.run(() => sleep(1)) } catch (e) {} })`,
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newSweep(t, `{"clients": [2, 1], "iterations": 10}`, script)
			rep, err := s.Run(t.Context())
			var abort *errext.InterruptError
			require.ErrorAs(t, err, &abort)
			require.Equal(t, "sweep.run(fn) is called within the function of another sweep.run: sweep.op names a piece of an operation", abort.Reason)
			for _, step := range rep.Steps {
				require.Zero(t, step.Operations+int64(step.Failed))
			}
		})
	}
}
