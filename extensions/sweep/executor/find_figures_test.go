package executor

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// A search may bound the same latencies as gates.
func TestFindBoundsTheReportsFigures(t *testing.T) {
	limits := (&Find{}).limits()
	for _, f := range report.Latencies() {
		_, bounded := limits[f.Key]
		require.Equal(t, !f.Chance, bounded, f.Key)
		delete(limits, f.Key)
	}
	require.Empty(t, limits)
}
