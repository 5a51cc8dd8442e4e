package report

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A part differs from the whole run; the results folder does not matter.
func TestDifferencesOfParts(t *testing.T) {
	part := compareChanged(compareSteady(1), func(r *Report) { r.Params["segment"], r.Params["results"] = "0:1/2", "elsewhere" })
	require.Equal(t, []string{`params.segment differs: nothing and "0:1/2"`}, Differences(compareSteady(1), part))
	require.Empty(t, Differences(part, part))
}
