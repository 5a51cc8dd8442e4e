package runs

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// Few clients beside a server on this machine leave it half of the processors, where runs ask for
// that; all others have a loop for each.
func TestFewClientsAreAtHalfOfTheLoops(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	answers := false
	shared := &Shared{Far: func() bool { return !answers }}
	halved, whole := New(nil, shared, nil), New(nil, shared, nil)
	halved.HalveLoops()
	step := func(clients int, beside bool) *measure.Step {
		return measure.NewStep(clients, measure.Plan{Beside: beside}, nil)
	}

	require.Equal(t, 2, halved.loopsOf(step(32, true)))
	require.Equal(t, 4, halved.loopsOf(step(33, true)), "more than 8 for each processor")
	require.Equal(t, 4, halved.loopsOf(step(32, false)), "the server has processors of its own")
	require.Equal(t, 4, whole.loopsOf(step(32, true)), "nobody has asked for it")

	halved.Pipeline(50)
	require.Equal(t, 4, halved.loopsOf(step(32, true)))
	halved.Pipeline(1)
	require.Equal(t, 2, halved.loopsOf(step(32, true)))

	answers = true
	require.Equal(t, 4, halved.loopsOf(step(32, true)), "who answers needs a processor of k6's")
	answers = false

	runtime.GOMAXPROCS(1)
	require.Equal(t, 1, halved.loopsOf(step(8, true)), "there is always one")
	require.Equal(t, 3, halved.loopsOf(measure.NewStep(8, measure.Plan{Beside: true, Rate: 2*perLoop + 1}, nil)), "a rate has its own")
}
