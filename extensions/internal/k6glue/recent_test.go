package k6glue

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRecent(t *testing.T) {
	var known Recent[string, int]
	require.Nil(t, known.Get(""), "the zero key is not there before it is put in")
	one, two := 1, 2
	known.Put("one", &one)
	known.Put("two", &two)
	for _, key := range []string{"two", "two", "one", "one", "two", "none", "two"} {
		require.Same(t, map[string]*int{"one": &one, "two": &two}[key], known.Get(key), key)
	}
}
