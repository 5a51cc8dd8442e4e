package httpapi_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"log"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/httpapi"
)

const (
	version = `{"data":{"columns":["count(*)"],"types":["int64"],"rows":[[1]]},"success":true,"reason":"success"}`
	done    = `{"success":true,"reason":"a row inserted.","elapse":"1ms"}`
)

// server answers statements with what answer returns, and takes the password sesame.
func server(t *testing.T, answer func(w http.ResponseWriter, sql string)) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(handler(answer))
	t.Cleanup(s.Close)

	return s
}

func handler(answer func(w http.ResponseWriter, sql string)) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/web/api/login", func(w http.ResponseWriter, r *http.Request) {
		var who struct{ LoginName, Password string }
		if json.NewDecoder(r.Body).Decode(&who) != nil || who.LoginName != "sys" || who.Password != "sesame" {
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"success":false,"reason":"invalid username or password"}`)

			return
		}
		_, _ = io.WriteString(w, `{"success":true,"accessToken":"a","reason":"success"}`)
	})
	mux.HandleFunc("/db/query", func(w http.ResponseWriter, r *http.Request) {
		if sql := r.PostFormValue("q"); sql != "select count(*) from v$version" {
			answer(w, sql)

			return
		}
		_, _ = io.WriteString(w, version)
	})

	return mux
}

func says(text string) func(http.ResponseWriter, string) {
	return func(w http.ResponseWriter, _ string) { _, _ = io.WriteString(w, text) }
}

func config(address string) httpapi.Config {
	u, _ := url.Parse(address)

	return httpapi.Config{Address: u.Host, User: "SYS", Password: "sesame", Dial: (&net.Dialer{}).DialContext}
}

func connect(t *testing.T, address string) *httpapi.Conn {
	t.Helper()
	c, err := httpapi.Connect(t.Context(), config(address))
	require.NoError(t, err)
	t.Cleanup(c.Close)

	return c
}

// all reads an answer.
func all(c *httpapi.Conn, sql string, args ...any) (rows [][]any, err error) {
	answer, err := c.Query(context.Background(), sql, args)
	if err != nil {
		return nil, err
	}
	defer answer.Close()
	for answer.Next() {
		rows = append(rows, answer.Values())
	}

	return rows, answer.Err()
}

func kind(t *testing.T, err error) string {
	t.Helper()
	var e *cmi.Error
	require.ErrorAs(t, err, &e)

	return e.Kind
}

func TestValuesHaveTheirTypes(t *testing.T) {
	c := connect(t, server(t, says(`{"data":{"columns":["a","b","c","d","e","f","g","h","i","j"],
		"types":["string","int16","int32","int64","datetime","float","double","ipv4","ipv6","binary"],
		"rows":[["x",-32768,2147483647,9223372036854775807,1700000000123456789,1.100000023841858,"NaN","1.2.3.4","::1","AP8="],
		["",null,null,null,null,"+Inf","-Inf",null,null,""]]},"success":true,"reason":"success"}`)).URL)
	rows, err := all(c, "select 1")
	require.NoError(t, err)
	require.Len(t, rows, 2)
	require.True(t, math.IsNaN(rows[0][6].(float64)))
	rows[0][6] = nil
	require.Equal(t, []any{
		"x", int16(-32768), int32(2147483647), int64(9223372036854775807), time.Unix(0, 1700000000123456789), float32(1.1), nil,
		netip.MustParseAddr("1.2.3.4"), netip.MustParseAddr("::1"), []byte{0, 255},
	}, rows[0])
	require.Equal(t, []any{nil, nil, nil, nil, nil, float32(math.Inf(1)), math.Inf(-1), nil, nil, nil}, rows[1])
	received, sent := c.Traffic()
	require.Positive(t, received)
	require.Positive(t, sent)
}

func TestAnswersThatAreErrors(t *testing.T) {
	const rows = `{"data":{"columns":["n"],"types":["int32"],"rows":[`
	for _, test := range []struct{ answer, kind, says string }{
		{`{"success":false,"reason":"MACH-ERR 2025 Table X does not exist."}`, cmi.KindNotFound, "Table X does not exist. (machbase error 2025)"},
		{`{"success":false,"reason":"odd\n things"}`, cmi.KindServer, "the server says: odd things"},
		{rows + `[1]]},"success":true,"reason":"success"}{"success":false,"reason":"MACH-ERR 2061 Cannot divide."}`, cmi.KindServer, "Cannot divide. (machbase error 2061)"},
		{rows + `[1,2]]},"success":true}`, cmi.KindProtocol, "a row has 2 values, and there are 1 columns"},
		{rows + `["x"]]},"success":true}`, cmi.KindProtocol, `column "n" (int32) holds x`},
		{rows + `[2147483648]]},"success":true}`, cmi.KindProtocol, `holds 2147483648`},
		{rows + `[1]]}}`, cmi.KindProtocol, "it does not say whether it is a success"},
		{rows + `[1]]},"success":true} and more`, cmi.KindProtocol, "invalid character"},
		{`{"data":{"columns":["n"],"types":["int128"],"rows":[]},"success":true}`, cmi.KindProtocol, `a type that is not known, "int128"`},
		{`{"data":{"columns":["n","m"],"types":["int32"],"rows":[]},"success":true}`, cmi.KindProtocol, "it names 2 columns and 1 types"},
		{`{"data":{"rows":[]},"success":true}`, cmi.KindProtocol, `rows stands where "columns" should`},
		{`{}`, cmi.KindProtocol, "it is empty"},
		{`[]`, cmi.KindProtocol, "[ stands where {"},
		{`<html>`, cmi.KindProtocol, "invalid character '<'"},
	} {
		_, err := all(connect(t, server(t, says(test.answer)).URL), "select 1")
		require.ErrorContains(t, err, test.says, test.answer)
		require.Equal(t, test.kind, kind(t, err), test.answer)
		require.NotContains(t, err.Error(), "\n")
	}

	_, err := all(connect(t, server(t, says(rows+`[1],`)).URL), "select 1")
	require.ErrorIs(t, err, io.ErrUnexpectedEOF, "an answer that ends amid its rows is a broken connection")
}

func TestStatusThatIsAnError(t *testing.T) {
	for _, test := range []struct {
		status     int
		body, kind string
	}{
		{500, `{"success":false,"reason":"MACH-ERR 2010 Syntax error"}`, cmi.KindSyntax},
		{401, `{"success":false,"reason":"missing valid token"}`, cmi.KindAuth},
		{403, ``, cmi.KindAuth},
		{503, `busy`, cmi.KindBusy},
		{502, `<html>`, cmi.KindProtocol},
		{302, ``, cmi.KindProtocol},
	} {
		_, err := all(connect(t, server(t, func(w http.ResponseWriter, _ string) {
			w.Header().Set("Location", "http://127.0.0.1:1/")
			w.WriteHeader(test.status)
			_, _ = io.WriteString(w, test.body)
		}).URL), "select 1")
		require.Equal(t, test.kind, kind(t, err), "%d: %v", test.status, err)
	}
}

func TestExecCountsRows(t *testing.T) {
	for reason, want := range map[string]int64{
		"a row inserted.": 1, "2 rows select and inserted.": 2, "12 rows updated.": 12, "no rows deleted.": 0, "Created successfully.": 0, "": 0,
	} {
		n, err := connect(t, server(t, says(`{"success":true,"reason":"`+reason+`"}`)).URL).Exec(t.Context(), "x", nil)
		require.NoError(t, err)
		require.Equal(t, want, n, reason)
	}
}

func TestParametersAreWrittenIntoTheStatement(t *testing.T) {
	var got string
	c := connect(t, server(t, func(w http.ResponseWriter, sql string) {
		got = sql
		_, _ = io.WriteString(w, done)
	}).URL)
	for _, test := range []struct {
		sql  string
		args []any
		want string
	}{
		{"a ?, ?", []any{int64(1), "x"}, "a 1, 'x'"},
		{"? ? ?", []any{nil, int16(-2), int32(3)}, "NULL -2 3"},
		{"? ? ? ?", []any{1.5, 1e300, 3.0, float32(0.1)}, "1.5 1e+300 3.0 0.1"},
		{"? ?", []any{math.NaN(), math.Inf(1)}, "NULL NULL"},
		{"?", []any{time.Unix(0, 1700000000123456789)}, "1700000000123456789"},
		{"?", []any{netip.MustParseAddr("::1")}, "'::1'"},
		{"?", []any{`it's a \d 'test' ? -- /* "`}, `'it''s a \\d ''test'' ? -- /* "'`},
		{"'?' \"?\" ? -- ?\n /* ? */ ? 'it''s ?'", []any{"a", "b"}, "'?' \"?\" 'a' -- ?\n /* ? */ 'b' 'it''s ?'"},
		{`select 'a\'b?'`, nil, `select 'a\'b?'`},
		{"? /* ?", []any{"a"}, "'a' /* ?"},
	} {
		_, err := c.Exec(t.Context(), test.sql, test.args)
		require.NoError(t, err, test.sql)
		require.Equal(t, test.want, got)
	}
	got = ""
	for _, test := range []struct {
		sql  string
		args []any
		says string
	}{
		{"?", nil, "the statement takes 1 parameters, not 0"},
		{"?", []any{"a", "b"}, "the statement takes 1 parameters, not 2"},
		{"x", []any{"a"}, "the statement takes 0 parameters, not 1"},
		{"?", []any{`a\`}, "parameter 1: driver http cannot send a string with a backslash at its end or before a quote"},
		{"? ?", []any{"a", `a\'b`}, "parameter 2: driver http cannot send a string with a backslash at its end or before a quote"},
		{"?", []any{"a\x00b"}, "parameter 1: driver http cannot send a string with a NUL"},
		{"?", []any{[]byte("a")}, "parameter 1: driver http cannot send a binary value: SQL has no form for it"},
		{`'a\', ?, 'b'`, []any{"x"}, "driver http cannot put parameters into a statement with a backslash before a quote"},
	} {
		_, err := c.Exec(t.Context(), test.sql, test.args)
		require.ErrorContains(t, err, test.says)
		require.Equal(t, cmi.KindUsage, kind(t, err))
	}
	require.Empty(t, got, "nothing of these is sent")
}

func TestLogin(t *testing.T) {
	address := server(t, says(done)).URL
	for password, works := range map[string]bool{"sesame": true, "": true, "s3cret": false} {
		c := config(address)
		c.Password = password
		conn, err := httpapi.Connect(t.Context(), c)
		if works {
			require.NoError(t, err)
			conn.Close()

			continue
		}
		require.EqualError(t, err, `the server does not take the user "SYS" with this password`)
		require.Equal(t, cmi.KindAuth, kind(t, err))
	}

	bare := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path != "/db/query":
			http.NotFound(w, r)
		case r.Header.Get("Authorization") != "Bearer t0ken":
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"success":false,"reason":"missing authorization token"}`)
		default:
			_, _ = io.WriteString(w, version)
		}
	}))
	defer bare.Close()
	_, err := httpapi.Connect(t.Context(), config(bare.URL))
	require.EqualError(t, err, "the server says: missing authorization token")
	require.Equal(t, cmi.KindAuth, kind(t, err))
	with := config(bare.URL)
	with.Token = "t0ken"
	conn, err := httpapi.Connect(t.Context(), with)
	require.NoError(t, err, "a server without a login tries no password")
	conn.Close()
}

func TestTLS(t *testing.T) {
	s := httptest.NewUnstartedServer(handler(says(done)))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	c := config(s.URL)
	c.TLS = &tls.Config{RootCAs: x509.NewCertPool(), MinVersion: tls.VersionTLS12}
	_, err := httpapi.Connect(t.Context(), c)
	require.ErrorContains(t, err, "certificate signed by unknown authority")
	require.Equal(t, cmi.KindConnect, kind(t, err))
	c.TLS = &tls.Config{RootCAs: x509.NewCertPool(), MinVersion: tls.VersionTLS12}
	c.TLS.RootCAs.AddCert(s.Certificate())
	conn, err := httpapi.Connect(t.Context(), c)
	require.NoError(t, err)
	conn.Close()
}

// A connection that the server has closed between two requests is opened anew; a server that is
// gone is an error.
func TestConnectionIsKept(t *testing.T) {
	s := server(t, says(done))
	opened := 0
	c := config(s.URL)
	c.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		opened++

		return (&net.Dialer{}).DialContext(ctx, network, address)
	}
	conn, err := httpapi.Connect(t.Context(), c)
	require.NoError(t, err)
	defer conn.Close()
	for range 5 {
		_, err = conn.Exec(t.Context(), "x", nil)
		require.NoError(t, err)
	}
	require.Equal(t, 1, opened)
	s.Close()
	require.Eventually(t, func() bool {
		_, err = conn.Exec(t.Context(), "x", nil)
		var e *cmi.Error

		return err != nil && strings.Contains(err.Error(), "connection refused") && kindOf(err, &e) == cmi.KindConnect
	}, 10*time.Second, 10*time.Millisecond)
}

func kindOf(err error, e **cmi.Error) string {
	known, is := err.(*cmi.Error) //nolint:errorlint // what the package returns
	*e = known
	if !is {
		return ""
	}

	return known.Kind
}
