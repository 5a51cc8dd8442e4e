package httpapi_test

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/httpapi"
)

// table is a server with the table T (name varchar, time datetime, s short, d double, b binary),
// and what was written to it.
type table struct {
	kind   int
	bodies []string
	answer string // "" for a success
}

func (a *table) connect(t *testing.T) *httpapi.Conn {
	t.Helper()
	queries := handler(func(w http.ResponseWriter, sql string) {
		rows := ""
		if strings.Contains(sql, "t.name = 'T'") && strings.Contains(sql, "u.name = 'SYS'") {
			rows = strings.ReplaceAll(`["_ARRIVAL_TIME",6,K],["NAME",5,K],["TIME",6,K],["S",4,K],["D",20,K],["B",97,K]`, "K", fmt.Sprint(a.kind))
		}
		_, _ = io.WriteString(w, `{"data":{"columns":["name","type","type"],"types":["string","int32","int32"],"rows":[`+rows+`]},"success":true}`)
	})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/db/write/t" {
			queries.ServeHTTP(w, r)

			return
		}
		body, _ := io.ReadAll(r.Body)
		a.bodies = append(a.bodies, string(body))
		if a.answer != "" {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, a.answer)

			return
		}
		_, _ = io.WriteString(w, `{"success":true,"reason":"success, 1 record(s) appended"}`)
	}))
	t.Cleanup(s.Close)

	return connect(t, s.URL)
}

func TestAppendSendsBatches(t *testing.T) {
	to := &table{kind: 6}
	a, err := to.connect(t).Append(t.Context(), "t", cmi.AppendOptions{Batch: cmi.Batch{Rows: 2}})
	require.NoError(t, err)
	at := time.Unix(0, 1700000000123456789)
	require.NoError(t, a.Append(t.Context(), "it's \"é\"\n", at, int64(-3), 1.5, nil))
	require.Empty(t, to.bodies)
	require.NoError(t, a.Append(t.Context(), nil, int64(7), 4.0, math.NaN(), nil))
	rows, err := a.AppendColumns(t.Context(), []string{"a"}, []time.Time{at}, []int16{1}, []float32{0.1}, []any{nil})
	require.NoError(t, err)
	require.Equal(t, 1, rows)
	receipt, err := a.Close(t.Context())
	require.NoError(t, err)
	require.Equal(t, cmi.Receipt{Accepted: 3}, receipt)
	require.Equal(t, []string{
		`{"data":{"rows":[["it's \"é\"\n",1700000000123456789,-3,1.5,null],[null,7,4,null,null]]}}`,
		`{"data":{"rows":[["a",1700000000123456789,1,0.10000000149011612,null]]}}`,
	}, to.bodies)
	require.Equal(t, cmi.KindUsage, kind(t, a.Append(t.Context(), "a", at, 1, 1, nil)), "it is closed")
}

func TestAppendWithColumns(t *testing.T) {
	to := &table{}
	c := to.connect(t)
	a, err := c.Append(t.Context(), "t", cmi.AppendOptions{Columns: []string{"d", "Name"}, Batch: cmi.Batch{Bytes: 1}})
	require.NoError(t, err)
	require.NoError(t, a.Append(t.Context(), 2.0, "x"))
	require.Equal(t, []string{`{"data":{"rows":[["x",null,null,2,null]]}}`}, to.bodies, "its batch is full at once")

	for name, columns := range map[string][]string{cmi.KindNotFound: {"nope"}, cmi.KindUsage: {"d", "D"}} {
		_, err := c.Append(t.Context(), "t", cmi.AppendOptions{Columns: columns})
		require.Equal(t, name, kind(t, err))
	}
	for name, want := range map[string]string{"u": cmi.KindNotFound, "me.t": cmi.KindNotFound, "V$x": cmi.KindUsage, "t; drop": cmi.KindUsage, "a.b.c": cmi.KindUsage} {
		_, err := c.Append(t.Context(), name, cmi.AppendOptions{})
		require.Equal(t, want, kind(t, err), name)
	}
	_, err = (&table{kind: 3}).connect(t).Append(t.Context(), "t", cmi.AppendOptions{})
	require.EqualError(t, err, "driver http appends to log and tag tables, and this is another one")
}

// What would be cut is not sent.
func TestAppendChecksValues(t *testing.T) {
	to := &table{}
	a, err := to.connect(t).Append(t.Context(), "t", cmi.AppendOptions{})
	require.NoError(t, err)
	at := time.Unix(0, 0)
	for want, row := range map[string][]any{
		`column "S" (short) cannot take 32768`:                        {"a", at, int64(32768), 1, nil},
		`column "S" (short) cannot take 1.5`:                          {"a", at, 1.5, 1, nil},
		`column "S" (short) cannot take x`:                            {"a", at, "x", 1, nil},
		`column "NAME" (varchar) cannot take 1`:                       {1, at, 1, 1, nil},
		`column "TIME" (datetime) cannot take 1.5`:                    {"a", 1.5, 1, 1, nil},
		`column "B" (binary) cannot take a binary value over HTTP`:    {"a", at, 1, 1, []byte("x")},
		`a row for table 't' takes 5 values, not 1`:                   {"a"},
		`column "NAME" (varchar) cannot take ?`:                       {"\xff", at, 1, 1, nil},
		`column "D" (double) cannot take 1970-01-01 00:00:00 +0000 U`: {"a", at, 1, at.UTC(), nil},
	} {
		require.ErrorContains(t, a.Append(t.Context(), row...), want)
	}
	require.NoError(t, a.Append(t.Context(), "b", at, 2, 2, nil))
	_, err = a.Sync(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{`{"data":{"rows":[["b",0,2,2,null]]}}`}, to.bodies, "nothing of the wrong rows is left")
}

// The server takes the rows before the one that it refuses, and none behind it.
func TestAppendThatIsRefused(t *testing.T) {
	to := &table{answer: `{"success":false,"reason":"rows[3] column[0] is not a int32, but string"}`}
	a, err := to.connect(t).Append(t.Context(), "t", cmi.AppendOptions{})
	require.NoError(t, err)
	for range 5 {
		require.NoError(t, a.Append(t.Context(), "a", time.Unix(0, 0), 1, 1, nil))
	}
	receipt, err := a.Sync(t.Context())
	require.EqualError(t, err, "the server says: rows[3] column[0] is not a int32, but string")
	require.Equal(t, cmi.KindAppend, kind(t, err))
	require.Equal(t, cmi.Receipt{Accepted: 2, Rejected: 3, Other: 3}, receipt)
	to.answer = ""
	require.NoError(t, a.Append(t.Context(), "a", time.Unix(0, 0), 1, 1, nil))
	receipt, err = a.Close(t.Context())
	require.NoError(t, err)
	require.Equal(t, cmi.Receipt{Accepted: 3, Rejected: 3, Other: 3}, receipt)
}
