package testutil

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/lib"
)

// Tuple returns an execution segment such as "0:1/2" of the sequence "0,1/2,1"; "" means the whole
// test.
func Tuple(t *testing.T, segment, sequence string) *lib.ExecutionTuple {
	t.Helper()
	if segment == "" {
		et, err := lib.NewExecutionTuple(nil, nil)
		require.NoError(t, err)

		return et
	}
	es, err := lib.NewExecutionSegmentFromString(segment)
	require.NoError(t, err)
	seq, err := lib.NewExecutionSegmentSequenceFromString(sequence)
	require.NoError(t, err)
	et, err := lib.NewExecutionTuple(es, &seq)
	require.NoError(t, err)

	return et
}
