package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func jsonOf(tb testing.TB, r *Report) string {
	tb.Helper()
	out, err := r.JSON()
	require.NoError(tb, err)

	return string(out)
}

func TestReadOfJSON(t *testing.T) {
	for name, r := range reports() {
		t.Run(name, func(t *testing.T) {
			out := jsonOf(t, r)
			back, err := Read([]byte(out))
			require.NoError(t, err)
			require.Equal(t, r.Steps, back.Steps)
			require.Equal(t, r.Started, back.Started)
			require.Equal(t, r.Host, back.Host)
			require.Equal(t, r.Gates, back.Gates)
			require.Equal(t, out, jsonOf(t, back))
		})
	}
}

func TestReadRefuses(t *testing.T) {
	good := jsonOf(t, reports()["failed"])
	with := func(old, replacement string) string {
		require.Contains(t, good, old)

		return strings.Replace(good, old, replacement, 1)
	}
	for _, tt := range []struct{ name, raw, want string }{
		{"an empty file", "", "the file is empty"},
		{"only white space", " \n\t", "the file is empty"},
		{"a file cut off", good[:len(good)/2], "the file is truncated: its JSON ends too early, in line 92, column 28"},
		{"a file cut off at its end", good[:len(good)-2], "the file is truncated"},
		{"one that has only begun", "{", "the file is truncated: its JSON ends too early, in line 1, column 2"},
		{"a table", "| Ver |", "not JSON: invalid character '|' looking for beginning of value, in line 1, column 1"},
		{"JSON with a mistake", with("\"repeat\": 1,", "\"repeat\": 1 1,"), "not JSON: invalid character '1' after object key:value pair, in line 31, column 19"},
		{"two of them", good + good, "not a report: something follows the JSON"},
		{"a brace too many", good + "}", "not a report: something follows the JSON"},
		{"a number", "17", "not a report: there is no key \"schema\""},
		{"null", "null", "not a report: there is no key \"schema\""},
		{"a list", "[]", "not a report: there is no key \"schema\""},
		{"another object", `{"metrics": {}}`, "not a report: there is no key \"schema\", which is to be \"xk6-sweep/1\""},
		{"a schema that is a number", with(`"xk6-sweep/1"`, "1"), "not a report: the key \"schema\" is to be"},
		{"a schema that is null", with(`"xk6-sweep/1"`, "null"), "not a report: the key \"schema\" is to be"},
		{"the next schema", with("xk6-sweep/1", "xk6-sweep/2"), `of schema "xk6-sweep/2", which is newer than this k6 knows ("xk6-sweep/1"): use a newer build`},
		{"a schema far ahead", `{"schema": "xk6-sweep/12", "anything": {}}`, `which is newer than this k6 knows`},
		{"another schema", with("xk6-sweep/1", "https://example.com/schema"), `of schema "https://example.com/schema", and not of "xk6-sweep/1"`},
		{"an older schema", with("xk6-sweep/1", "xk6-sweep/0"), `of schema "xk6-sweep/0", and not of "xk6-sweep/1"`},
		{"no version of the schema", with("xk6-sweep/1", "xk6-sweep"), `of schema "xk6-sweep", and not of "xk6-sweep/1"`},
		{"a version that is no number", with("xk6-sweep/1", "xk6-sweep/2b"), `of schema "xk6-sweep/2b", and not of`},
		{"an unknown key", with(`"k6": "v2.2.0"`, `"k6": "v2.2.0", "k7": 1`), "the report: additional properties 'k7' not allowed"},
		{"an unknown key of a step", with(`"bytesSent"`, `"bytesSend": 0, "bytesSent"`), "steps[0]: additional properties 'bytesSend' not allowed"},
		{"an unknown key deep inside", with(`"p999"`, `"p9999": 1, "p999"`), "steps[0].latencyMs: additional properties 'p9999' not allowed"},
		{"another spelling", with(`"failed": 1234`, `"Failed": 1234`), "steps[1]: additional properties 'Failed' not allowed"},
		{"a missing key", with("\"failed\": 1234,\n", ""), "steps[1]: missing property 'failed'"},
		{"a missing key at the top", with(`"interrupted": false,`, ""), "the report: missing property 'interrupted'"},
		{"a string for a number", with(`"failed": 1234`, `"failed": "1234"`), "steps[1].failed: got string, want integer"},
		{"a number for a string", with(`"v2.2.0"`, "2"), "k6: got number, want string"},
		{"a number for a truth", with(`"complete": true`, `"complete": 1`), "steps[0].complete: got number, want boolean"},
		{"an object for a list", with(`"steps": [`, `"published": {}, "steps": [`), "published: got object, want array"},
		{"a list for an object", with(`"target": {`, `"target": [], "params": {`), "target: got array, want object"},
		{"null for a number", with(`"failed": 1234`, `"failed": null`), "steps[1].failed: got null, want integer"},
		{"null for the steps", `{"schema": "xk6-sweep/1"` + strings.Repeat(" ", 3) + "}", "the report: missing properties 'scenario', 'started'"},
		{"a text among error counts", with(`"connection refused": 1200`, `"connection refused": "often"`), "steps[1].extra.errors.connection refused: got string, want integer"},
		{"a fraction for an integer", with(`"failed": 1234`, `"failed": 12.5`), "steps[1].failed: got number, want integer"},
		{"a negative number", with(`"failed": 1234`, `"failed": -1`), "steps[1].failed: minimum: got -1, want 0"},
		{"a number beyond all", with(`"seconds": 12.666666666666666`, `"seconds": 1e999`), "json: cannot unmarshal number 1e999 into Go struct field Step.steps.seconds"},
		{"no time", with("2026-03-01T12:30:00.25Z", "yesterday"), "started: 'yesterday' is not valid date-time"},
		{"UTF-16", "\xff\xfe{\x00}\x00", "the file is UTF-16, as Windows PowerShell writes it: it must be UTF-8"},
		{"compressed", "\x1f\x8b\x08", "the file is compressed: unpack it with gunzip"},
		{"a time that is a number", with(`"2026-03-01T12:30:00.25Z"`, "1772368200"), "started: got number, want string"},
		{"figures that cannot be", with(`"ops": 80000`, `"ops": 80001`), `stock-rollup, 8 clients, repeat 1: histogram counts 80000 operations, but ops are 80001`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := Read([]byte(tt.raw))
			require.ErrorContains(t, err, tt.want)
			require.NotContains(t, err.Error(), "\n")
			require.Nil(t, r)
		})
	}
}

func TestReadWithByteOrderMark(t *testing.T) {
	want := reports()["search"]
	r, err := Read([]byte("\ufeff" + jsonOf(t, want)))
	require.NoError(t, err)
	require.Equal(t, jsonOf(t, want), jsonOf(t, r))
}

func TestReadOfTruncated(t *testing.T) {
	good := strings.TrimSpace(jsonOf(t, reports()["search"]))
	for n := 1; n < len(good); n += 7 {
		_, err := Read([]byte(good[:n]))
		require.ErrorContains(t, err, "the file is truncated", "%d of %d bytes", n, len(good))
	}
}

func FuzzRead(f *testing.F) {
	for _, r := range reports() {
		f.Add([]byte(jsonOf(f, r)))
	}
	f.Add([]byte(""))
	f.Add([]byte("{"))
	f.Add([]byte(`{"schema": "xk6-sweep/2"}`))
	f.Add([]byte(`{"schema":"xk6-sweep/1","scenario":"a","started":"2026-03-01T12:30:00Z","interrupted":true,` +
		`"host":{"cpu":"","cores":-1,"memBytes":0,"os":""},"k6":"","target":{"version":1},"params":{},` +
		`"search":{"of":"rate","bound":"","max":1e308,"found":0},"steps":[]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := Read(raw)
		if err != nil {
			require.NotContains(t, err.Error(), "\n")

			return
		}
		rendered(t, r)
		back, err := Read([]byte(jsonOf(t, r)))
		require.NoError(t, err)
		require.Equal(t, jsonOf(t, r), jsonOf(t, back))
	})
}
