package sweep_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/testrun"
)

func TestAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [1], "iterations": 1, "after": "before"}`, `sweep.run(() => sleep(10))`)
		results := testrun.Of(s.State.Test.Registry)
		results.Register("before")
		ran := make(chan struct{})
		go func() {
			defer close(ran)
			_, err := s.Run(t.Context())
			require.NoError(t, err)
		}()
		synctest.Wait()
		require.Zero(t, s.Calls())
		before, known := results.Done("before")
		require.True(t, known)
		close(before)
		<-ran
		require.Equal(t, 1, s.Calls())
		own, _ := results.Done("rollup")
		<-own
	})
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [1], "iterations": 1, "after": "nobody"}`, `sweep.run(() => sleep(10))`)
		require.EqualError(t, s.Executor.Run(t.Context(), s.Out),
			`scenario "rollup": after must name another scenario with the executor 'client-sweep', but is "nobody"`)
	})
}
