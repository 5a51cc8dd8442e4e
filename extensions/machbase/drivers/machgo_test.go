package main

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

func TestMachgoError(t *testing.T) {
	for _, test := range []struct {
		text string
		want *cmi.Error
	}{
		{"MACHCLI-ERR-2025, Table T does not exist.", cmi.ServerError(2025, "Table T does not exist.")},
		{"MACHCLI-ERR-2081,Invalid username/password.", cmi.ServerError(2081, "Invalid username/password.")},
		{"MACHCLI-ERR-3027, ", cmi.ServerError(3027, "")},
		{"server error code=2061 message=Cannot divide a value by zero.", cmi.ServerError(2061, "Cannot divide a value by zero.")},
		{"server error code=2061", cmi.ServerError(2061, "")},
		{"params required 1, but got 0", cmi.NewError(cmi.KindUsage, "params required 1, but got 0")},
		{"bind unknown type at column 0 bool, expect: 8", cmi.NewError(cmi.KindUsage, "bind unknown type at column 0 bool, expect: 8")},
		{"unsupported bind type x", cmi.NewError(cmi.KindUsage, "unsupported bind type x")},
		{"MACHCLI EOF, EOF", cmi.NewError(cmi.KindConnection, "the connection broke: EOF")},
		{"MACHCLI read tcp: reset, read tcp: reset", cmi.NewError(cmi.KindConnection, "the connection broke: read tcp: reset")},
		{"MACHCLI a, b", cmi.NewError(cmi.KindConnection, "the connection broke: a, b")},
		{"EOF", cmi.NewError(cmi.KindConnection, "the connection broke: EOF")},
		{"", cmi.NewError(cmi.KindConnection, "the connection broke: ")},
		{"MACHCLI-ERR-0, no code", cmi.NewError(cmi.KindConnection, "the connection broke: MACHCLI-ERR-0, no code")},
		{"MACHCLI unexpected protocol 12 expected 6, unexpected protocol 12 expected 6",
			errRejected},
	} {
		t.Run(test.text, func(t *testing.T) { require.Equal(t, test.want, clientError(errors.New(test.text))) })
	}

	known := cmi.NewError(cmi.KindBusy, "x")
	require.Same(t, known, clientError(known))

	c := &conn{}
	require.Equal(t, known, c.failed(known))
	require.False(t, c.Broken())
	require.Equal(t, errRejected, c.failed(errors.New("MACHCLI unexpected protocol 12 expected 6")))
	require.True(t, c.Broken())
}

func TestAppendError(t *testing.T) {
	for text, want := range map[string]*cmi.Error{
		"server error code=1345 message=must not be NULL":                      {Code: 1345, Kind: cmi.KindAppend, Message: "must not be NULL"},
		"MACHCLI append column S: out of range, append column S: out of range": {Kind: cmi.KindAppend, Message: "append column S: out of range"},
		"closed appender": {Kind: cmi.KindAppend, Message: "closed appender"},
	} {
		c := &conn{}
		require.Equal(t, want, c.outOfStep(errors.New(text)))
		require.True(t, c.Broken())
	}
}
