//go:build !portable

package host

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAServersProcessesAreNotK6(t *testing.T) {
	self, parent := int32(os.Getpid()), int32(os.Getppid())
	tree := processTree([]int32{parent})
	require.Contains(t, tree, parent)
	require.NotContains(t, tree, self)
	require.Contains(t, processTree([]int32{self}), self, "unless it is the server")
}

func TestServerTimeIncludesEndedChildren(t *testing.T) {
	server := startHelper(t, "127.0.0.1:0")
	process := FindServer("tcp://" + server.address)
	require.NotNil(t, process)
	before, ok := process.CPUTime()
	require.True(t, ok)
	burnt := server.burn("fork", 100*time.Millisecond)
	after, ok := process.CPUTime()
	require.True(t, ok)
	const tick = 10 * time.Millisecond // resolution of ended processes' times
	require.GreaterOrEqual(t, after-before, burnt-tick)
	server.end()
}
