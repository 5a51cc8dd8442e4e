package wire

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"
)

type decoded struct {
	kind                               statementKind
	rest, subject, reply, header, data string
}

func decode(from io.Reader) (all []decoded, largest int, err error) {
	r := reader{from: from}
	for {
		var s statement
		if err := r.next(&s); err != nil {
			return all, len(r.buffer), err
		}
		all = append(all, decoded{s.kind, string(s.rest), string(s.subject), string(s.reply), string(s.header), string(s.data)})
	}
}

func FuzzReader(f *testing.F) {
	for _, x := range exchanges() {
		if len(x.answer) < 1<<10 {
			f.Add([]byte(x.answer))
		}
	}
	f.Add([]byte("MSG a 1 4611686018427387904\r\nx"))
	f.Add([]byte("HMSG a 1 99999999999999999999 99999999999999999999\r\n"))
	f.Fuzz(func(t *testing.T, said []byte) {
		whole, size, wholeErr := decode(bytes.NewReader(said))
		parts, _, partsErr := decode(iotest.OneByteReader(bytes.NewReader(said)))
		require.Equal(t, whole, parts)
		require.Equal(t, wholeErr.Error(), partsErr.Error())
		_, own := errors.AsType[*Error](wholeErr)
		require.True(t, own || errors.Is(wholeErr, io.EOF), "%v", wholeErr)
		require.LessOrEqual(t, size, max(firstBuffer, 4*len(said)))
	})
}

func FuzzAnswers(f *testing.F) {
	for _, x := range exchanges() {
		if len(x.answer) < 1<<10 {
			f.Add([]byte(x.answer))
		}
	}
	f.Fuzz(func(t *testing.T, answer []byte) {
		for _, do := range []func(*Conn) (string, error){asks(nil, "x"), gets, puts, purges, looks} {
			c, _ := answers(t, string(answer))
			for range 2 {
				got, err := do(c)
				_, own := errors.AsType[*Error](err)
				require.True(t, err == nil || own, "%v", err)
				require.LessOrEqual(t, len(got), max(len(answer), len("otherwise")))
			}
		}
	})
}

func FuzzRequest(f *testing.F) {
	f.Add("a", "A", "b", []byte("x"))
	f.Add("a\r\nPUB b 0", "A\r\n", "b\r\n\r\nc", []byte("\r\nPING\r\n"))
	f.Fuzz(func(t *testing.T, subject, name, value string, data []byte) {
		c, script := answers(t, message("ok"))
		if !IsHeaderName(name) {
			return
		}
		_, err := c.Request(subject, EncodeHeader(nil, name, value), data, time.Minute)
		if err != nil {
			require.Empty(t, script.sent.String())

			return
		}
		_, sent, _ := bytes.Cut(script.sent.Bytes(), []byte("* 1\r\n"))
		r := reader{from: bytes.NewReader(append([]byte("HMSG"), bytes.TrimPrefix(sent, []byte("HPUB"))...))}
		var s statement
		require.NoError(t, r.next(&s))
		require.Equal(t, string(data), string(s.data))
		require.Equal(t, r.begin, r.end)
		names := 0
		require.True(t, header(s.header).each(func(got, _ []byte) {
			require.Equal(t, name, string(got))
			names++
		}))
		require.Equal(t, 1, names)
	})
}
