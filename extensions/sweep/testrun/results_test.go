package testrun

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/metrics"
)

func TestSweepsAtWork(t *testing.T) {
	r := Of(metrics.NewRegistry())
	for _, scenario := range []string{"a", "b", "c"} {
		r.Expect(scenario)
	}
	require.Empty(t, r.AtWork("a"))
	require.Equal(t, []string{"a"}, r.AtWork("b"))
	close(r.sweeps["a"])
	require.Equal(t, []string{"b"}, r.AtWork("c"))
}

// Shared is called for each operation of sweep.op.
func TestSharedAllocatesOnce(t *testing.T) {
	type part struct{ n int }
	r := Of(metrics.NewRegistry())
	first := Shared[part](r)
	require.Same(t, first, Shared[part](r))
	require.Zero(t, testing.AllocsPerRun(100, func() { Shared[part](r).n++ }))
}
