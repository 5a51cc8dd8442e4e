package testrun

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

func TestInSetup(t *testing.T) {
	for text, want := range map[string]string{
		"Uncaught (in promise) dial tcp 127.0.0.1:1: connection refused": "dial tcp 127.0.0.1:1: connection refused. Check the server and its address",
		"X: cannot connect; is it there?\n\tat setup (file:///a.js:1:1)": "X: cannot connect; is it there? Check the server and its address",
	} {
		require.True(t, Unreachable(errors.New(text)))
		require.Equal(t, want, InSetup(text))
	}
	require.False(t, Unreachable(nil))
	require.False(t, Unreachable(errors.New("TypeError: connections is not a function")))
}
