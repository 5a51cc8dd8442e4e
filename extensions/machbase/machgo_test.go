//go:build machgo

package machbase

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMachgoError(t *testing.T) {
	for _, test := range []struct {
		text string
		want *Error
	}{
		{"MACHCLI-ERR-2025, Table T does not exist.", machgoServerError(2025, "Table T does not exist.")},
		{"MACHCLI-ERR-2081,Invalid username/password.", machgoServerError(2081, "Invalid username/password.")},
		{"MACHCLI-ERR-3027, ", machgoServerError(3027, "")},
		{"server error code=2061 message=Cannot divide a value by zero.", machgoServerError(2061, "Cannot divide a value by zero.")},
		{"server error code=2061", machgoServerError(2061, "")},
		{"params required 1, but got 0", newError(KindUsage, "params required 1, but got 0")},
		{"bind unknown type at column 0 bool, expect: 8", newError(KindUsage, "bind unknown type at column 0 bool, expect: 8")},
		{"MACHCLI EOF, EOF", newError(KindConnection, "the connection broke: EOF")},
		{"MACHCLI read tcp: reset, read tcp: reset", newError(KindConnection, "the connection broke: read tcp: reset")},
		{"MACHCLI a, b", newError(KindConnection, "the connection broke: a, b")},
		{"EOF", newError(KindConnection, "the connection broke: EOF")},
		{"", newError(KindConnection, "the connection broke: ")},
		{"MACHCLI-ERR-0, no code", newError(KindConnection, "the connection broke: MACHCLI-ERR-0, no code")},
		{"MACHCLI unexpected protocol 12 expected 6, unexpected protocol 12 expected 6",
			&Error{Kind: KindAppend, Message: "the server has rejected rows that were appended before this call", outOfStep: true}},
	} {
		t.Run(test.text, func(t *testing.T) { require.Equal(t, test.want, machgoError(errors.New(test.text))) })
	}

	known := newError(KindExpect, "x")
	require.Same(t, known, machgoError(known))
}

func TestAppendError(t *testing.T) {
	for text, want := range map[string]*Error{
		"server error code=1345 message=must not be NULL":                      {Code: 1345, Kind: KindAppend, Message: "must not be NULL", outOfStep: true},
		"MACHCLI append column S: out of range, append column S: out of range": {Kind: KindAppend, Message: "append column S: out of range", outOfStep: true},
		"closed appender": {Kind: KindAppend, Message: "closed appender", outOfStep: true},
	} {
		e := appendError(errors.New(text))
		require.Equal(t, want, e)
		require.True(t, e.breaksConnection())
	}
}
