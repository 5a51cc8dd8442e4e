package testrun

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/metrics"
)

func TestSweepsAtWork(t *testing.T) {
	r := Of(metrics.NewRegistry())
	for _, scenario := range []string{"a", "b", "c"} {
		r.Register(scenario)
	}
	require.Empty(t, r.Running("a"))
	require.Equal(t, []string{"a"}, r.Running("b"))
	close(r.sweeps["a"])
	require.Equal(t, []string{"b"}, r.Running("c"))
}

// Shared is called for each operation of sweep.op.
func TestSharedAllocatesOnce(t *testing.T) {
	type part struct{ n int }
	r := Of(metrics.NewRegistry())
	first := Shared[part](r)
	require.Same(t, first, Shared[part](r))
	require.Zero(t, testing.AllocsPerRun(100, func() { Shared[part](r).n++ }))
}
