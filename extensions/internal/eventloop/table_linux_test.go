//go:build !portable

package eventloop

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The table does not copy its slots for each new connection.
func TestTableGrowsInSteps(t *testing.T) {
	t.Parallel()
	const connections = 5000
	var all table
	watches := make([]watch, connections)
	copied := 0
	for i := range watches {
		before := all.all.Load()
		require.Equal(t, int32(i), all.put(&watches[i]))
		if before == nil || &(*before)[0] != &(*all.all.Load())[0] {
			copied++
		}
	}
	require.Less(t, copied, 60)
	require.Same(t, &watches[0], all.at(0))
	all.remove(connections - 1)
	all.remove(7)
	require.Nil(t, all.at(7))
	require.Equal(t, int32(7), all.put(&watches[7]))
	require.Same(t, &watches[4000], all.at(4000))
}
