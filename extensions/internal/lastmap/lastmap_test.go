package lastmap

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMap(t *testing.T) {
	var known Map[string, int]
	_, ok := known.Get("")
	require.False(t, ok, "the zero key is not there before it is put in")
	put := map[string]int{"one": 1, "two": 2}
	known.Put("one", 1)
	known.Put("two", 2)
	for _, key := range []string{"two", "two", "one", "one", "two", "none", "two", "none", "none"} {
		want, there := put[key]
		got, ok := known.Get(key)
		require.Equal(t, there, ok, key)
		require.Equal(t, want, got, key)
	}
	known.Delete("one")
	known.Delete("two")
	known.Delete("none")
	for key := range put {
		_, ok := known.Get(key)
		require.False(t, ok, key)
	}
}
