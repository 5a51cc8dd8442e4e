package httpapi

import (
	"io"
	"strings"
	"testing"
)

// FuzzRows: whatever comes, it is rows of the columns' number or an error of one line, and it ends.
func FuzzRows(f *testing.F) {
	for _, seed := range []string{
		`{"data":{"columns":["n"],"types":["int32"],"rows":[[1],[null]]},"success":true,"reason":"success"}`,
		`{"data":{"columns":["n"],"types":["int32"],"rows":[[1]]},"success":true}{"success":false,"reason":"MACH-ERR 2061 x"}`,
		`{"success":true,"reason":"a row inserted."}`, `{"success":false}`, `{`, `[]`, ``, `{"data":{"columns":["n"],"types":["binary"],"rows":[["AA=="],["?"]]}}`,
		`{"data":{"columns":["a","b","c","d"],"types":["datetime","double","ipv6","float"],"rows":[[1e400,"NaN","::1",1]]}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		rows := newRows(io.NopCloser(strings.NewReader(answer)))
		defer rows.Close()
		for rows.Next() {
			if len(rows.Values()) != len(rows.Columns) {
				t.Fatalf("%d values of %d columns", len(rows.Values()), len(rows.Columns))
			}
		}
		if rows.Next() {
			t.Fatal("there is a row behind the last one")
		}
		if err := rows.Err(); err != nil && strings.ContainsAny(err.Error(), "\n\r") {
			t.Fatalf("%q", err)
		}
	})
}

// FuzzLiterals: a string that is sent ends where it should, however its quotes and backslashes are
// read.
func FuzzLiterals(f *testing.F) {
	for _, seed := range []string{"", "a", "it's", `\`, `\'`, `\\`, `'`, "?", `a\b'c`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		sql, err := withLiterals("? ? --", []any{value, "end"})
		if err != nil {
			return
		}
		first, is := strings.CutSuffix(sql, " 'end' --")
		if !is {
			t.Fatalf("%q", sql)
		}
		inner := first[1 : len(first)-1]
		if strings.Contains(inner, `\'`) || strings.HasSuffix(inner, `\`) || strings.Contains(strings.ReplaceAll(inner, "''", ""), "'") {
			t.Fatalf("%q could end early or late", first)
		}
		if back := strings.NewReplacer(`\\`, `\`, `''`, `'`).Replace(inner); back != value {
			t.Fatalf("%q became %q", value, back)
		}
	})
}
