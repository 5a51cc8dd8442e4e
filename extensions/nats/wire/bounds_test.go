package wire

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

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

const info = `INFO {"server_id":"x","max_payload":1048576}` + "\r\n"

func TestSpeechPasses(t *testing.T) {
	large := strings.Repeat("x", leastPayload)
	for _, said := range []string{
		info + "PING\r\n+OK\r\n-ERR 'no'\r\nPONG\r\n",
		info + "MSG a 1 5\r\nhello\r\nMSG a 1 r 0\r\n\r\nPING\r\n",
		info + "HMSG a 1 12 17\r\nNATS/1.0\r\n\r\nhello\r\nmsg\ta  1\t3 \r\nabc\r\n",
		info + "MSG a 1 36\r\nMSG a 1 4611686018427387904\r\nMSG a 1\r\nPING\r\n", // text within a message that looks like lines is ignored
		info + fmt.Sprintf("MSG a 1 %d\r\n%s\r\nPING\r\n", len(large), large),
		`INFO {"max_payload":8388608}` + "\r\n" + fmt.Sprintf("MSG a 1 %d\r\n%s%s\r\n", 2*len(large), large, large),
	} {
		for _, step := range []int{1, 3, len(said)} {
			if step < 100 && len(said) > 1<<20 {
				step *= 10_000
			}
			passed, err := check(said, step)
			require.NoError(t, err, "%.60q", said)
			require.Equal(t, len(said), len(passed))
		}
	}
}

func TestExcessiveSizesDoNotPass(t *testing.T) {
	for said, says := range map[string]string{
		"MSG a 1 4611686018427387904\r\n":                                             "the server announces a message of 4611686018427387904 bytes: at most 8388608 are accepted",
		"MSG a 1 r 9223372036854775807\r\nx":                                          "the server announces a message of 9223372036854775807 bytes",
		"hmsg a 1 12 99999999999999999999999\r\n":                                     "the server announces a message of 99999999999999999999999 bytes",
		"MSG a 1 8388609\r\n":                                                         "the server announces a message of 8388609 bytes",
		`INFO {"max_payload":9223372036854775807}` + "\r\n" + "MSG a 1 134217729\r\n": "at most 134217728 are accepted",
		`INFO {"max_payload":-5}` + "\r\n" + "MSG a 1 8388609\r\n":                    "at most 8388608 are accepted",
		"MSG a 1 -5\r\n":                                "the server announces a message without a size",
		"MSG a 1 0x5\r\n":                               "the server announces a message without a size",
		"MSG a 1 2\r\nabMSG a 1 9\r\n":                  "the server's message does not end where it should",
		"MSG a 1 2\r\nab\n":                             "the server's message does not end where it should",
		"-ERR " + strings.Repeat("e", MaxLine) + "\r\n": "the server sent a line of more than 1048576 bytes",
	} {
		for _, step := range []int{1, 7, 1 << 30} {
			passed, err := check(info+said, step)
			require.ErrorContains(t, err, says, "%.60q", said)
			require.Less(t, len(passed), len(info+said))
			require.NotContains(t, passed, "4387904\r")
		}
	}
	var b Bounds
	_, err := b.Check([]byte("MSG a 1 4611686018427387904\r\n"))
	n, again := b.Check([]byte("PING\r\n"))
	require.Zero(t, n)
	require.Equal(t, err, again)
}

func TestCheckAllocatesNothing(t *testing.T) {
	said := []byte("MSG a.subject 1 100\r\n" + strings.Repeat("x", 100) + "\r\nPING\r\n")
	var b Bounds
	for range 2 {
		require.Zero(t, testing.AllocsPerRun(100, func() {
			for _, part := range [][]byte{said[:9], said[9:40], said[40:]} {
				if _, err := b.Check(part); err != nil {
					t.Error(err)
				}
			}
		}))
	}
}

func largest(said []byte) (size int64) {
	for {
		end := bytes.IndexByte(said, '\n')
		if end < 0 || bytes.IndexByte([]byte("MmHhPp+-Ii"), said[0]) < 0 {
			return size
		}
		line := said[:end]
		said = said[end+1:]
		if bytes.IndexByte([]byte("MmHh"), line[0]) < 0 {
			continue
		}
		words := bytes.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' || r == '\r' })
		n, ok := number(words[len(words)-1])
		if !ok {
			return size
		}
		size = max(size, n)
		if n >= int64(len(said)) {
			return size
		}
		said = said[n+1:]
		if end = bytes.IndexByte(said, '\n'); end < 0 {
			return size
		}
		said = said[end+1:]
		if len(said) == 0 {
			return size
		}
	}
}

func FuzzBounds(f *testing.F) {
	f.Add([]byte("PING\r\nMSG a 1 5\r\nhello\r\nPONG\r\n"), 1)
	f.Add([]byte("HMSG a 1 12 17\r\nNATS/1.0\r\n\r\nhello\r\n"), 5)
	f.Add([]byte("MSG a 1 4611686018427387904\r\n"), 2)
	f.Add([]byte("MSG a 1 2\r\nabMSG a 1 9\r\n"), 3)
	f.Fuzz(func(t *testing.T, said []byte, step int) {
		whole, wholeErr := check(string(said), max(len(said), 1))
		parts, partsErr := check(string(said), max(1, step))
		require.Equal(t, wholeErr, partsErr)
		require.True(t, strings.HasPrefix(parts, whole))
		if len(parts) > 0 {
			require.LessOrEqual(t, largest([]byte(parts)), int64(leastPayload*16))
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	said := []byte("MSG a.subject 1 100\r\n" + strings.Repeat("x", 100) + "\r\n")
	var bounds Bounds
	for b.Loop() {
		_, _ = bounds.Check(said)
	}
}
