package operr

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestToCheck(t *testing.T) {
	for text, want := range map[string]string{
		"TypeError: x is not a function":               "the script",
		"Error: TypeError":                             "the script, the server's address, user and password",
		"MachbaseError: Invalid username or password.": "user and password",
		"grpc: a.B/C answered UNAUTHENTICATED":         "user and password",
		"http: GET http://h/: dial: i/o timeout":       "the server and its address",
		"lookup nowhere: no such host":                 "the server and its address",
		"out of memory":                                "the script, the server's address, user and password",
	} {
		require.Equal(t, want, toCheck(errors.New(text)), text)
	}
}
