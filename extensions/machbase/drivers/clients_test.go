package main

import (
	"errors"
	"net/netip"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSQL(t *testing.T) {
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
	} {
		rewritten, err := clientSQL(sql)
		require.NoError(t, err, "%q", sql)
		require.Equal(t, want, rewritten, "%q", sql)
	}
	for _, sql := range []string{"", " \n", "/* nothing */ "} {
		_, err := clientSQL(sql)
		require.EqualError(t, err, "there is no statement", "%q", sql)
	}
}

func TestServerError(t *testing.T) {
	for _, test := range []struct {
		text    string
		code    int
		message string
	}{
		{"MACHCLI-ERR-2025, Table T does not exist.", 2025, "Table T does not exist."},
		{"MACHCLI-ERR-2081,Invalid username/password.", 2081, "Invalid username/password."},
		{"MACHCLI-ERR-3027, ", 3027, ""},
		{"MACHCLI-ERR 2061 Cannot divide a value by zero., MachCLIFetch()", 2061, "Cannot divide a value by zero."},
		{"MACHCLI-ERR 2061 a, b\nc, MachCLIAppendOpen", 2061, "a, b\nc"},
		{"MACHCLI-ERR 2061 x, MachCLIGetData(3)", 2061, "x"},
		{"server error code=2061 message=Cannot divide a value by zero.", 2061, "Cannot divide a value by zero."},
		{"server error code=2061", 2061, ""},
		{"MACHCLI-ERR-99999999999999999999, x", 0, "x"},
		{"MACHCLI-ERR-0, no code", 0, "no code"},
		{"MACHCLI-ERR no code, MachCLIFetch()", 0, ""},
		{"EOF", 0, ""},
		{"", 0, ""},
	} {
		code, message := serverError(test.text)
		require.Equal(t, test.code, code, test.text)
		require.Equal(t, test.message, message, test.text)
	}
}

func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"MACHCLI EOF, EOF": "EOF", "MACHCLI read tcp: reset, read tcp: reset": "read tcp: reset", "MACHCLI a, b": "a, b", "EOF": "EOF",
		"": "", ", ": ", ", "MACHCLI ": "",
	} {
		require.Equal(t, want, clientText(errors.New(text)), "%q", text)
	}
}

func TestArgs(t *testing.T) {
	plain := []any{"a", 1, nil}
	require.Same(t, &plain[0], &clientArgs(plain)[0])
	args := []any{netip.MustParseAddr("::1"), "a", netip.MustParseAddr("1.2.3.4")}
	require.Equal(t, []any{"::1", "a", "1.2.3.4"}, clientArgs(args))
	require.Equal(t, netip.MustParseAddr("::1"), args[0])
	require.Empty(t, clientArgs(nil))
}

func TestEachRow(t *testing.T) {
	var seen [][]any
	keep := func(row []any) error {
		seen = append(seen, slices.Clone(row))

		return nil
	}
	rows, err := eachRow([]any{[]string{"a", "b"}, []float64{1, 2}, []any{nil, 3}}, keep)
	require.NoError(t, err)
	require.Equal(t, 2, rows)
	require.Equal(t, [][]any{{"a", 1.0, nil}, {"b", 2.0, 3}}, seen)

	rows, err = eachRow([]any{[]string{"a", "b"}}, func(row []any) error {
		if row[0] == "b" {
			return errors.New("no more")
		}

		return nil
	})
	require.EqualError(t, err, "no more")
	require.Equal(t, 1, rows)

	for want, columns := range map[string][]any{
		"column 2 has 1 values, but the ones before it have 2": {[]string{"a", "b"}, []float64{1}},
		"column 1 must be a slice of values, not int":          {1},
		"column 1 must be a slice of values, not <nil>":        {nil},
	} {
		rows, err := eachRow(columns, keep)
		require.EqualError(t, err, want)
		require.Zero(t, rows)
	}
}
