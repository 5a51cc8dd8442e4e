package fault

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// An asynchronous function fails with what it throws, and not with how k6 says that nobody has
// caught it.
func TestThrownByAPromise(t *testing.T) {
	for text, want := range map[string]scriptError{
		"Uncaught (in promise) ReferenceError: foo is not defined\n\tat typo (file:///a/b.js:47:18(3))\n\tat file:///a/b.js:63:53(4)\n": {
			"ReferenceError: foo is not defined", "file:///a/b.js:47:18",
		},
		"Uncaught (in promise) Error: two\nlines\n\tat file:///a/b.js:7:1(3)\n": {"Error: two\nlines", "file:///a/b.js:7:1"},
		"Uncaught (in promise) dial tcp 127.0.0.1:1: connection refused":        {"dial tcp 127.0.0.1:1: connection refused", ""},
	} {
		require.Equal(t, &want, Thrown(errors.New(text)))
	}
	other := errors.New("Caught")
	require.Equal(t, other, Thrown(other))
}
