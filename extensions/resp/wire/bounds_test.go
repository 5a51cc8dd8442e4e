package wire

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// check passes bytes through new Bounds, so many at a time, and returns what was passed on.
func check(said string, step int) (passed string, err error) {
	var b Bounds
	at := 0
	for at < len(said) {
		part := said[at : at+min(step, len(said)-at)]
		n, err := b.Check([]byte(part))
		at += n
		if err != nil {
			return said[:at], err
		}
	}

	return said, nil
}

func TestRepliesPass(t *testing.T) {
	for _, said := range []string{
		"+OK\r\n", "-ERR no\r\n", ":5\r\n", "$5\r\nhello\r\n", "$0\r\n\r\n", "$-1\r\n", "*-1\r\n", "*0\r\n",
		"*2\r\n$3\r\nget\r\n$-1\r\n", "*2\r\n*1\r\n:1\r\n*2\r\n+a\r\n*0\r\n", "$4\r\n\r\n$9\r\n+OK\r\n",
		"$12\r\n$99999999999\r\n*1\r\n:1\r\n", // what looks like a length amid a string is none
		"-" + strings.Repeat("e", MaxLine-3) + "\r\n",
		strings.Repeat("*8\r\n", MaxDepth) + strings.Repeat(":1\r\n", 8),
		strings.Repeat("*600000\r\n"+strings.Repeat(":1\r\n", 600000), 2),
	} {
		for _, step := range []int{1, 3, len(said)} {
			passed, err := check(said, step)
			require.NoError(t, err, "%.40q", said)
			require.Equal(t, len(said), len(passed))
		}
	}
}

// What announces too much, or is no RESP 2, is not passed on: nor is what comes after it.
func TestLiesDoNotPass(t *testing.T) {
	for said, tt := range map[string]struct{ before, says string }{
		"$9223372036854775800\r\n":                {"", "the server announces a string of 9223372036854775800 bytes: at most 536870912 are accepted"},
		"$99999999999\r\n":                        {"", "the server announces a string of 99999999999 bytes"},
		"$536870913\r\nx":                         {"", "the server announces a string of 536870913 bytes"},
		"+OK\r\n$99999999999999999999999999\r\n":  {"+OK\r\n", `the server's reply has a length that is none`},
		"*2\r\n+a\r\n$99999999999\r\n":            {"*2\r\n+a\r\n", "the server announces a string of 99999999999 bytes"},
		"$5\r\nhello\r\n*4611686018427387904\r\n": {"$5\r\nhello\r\n", "the server announces 4611686018427387904 elements of a reply: at most 1000000"},
		"*2\r\n*1000000\r\n":                      {"*2\r\n", "the server announces 1000002 elements of a reply"},
		strings.Repeat("*1\r\n", MaxDepth+1):      {strings.Repeat("*1\r\n", MaxDepth), "arrays in arrays, more than 8 deep"},
		"$-2\r\n":                                 {"", `a length that is none: "$-2\r\n"`},
		"$+5\r\nhello\r\n":                        {"", "a length that is none"},
		"$5\nhello\r\n":                           {"", "a length that is none"},
		"$\r\n":                                   {"", "a length that is none"},
		"*1e9\r\n":                                {"", "a length that is none"},
		"|1\r\n+a\r\n+b\r\n":                      {"", "which is no RESP 2"},
		"%1\r\n":                                  {"", "which is no RESP 2"},
		">1\r\n":                                  {"", "which is no RESP 2"},
		"=99999999999\r\n":                        {"", "which is no RESP 2"},
		"HTTP/1.1 400 Bad Request\r\n":            {"", "which is no RESP 2"},
		"\r\n":                                    {"", "which is no RESP 2"},
		"-" + strings.Repeat("e", MaxLine) + "\r\n": {"", "a line of more than 65536 bytes"},
	} {
		passed, err := check(said, len(said))
		require.ErrorContains(t, err, tt.says, "%.40q", said)
		require.Equal(t, tt.before, passed)
		passed, err = check(said, 1)
		require.ErrorContains(t, err, tt.says, "%.40q", said)
		require.NotContains(t, passed[len(tt.before):], "\n", "no line of it has come to its end")

		var b Bounds
		_, err = b.Check([]byte(said))
		n, again := b.Check([]byte("+OK\r\n"))
		require.Zero(t, n)
		require.Equal(t, err, again)
	}
}

func TestCheckAllocatesNothing(t *testing.T) {
	said := []byte("*2\r\n$100\r\n" + strings.Repeat("x", 100) + "\r\n$-1\r\n+OK\r\n")
	var b Bounds
	require.Zero(t, testing.AllocsPerRun(100, func() {
		for _, half := range [][]byte{said[:7], said[7:]} {
			if _, err := b.Check(half); err != nil {
				t.Error(err)
			}
		}
	}))
}

// read reads values as go-redis does, and tells how much it would make room for and how deep it
// would go. It is false for what go-redis says an error to.
func read(said []byte, depth int) (rest []byte, room int64, deepest int, ok bool) {
	end := bytes.IndexByte(said, '\n')
	if end < 2 || said[end-1] != '\r' {
		return nil, 0, depth, false
	}
	line, rest := said[:end-1], said[end+1:]
	if line[0] != '$' && line[0] != '*' {
		return rest, 0, depth, bytes.IndexByte([]byte("+-:_,#("), line[0]) >= 0
	}
	n, valid := number(said[1:end+1], end)
	if !valid {
		return nil, 0, depth, false
	}
	if n < 0 {
		return rest, 0, depth, true
	}
	if line[0] == '$' {
		if int64(len(rest)) < n+2 {
			return nil, n, depth, false
		}

		return rest[n+2:], n, depth, true
	}
	room, deepest = n, depth+1
	for range n {
		var more int64
		var deep int
		rest, more, deep, ok = read(rest, depth+1)
		room, deepest = max(room, more), max(deepest, deep)
		if !ok {
			return nil, room, deepest, false
		}
	}

	return rest, room, deepest, true
}

// FuzzBounds: what is passed on has no larger announcement than is allowed, wherever it is cut.
func FuzzBounds(f *testing.F) {
	f.Add([]byte("*2\r\n$3\r\nget\r\n$-1\r\n+OK\r\n"), 1)
	f.Add([]byte("$12\r\n$99999999999\r\n*1\r\n:1\r\n"), 5)
	f.Add([]byte("$9223372036854775800\r\n"), 2)
	f.Add([]byte("*1\r\n*1\r\n*1\r\n:1\r\n"), 3)
	f.Fuzz(func(t *testing.T, said []byte, step int) {
		whole, wholeErr := check(string(said), max(len(said), 1))
		parts, partsErr := check(string(said), max(1, step))
		require.Equal(t, wholeErr, partsErr)
		require.True(t, strings.HasPrefix(parts, whole))
		rest := []byte(parts)
		for len(rest) > 0 {
			var room int64
			var deep int
			var ok bool
			rest, room, deep, ok = read(rest, 0)
			require.LessOrEqual(t, room, int64(MaxBulk))
			require.LessOrEqual(t, deep, MaxDepth)
			if !ok {
				return
			}
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	said := []byte("$100\r\n" + strings.Repeat("x", 100) + "\r\n")
	var bounds Bounds
	for b.Loop() {
		_, _ = bounds.Check(said)
	}
}
