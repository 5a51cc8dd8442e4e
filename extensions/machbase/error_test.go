package machbase

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestServerErrorKinds(t *testing.T) {
	kinds := map[int]string{
		2010: KindSyntax, 2025: KindNotFound, 2056: KindNotFound, 2654: KindNotFound, 2080: KindAuth, 2081: KindAuth,
		2031: KindBusy, 3039: KindBusy, 3017: KindAppend, 3027: KindCancelled,
	}
	for code := 1; code < 5000; code++ {
		kind := kinds[code]
		if kind == "" {
			kind = KindServer
		}
		e := serverError(code, "text")
		require.Equal(t, &Error{Code: code, Kind: kind, Message: "text"}, e)
		require.EqualError(t, e, fmt.Sprintf("text (machbase error %d)", code))
	}
}

func TestErrorWithoutACode(t *testing.T) {
	require.EqualError(t, newError(KindUsage, "a %d", 1), "a 1")
}

func TestAsError(t *testing.T) {
	known := newError(KindBusy, "x")
	require.Same(t, known, asError(known))
	require.Same(t, known, asError(fmt.Errorf("wrapped: %w", known)))
	require.Equal(t, newError(KindConnection, "the connection broke: EOF"), asError(errors.New("EOF")))
}

func TestBreaksConnection(t *testing.T) {
	for kind, breaks := range map[string]bool{
		KindConnect: true, KindConnection: true, KindTimeout: true, KindAppend: true, KindCancelled: true,
		KindAuth: false, KindSyntax: false, KindNotFound: false, KindBusy: false, KindExpect: false, KindUsage: false,
		KindServer: false,
	} {
		require.Equal(t, breaks, newError(kind, "x").breaksConnection(), kind)
		require.True(t, (&Error{Kind: kind, outOfStep: true}).breaksConnection(), kind)
	}
	require.False(t, serverError(3027, "Cancelled").breaksConnection(), "the server cancelled the query, not the connection")
	require.True(t, serverError(3017, "too large").breaksConnection())
}

func TestConnectError(t *testing.T) {
	for text, want := range map[string]string{
		"dial tcp 10.0.0.1:5656: connect: connection refused": "connection refused; is a Machbase server running there?",
		"dial tcp: lookup db: no such host":                   "there is no such host",
		"dial tcp 10.0.0.1:5656: i/o timeout":                 "no answer in time",
		"handshake failed: \"HTTP/1.1 \"":                     "handshake failed: \"HTTP/1.1 \"",
	} {
		e := connectError("db:5656", errors.New(text))
		require.Equal(t, newError(KindConnect, "%s", "cannot connect to db:5656: "+want), e)
	}
}

func TestMachgoError(t *testing.T) {
	for _, test := range []struct {
		text string
		want *Error
	}{
		{"MACHCLI-ERR-2025, Table T does not exist.", serverError(2025, "Table T does not exist.")},
		{"MACHCLI-ERR-2081,Invalid username/password.", serverError(2081, "Invalid username/password.")},
		{"MACHCLI-ERR-3027, ", serverError(3027, "")},
		{"server error code=2061 message=Cannot divide a value by zero.", serverError(2061, "Cannot divide a value by zero.")},
		{"server error code=2061", serverError(2061, "")},
		{"params required 1, but got 0", newError(KindUsage, "params required 1, but got 0")},
		{"bind unknown type at column 0 bool, expect: 8", newError(KindUsage, "bind unknown type at column 0 bool, expect: 8")},
		{"MACHCLI EOF, EOF", newError(KindConnection, "the connection broke: EOF")},
		{"MACHCLI read tcp: reset, read tcp: reset", newError(KindConnection, "the connection broke: read tcp: reset")},
		{"MACHCLI a, b", newError(KindConnection, "the connection broke: a, b")},
		{"EOF", newError(KindConnection, "the connection broke: EOF")},
		{"", newError(KindConnection, "the connection broke: ")},
		{"MACHCLI-ERR-0, no code", newError(KindConnection, "the connection broke: MACHCLI-ERR-0, no code")},
		{"MACHCLI unexpected protocol 12 expected 6, unexpected protocol 12 expected 6",
			newError(KindAppend, "the server has rejected rows that were appended before this call")},
	} {
		t.Run(test.text, func(t *testing.T) { require.Equal(t, test.want, machgoError(errors.New(test.text))) })
	}

	known := newError(KindExpect, "x")
	require.Same(t, known, machgoError(known))
}

func TestAppendError(t *testing.T) {
	for text, want := range map[string]*Error{
		"server error code=1345 message=must not be NULL":                      {Code: 1345, Kind: KindAppend, Message: "must not be NULL"},
		"MACHCLI append column S: out of range, append column S: out of range": newError(KindAppend, "append column S: out of range"),
		"closed appender": newError(KindAppend, "closed appender"),
	} {
		e := appendError(errors.New(text))
		require.Equal(t, want, e)
		require.True(t, e.breaksConnection())
	}
}

func TestMachgoSQL(t *testing.T) {
	for sql, want := range map[string]string{
		"select 1":                            "select 1",
		"  select 1\n":                        "select 1",
		"-- who\nselect 1":                    "select 1",
		"-- a\n  -- b\n/* c\n */select 1":     "select 1",
		"/* a */ /* b */ select 1":            "select 1",
		"select /*+ SCAN_FORWARD(t) */ a":     "select /*+ SCAN_FORWARD(t) */ a",
		"select/*+ SCAN_FORWARD(t) */ a":      "select /*+ SCAN_FORWARD(t) */ a",
		"SELECT*from t":                       "SELECT *from t",
		"select'a' from t":                    "select 'a' from t",
		"select\na from t":                    "select\na from t",
		"selected":                            "selected",
		"select_1":                            "select_1",
		"select 1 -- the end":                 "select 1 -- the end",
		"select '-- no comment' /* inside */": "select '-- no comment' /* inside */",
		"-- only a comment":                   "-- only a comment",
		"/* never ends":                       "/* never ends",
		"/**/select 1":                        "select 1",
		"-":                                   "-",
		"":                                    "",
	} {
		require.Equal(t, want, machgoSQL(sql), "%q", sql)
	}
}
