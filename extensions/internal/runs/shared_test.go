package runs

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/lib"
)

// Loops keep their processors from others only where the module has asked for it, and only where
// all VUs at work are at the loops: who answers may be in this process.
func TestLoopsKnowWhoIsAtWork(t *testing.T) {
	all, err := lib.NewExecutionTuple(nil, nil)
	require.NoError(t, err)
	state := lib.NewExecutionState(&lib.TestRunState{}, all, 3, 3)
	ctx := lib.WithExecutionState(t.Context(), state)
	var near Shared
	near.know(ctx)
	require.Nil(t, near.loops.Active, "its loops hold processors from who may have to answer")

	here := false
	far := Shared{Far: func() bool { return !here }}
	far.know(ctx)
	state.ModCurrentlyActiveVUsCount(+3)
	require.Equal(t, 3, far.loops.Active())
	state.ModCurrentlyActiveVUsCount(-1)
	require.Equal(t, 2, far.loops.Active())
	here = true
	require.Greater(t, far.loops.Active(), 3, "a part of this process may have to answer by now")

	unknown := Shared{Far: Elsewhere}
	unknown.know(t.Context())
	require.Nil(t, unknown.loops.Active)
}
