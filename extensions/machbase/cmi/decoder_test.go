package cmi

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func requireProtocolError(t *testing.T, err error) {
	t.Helper()
	var known *Error
	require.True(t, errors.As(err, &known) && (known.Kind == KindConnection || known.Kind == KindProtocol || known.Code != 0), "%v", err)
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
				requireProtocolError(t, err)

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
	sized(&r, unitRow, typeBinary, []byte{1, 2, 3})
	f.Add(r.buf)
	r.reset()
	r.uint64(unitResult, 0x72434d5f<<32|2010)
	r.text(unitMessage, "no")
	f.Add(r.buf)
	f.Fuzz(func(t *testing.T, body []byte) {
		a, rows, err := readAnswer(body)
		if err != nil {
			requireProtocolError(t, err)

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
		var columns []Column
		for _, b := range types {
			column, err := describe("C", uint64(b)<<56)
			if err == nil {
				columns = append(columns, column)
			}
		}
		r.begin(layoutOf(columns))
		if err := r.set(data); err != nil {
			requireProtocolError(t, err)
			for i := range columns {
				require.Nil(t, r.value(i), "of a row that does not fit its columns")
			}

			return
		}
		for i, want := range split(columns, data) {
			require.Equal(t, string(want), string(r.raw(i)), i)
			require.Equal(t, len(want) == 0, r.value(i) == nil, i)
		}
	})
}

func split(columns []Column, data []byte) [][]byte {
	values := make([][]byte, len(columns))
	for i := range columns {
		width := columns[i].width
		if width == variable {
			width = int(binary.BigEndian.Uint32(data))
			data = data[4:]
		}
		if columns[i].width == variable || !columns[i].isNull(data[:width]) {
			values[i] = data[:width]
		}
		data = data[width:]
	}

	return values
}

func TestRowsOfOneStatementAfterAnother(t *testing.T) {
	columns := func(types ...Type) []Column {
		described := make([]Column, len(types))
		for i, t := range types {
			described[i], _ = describe("C", uint64(t)<<56)
		}

		return described
	}
	text, number := columns(Varchar, Short, Varchar, Short), columns(Short, Varchar, Short)
	var r row
	for range 2 {
		r.begin(layoutOf(text))
		require.Nil(t, r.value(0), "before the first row")
		require.NoError(t, r.set([]byte{0, 0, 0, 2, 'a', 'b', 0, 1, 0, 0, 0, 0, 0x80, 0}))
		require.Equal(t, []any{"ab", int16(1), nil, nil}, []any{r.value(0), r.value(1), r.value(2), r.value(3)})
		require.NoError(t, r.set([]byte{0, 0, 0, 0, 0x80, 0, 0, 0, 0, 1, 'c', 0, 2}))
		require.Equal(t, []any{nil, nil, "c", int16(2)}, []any{r.value(0), r.value(1), r.value(2), r.value(3)})

		r.begin(layoutOf(number))
		require.Nil(t, r.value(0), "before the first row")
		require.NoError(t, r.set([]byte{0, 1, 0, 0, 0, 1, 'd', 0, 3}))
		require.Equal(t, []any{int16(1), "d", int16(3)}, []any{r.value(0), r.value(1), r.value(2)})
		require.ErrorContains(t, r.set([]byte{0, 1, 0, 0, 0, 1, 'd', 0}), "a row of 8 bytes does not fit its columns")
		require.Nil(t, r.value(0), "of a row that does not fit")
	}
}

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
