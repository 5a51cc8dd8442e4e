package influx

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestReplies(t *testing.T) {
	quoted := func(key, text string) string {
		raw, err := json.Marshal(map[string]string{key: text})
		require.NoError(t, err)

		return string(raw)
	}
	// Replies of 1 come from influxd 1.6.7, those for 2 and 3 from the documentation.
	for name, tt := range map[string]struct {
		status     int
		body       string
		retryAfter string
		want       result
	}{
		"written":            {status: 204, want: result{written: 10}},
		"written, with text": {status: 200, body: "{}", want: result{written: 10}},
		"1: of another type": {
			status: 400,
			body:   quoted("error", `partial write: field type conflict: input field "x" on measurement "n" is type integer, already exists as type string dropped=3`),
			want: result{
				written: 7, refused: 3,
				why: `400 partial write: field type conflict: input field "x" on measurement "n" is type integer, already exists as type string dropped=3`,
			},
		},
		"1: malformed, one": {
			status: 400, body: quoted("error", "partial write: unable to parse 'bad': missing fields dropped=0"),
			want: result{written: 9, refused: 1, why: "400 partial write: unable to parse 'bad': missing fields dropped=0"},
		},
		"1: malformed, two": {
			status: 400, body: quoted("error", "partial write: unable to parse 'bad': missing fields\nunable to parse 'x': missing fields dropped=0"),
			want: result{
				written: 8, refused: 2,
				why: "400 partial write: unable to parse 'bad': missing fields unable to parse 'x': missing fields dropped=0",
			},
		},
		"1: malformed, all": {
			status: 400, body: quoted("error", "unable to parse 'bad': missing fields"),
			want: result{refused: 10, why: "400 unable to parse 'bad': missing fields"},
		},
		"1: no database": {
			status: 404, body: quoted("error", `database not found: "nono"`),
			want: result{refused: 10, why: `404 database not found: "nono"`},
		},
		"1: who are you": {
			status: 401, body: quoted("error", "authorization failed"), want: result{refused: 10, why: "401 authorization failed"},
		},
		"2: malformed": {
			status: 400, body: `{"code":"invalid","message":"unable to parse 'bad': missing fields"}`,
			want: result{refused: 10, why: "400 unable to parse 'bad': missing fields"},
		},
		"2: of another type": {
			status: 422,
			body:   `{"code":"unprocessable entity","message":"failure writing points to database: partial write: field type conflict: x dropped=2"}`,
			want: result{
				written: 8, refused: 2,
				why: "422 failure writing points to database: partial write: field type conflict: x dropped=2",
			},
		},
		"2: the token": {
			status: 401, body: `{"code":"unauthorized","message":"unauthorized access"}`,
			want: result{refused: 10, why: "401 unauthorized access"},
		},
		"2: not allowed": {status: 403, want: result{refused: 10, why: "403 forbidden"}},
		"3: some lines": {
			status: 400,
			body: `{"error":"partial write of line protocol occurred","data":[
				{"original_line":"sweep,op=get x=1","line_number":2,"error_message":"invalid column type"}]}`,
			want: result{written: 9, refused: 1, why: "400 partial write of line protocol occurred"},
		},
		"3: all lines": {
			status: 400, body: `{"error":"parsing failed for write_lp endpoint","data":{"original_line":"x","line_number":1}}`,
			want: result{refused: 10, why: "400 parsing failed for write_lp endpoint"},
		},
		"too many requests": {status: 429, retryAfter: "7", want: result{again: true, after: 7 * time.Second, why: "429 too many requests"}},
		"until a date": {
			status: 503, retryAfter: noon.Add(90 * time.Second).UTC().Format(http.TimeFormat),
			want: result{again: true, after: 90 * time.Second, why: "503 service unavailable"},
		},
		"until long ago": {
			status: 503, retryAfter: "Mon, 02 Jan 2006 15:04:05 GMT", want: result{again: true, why: "503 service unavailable"},
		},
		"for a year":     {status: 503, retryAfter: "31536000", want: result{again: true, after: 10 * time.Minute, why: "503 service unavailable"}},
		"until whenever": {status: 429, retryAfter: "soon", want: result{again: true, why: "429 too many requests"}},
		"a broken one":   {status: 500, body: quoted("error", "timeout"), want: result{again: true, why: "500 timeout"}},
		"a proxy":        {status: 502, body: "<html>", want: result{again: true, why: "502 bad gateway"}},
		"too large":      {status: 413, body: quoted("error", "Request Entity Too Large"), want: result{split: true, why: "413 Request Entity Too Large"}},
		"elsewhere":      {status: 307, want: result{refused: 10, why: "307 temporary redirect"}},
		"another path":   {status: 404, body: "404 page not found\n", want: result{refused: 10, why: "404 not found"}},
		"more than all": {
			status: 400, body: quoted("error", "partial write: x dropped=4294967"),
			want: result{refused: 10, why: "400 partial write: x dropped=4294967"},
		},
		"more than a number": {
			status: 400, body: quoted("error", "partial write: x dropped=99999999999999999999"),
			want: result{refused: 10, why: "400 partial write: x dropped=99999999999999999999"},
		},
		"none of them": {
			status: 400, body: quoted("error", "partial write: x dropped=0"), want: result{refused: 10, why: "400 partial write: x dropped=0"},
		},
		"a status of its own": {status: 299, want: result{written: 10}},
	} {
		t.Run(name, func(t *testing.T) {
			header := http.Header{}
			if tt.retryAfter != "" {
				header.Set("Retry-After", tt.retryAfter)
			}
			require.Equal(t, tt.want, judge(tt.status, header, []byte(tt.body), 10, noon.Truncate(time.Second)))
		})
	}
}

func TestReplyToOneLargePoint(t *testing.T) {
	require.Equal(t, result{refused: 1, why: "413 request entity too large"}, judge(413, nil, nil, 1, noon))
}

func FuzzReply(f *testing.F) {
	f.Add(204, "", "", 1)
	f.Add(400, "", `{"error":"partial write: x dropped=3"}`, 10)
	f.Add(400, "", `{"error":"partial write of line protocol occurred","data":[{},{}]}`, 10)
	f.Add(422, "", `{"message":"partial write: unable to parse 'x' dropped=-1"}`, 2)
	f.Add(503, "99999999999", "\x00\xff", 3)
	f.Add(429, "Sun, 06 Nov 9999 08:49:37 GMT", "[]", 3)
	f.Add(413, "-1", `{"error":7}`, 2)
	f.Fuzz(func(t *testing.T, status int, retryAfter, body string, n int) {
		if n < 1 || n > most {
			return
		}
		v := judge(status, http.Header{"Retry-After": {retryAfter}}, []byte(body), n, noon)
		require.GreaterOrEqual(t, v.written, 0)
		require.GreaterOrEqual(t, v.refused, 0)
		require.GreaterOrEqual(t, v.after, time.Duration(0))
		require.LessOrEqual(t, v.after, 10*time.Minute)
		if v.again || v.split {
			require.False(t, v.again && v.split)
			require.Zero(t, v.written+v.refused)
			require.True(t, v.again || n > 1)
		} else {
			require.Equal(t, n, v.written+v.refused)
		}
		if v.written < n {
			require.NotEmpty(t, v.why)
			require.True(t, utf8.ValidString(v.why))
			require.False(t, strings.ContainsAny(v.why, "\r\n\x00"))
		}
	})
}
