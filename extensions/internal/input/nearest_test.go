package input

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDistance(t *testing.T) {
	for pair, want := range map[[2]string]int{
		{"", ""}: 0, {"", "get"}: 3, {"get", ""}: 3, {"get", "get"}: 0, {"gte", "get"}: 1, {"gt", "get"}: 1, {"gett", "get"}: 1,
		{"a_slwo", "a_slow"}: 1, {"kitten", "sitting"}: 3, {"größe", "grösse"}: 2, {"set", "get"}: 1, {"ab", "ba"}: 1, {"abc", "cab"}: 2,
	} {
		require.Equal(t, want, distance(pair[0], pair[1]), pair)
	}
}

func TestNearest(t *testing.T) {
	known := []string{"a_slow", "get", "getMulti", "rollup", "s", "a"}
	for name, want := range map[string]string{
		"a_slwo": "a_slow", "GET": "get", "gets": "get", "getmulty": "getMulti", "roll-up": "rollup", "rolup": "rollup", "tick": "", "": "", "put": "",
		"delete": "", "x": "", "S": "s",
	} {
		require.Equal(t, want, Nearest(name, known), name)
	}
}
