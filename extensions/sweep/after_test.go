package sweep

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// A sweep begins when the one before it has ended.
func TestAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweepTest(t, `{"clients": [1], "iterations": 1, "after": "before"}`, `sweep.run(() => sleep(10))`)
		results := resultsOf(s.state.Test.Registry)
		results.expect("before")
		ran := make(chan struct{})
		go func() {
			defer close(ran)
			_, err := s.run(t.Context())
			require.NoError(t, err)
		}()
		synctest.Wait()
		require.Zero(t, s.calls())
		before, known := results.ended("before")
		require.True(t, known)
		close(before)
		<-ran
		require.Equal(t, 1, s.calls())
		own, _ := results.ended("rollup")
		<-own
	})
	synctest.Test(t, func(t *testing.T) {
		s := newSweepTest(t, `{"clients": [1], "iterations": 1, "after": "nobody"}`, `sweep.run(() => sleep(10))`)
		require.EqualError(t, s.executor.Run(t.Context(), s.out),
			`scenario "rollup": after must name another scenario with the executor 'client-sweep', but is "nobody"`)
	})
}
