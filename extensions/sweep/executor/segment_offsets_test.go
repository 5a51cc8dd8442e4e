package executor

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/testutil"
)

func TestPlacesOfSegments(t *testing.T) {
	const sequence = "0,1/5,1/2,1"
	for _, n := range []uint64{0, 1, 7, 100, 12345} {
		var among uint64
		seen := map[uint64]bool{}
		for _, segment := range []string{"0:1/5", "1/5:1/2", "1/2:1"} {
			places := newSegmentPlaces(testutil.Tuple(t, segment, sequence))()
			here := places.Among(n)
			among += here
			for range min(here, 50) {
				place := places.Next()
				require.Less(t, place, n)
				require.False(t, seen[place])
				seen[place] = true
			}
		}
		require.Equal(t, n, among)
	}
}

func TestIterationsAreNumbered(t *testing.T) {
	seen := map[uint64]bool{}
	for _, segment := range []string{"0:1/2", "1/2:1"} {
		it := newIterations(testutil.Tuple(t, segment, "0,1/2,1"))
		for want := range uint64(10) {
			local, global := it.next()
			require.Equal(t, want, local)
			require.False(t, seen[global], "%d is in two segments", global)
			seen[global] = true
		}
	}
	require.Len(t, seen, 20)
	for i := range uint64(20) {
		require.True(t, seen[i])
	}
}
