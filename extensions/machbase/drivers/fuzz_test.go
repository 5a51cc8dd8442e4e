package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func FuzzSQL(f *testing.F) {
	for _, seed := range []string{"select 1", "--a\n/*b*/select/*+ h */1", "/*", "--", "/**/ --\n", "SELECT'a'", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		once, err := clientSQL(sql)
		if err != nil {
			return
		}
		twice, err := clientSQL(once)
		require.NoError(t, err)
		require.Equal(t, once, twice)
	})
}

func FuzzError(f *testing.F) {
	for _, seed := range []string{
		"MACHCLI-ERR-2025, x", "MACHCLI-ERR 2061 x, MachCLIFetch()", "server error code=1 message=x", "MACHCLI a, a", "MACHCLI-ERR-99999999999999999999,",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		code, message := serverError(text)
		require.GreaterOrEqual(t, code, 0)
		require.True(t, strings.Contains(text, message))
		require.True(t, strings.Contains(text, clientText(errors.New(text))))
	})
}
