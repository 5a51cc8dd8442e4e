package host

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// Of a server that has started k6, what k6 uses is no part.
func TestAServersProcessesAreNotK6(t *testing.T) {
	self, parent := int32(os.Getpid()), int32(os.Getppid())
	tree := processTree([]int32{parent})
	require.Contains(t, tree, parent)
	require.NotContains(t, tree, self)
	require.Contains(t, processTree([]int32{self}), self, "unless it is the server")
}
