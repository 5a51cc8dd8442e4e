package testrun

import (
	"errors"
	"strings"
	"testing"

	"github.com/grafana/sobek"
	"github.com/stretchr/testify/require"
)

// An asynchronous function fails with its own error, without k6's text around it.
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

func TestTextOfWhatIsThrown(t *testing.T) {
	rt := sobek.New()
	for script, want := range map[string]string{
		`null`:                          "null",
		`'text'`:                        "text",
		`new Error('why')`:              "Error: why",
		`({ message: 'why', code: 5 })`: "why",
		`({ code: 5, list: [1], deep: { a: 1 } })`: "{ code: 5, list: [1], deep: an object }",
		`({})`: "{}",
		`Object.fromEntries(Array.from({ length: 12 }, (_, i) => [i, i]))`: "{ 0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 7, 8: 8, 9: 9, ... }",
		`({ get message() { throw 1 } })`:                                  "an object without a text",
		`'x'.repeat(999) + 'ü'`:                                            strings.Repeat("x", 999) + "...",
	} {
		value, err := rt.RunString(script)
		require.NoError(t, err)
		require.Equal(t, want, RejectedWith(value).Error(), script)
	}
}
