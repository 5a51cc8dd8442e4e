package cmi

import (
	"bytes"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// requireGarbage checks that an error of a decoder is one that closes the connection, or the server's.
func requireGarbage(t *testing.T, err error) {
	t.Helper()
	var known *Error
	require.True(t, errors.As(err, &known) && (known.Kind == KindConnection || known.Code != 0), "%v", err)
}

func FuzzNextUnit(f *testing.F) {
	var r request
	r.text(unitMessage, "hello")
	r.uint32(unitHidden, 7)
	r.fetchRows(-1)
	f.Add(r.buf)
	f.Add(r.buf[:20])
	f.Fuzz(func(t *testing.T, body []byte) {
		for len(body) > 0 {
			u, rest, err := nextUnit(body)
			if err != nil {
				requireGarbage(t, err)

				return
			}
			require.Less(t, len(rest), len(body))
			require.LessOrEqual(t, len(u.data), len(body)-len(rest)-unitHeader)
			body = rest
		}
	})
}

func FuzzReadAnswer(f *testing.F) {
	var r request
	r.uint64(unitResult, resultOK<<32)
	r.uint64(unitParameters, 1)
	r.uint64(unitParamType, uint64(Long)<<56)
	r.text(unitColumnName, "N")
	r.uint64(unitColumnType, uint64(Double)<<56)
	f.Add(r.buf)
	r.bytes(unitRow, []byte{1, 2, 3})
	f.Add(r.buf)
	r.reset()
	r.uint64(unitResult, 0x72434d5f<<32|2010)
	r.text(unitMessage, "no")
	f.Add(r.buf)
	f.Fuzz(func(t *testing.T, body []byte) {
		a, rows, err := readAnswer(body)
		if err != nil {
			requireGarbage(t, err)

			return
		}
		require.True(t, bytes.HasSuffix(body, rows))
		require.LessOrEqual(t, (len(a.columns)+len(a.parameters))*unitHeader, len(body))
	})
}

func FuzzRow(f *testing.F) {
	f.Add([]byte{byte(Long)}, []byte{0, 0, 0, 0, 0, 0, 0, 1})
	f.Add([]byte{byte(Varchar), byte(Short)}, []byte{0, 0, 0, 1, 'a', 0x80, 0})
	f.Add([]byte{byte(IPv4), byte(IPv6), byte(Null), byte(Blob)}, []byte{4, 1, 2, 3, 4, 0})
	f.Fuzz(func(t *testing.T, types, data []byte) {
		var r row
		for _, b := range types {
			column, err := describe("C", uint64(b)<<56)
			if err == nil {
				r.columns = append(r.columns, column)
			}
		}
		if err := r.set(data); err != nil {
			requireGarbage(t, err)
		}
		total := 0
		for i := range r.columns {
			total += len(r.raw(i))
			_ = r.value(i)
		}
		require.LessOrEqual(t, total, len(data))
	})
}

// The number of a statement is used again last of all.
func TestStatementNumbers(t *testing.T) {
	var s ids
	for want := range uint32(maxStatements) {
		id, ok := s.take()
		require.True(t, ok)
		require.Equal(t, want, id)
	}
	_, ok := s.take()
	require.False(t, ok)
	s.give(7)
	id, ok := s.take()
	require.True(t, ok)
	require.EqualValues(t, 7, id)
}
