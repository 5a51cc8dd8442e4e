package cmi_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"net"
	"net/netip"
	"runtime"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

func everyType(rows ...[]byte) []byte {
	b := result(good)
	for t := range 256 {
		if kind := cmi.Type(t); kind.String() != fmt.Sprintf("type 0x%02x", t) {
			b = append(b, column(kind.String(), kind, 64)...)
		}
	}
	for _, row := range rows {
		b = append(b, binaryUnit(0x52, row...)...)
	}

	return append(b, result(last)...)
}

var (
	fullRow = bytes.Join([][]byte{
		{0xff, 0xfe}, {0, 0, 0, 2, 'v', 'c'}, binary.BigEndian.AppendUint64(nil, uint64(start)), {0xff, 0xff, 0xff, 0xfd},
		binary.BigEndian.AppendUint64(nil, math.MaxInt64), {0x3f, 0xc0, 0, 0}, bigFloat(-1.5), {}, // null
		{4, 1, 2, 3, 4}, append([]byte{6}, net.IPv6loopback...), {0, 0, 0, 1, 'c'}, {0, 0, 0, 4, 0xf0, 0x9f, 0x98, 0x80},
		{0, 0, 0, 1, 'l'}, {0, 0, 0, 1, 0xfe}, {0, 0, 0, 2, '{', '}'}, {0, 0, 0, 1, 0}, {0xff, 0xfe}, {0xff, 0xff, 0xff, 0xfe},
		{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe},
	}, nil)
	nullRow = bytes.Join([][]byte{
		{0x80, 0}, {0, 0, 0, 0}, bytes.Repeat([]byte{255}, 8), {0x80, 0, 0, 0}, {0x80, 0, 0, 0, 0, 0, 0, 0}, {0x7f, 0x7f, 255, 255},
		bigFloat(math.MaxFloat64), {}, make([]byte, 5), make([]byte, 17), {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0},
		{0, 0, 0, 0}, {0, 0, 0, 0}, {255, 255}, {255, 255, 255, 255}, bytes.Repeat([]byte{255}, 8),
	}, nil)
	fullValues = []any{
		int16(-2), "vc", time.Unix(0, start).UTC(), int32(-3), int64(math.MaxInt64), float32(1.5), -1.5, nil,
		netip.MustParseAddr("1.2.3.4"), netip.MustParseAddr("::1"), "c", "😀", "l", []byte{0xfe}, "{}", []byte{0},
		uint16(0xfffe), uint32(0xfffffffe), uint64(0xfffffffffffffffe),
	}
)

func TestValuesOfEveryType(t *testing.T) {
	c := withReplay(t, bytes.NewReader(message(kindDirect, 0, everyType(fullRow, nullRow))))
	rows, err := c.Query(context.Background(), "select *")
	require.NoError(t, err)
	require.Nil(t, rows.Value(0), "before the first row")
	require.Len(t, rows.Columns(), len(fullValues))
	for i, column := range rows.Columns() {
		require.Equal(t, i, rows.Index(column.Name), column.Name)
	}
	require.Equal(t, -1, rows.Index("nix"))

	require.True(t, rows.Next())
	for i, want := range fullValues {
		name := rows.Columns()[i].Name
		require.Equal(t, want, rows.Value(i), name)
		require.Equal(t, want == nil, rows.IsNull(i), name)
		wantAccessors(t, rows, i, want)
	}
	require.True(t, rows.Next())
	for i := range fullValues {
		require.Nil(t, rows.Value(i), rows.Columns()[i].Name)
		require.True(t, rows.IsNull(i), rows.Columns()[i].Name)
		require.Empty(t, rows.Bytes(i))
		wantAccessors(t, rows, i, nil)
	}
	require.False(t, rows.Next())
	require.NoError(t, rows.Err())
}

func wantAccessors(t *testing.T, rows *cmi.Rows, i int, want any) {
	t.Helper()
	var integer int64
	var float float64
	var at time.Time
	switch v := want.(type) {
	case int16:
		integer = int64(v)
	case uint16:
		integer = int64(v)
	case int32:
		integer = int64(v)
	case uint32:
		integer = int64(v)
	case int64:
		integer = v
	case float32:
		float = float64(v)
	case float64:
		float = v
	case time.Time:
		integer, at = v.UnixNano(), v
	case string:
		require.Equal(t, v, string(rows.Bytes(i)))
	}
	name := rows.Columns()[i].Name
	require.Equal(t, integer, rows.Int64(i), name)
	require.InDelta(t, float, rows.Float64(i), 0, name)
	require.Equal(t, at, rows.Time(i), name)
}

func TestAnswersInPieces(t *testing.T) {
	body := everyType(fullRow, nullRow, fullRow)
	whole := message(kindDirect, 0, body)
	var packets []byte
	for i := 0; i < len(body); i += 7 {
		flag := uint32(2)
		switch {
		case i == 0:
			flag = 1
		case i+7 >= len(body):
			flag = 3
		}
		packets = append(packets, packet(kindDirect, flag, 0, body[i:min(i+7, len(body))])...)
	}
	tests := map[string]io.Reader{
		"whole":                bytes.NewReader(whole),
		"byte by byte":         iotest.OneByteReader(bytes.NewReader(whole)),
		"halves":               iotest.HalfReader(bytes.NewReader(whole)),
		"packets":              bytes.NewReader(packets),
		"packets byte by byte": iotest.OneByteReader(bytes.NewReader(packets)),
		"empty packets": bytes.NewReader(bytes.Join([][]byte{
			packet(kindDirect, 1, 0), packet(kindDirect, 2, 0), packet(kindDirect, 2, 0, body), packet(kindDirect, 3, 0),
		}, nil)),
	}
	for name, says := range tests {
		t.Run(name, func(t *testing.T) {
			rows, err := withReplay(t, says).Query(context.Background(), "select *")
			require.NoError(t, err)
			for range 3 {
				require.True(t, rows.Next(), rows.Err())
			}
			require.Equal(t, fullValues[1], rows.Value(1))
			require.False(t, rows.Next())
			require.NoError(t, rows.Err())
		})
	}
}

func readQuery(c *cmi.Conn) (rows int, err error) {
	r, err := c.Query(context.Background(), "select n from t")
	if err != nil {
		return 0, err
	}
	for r.Next() {
		rows++
	}

	return rows, r.Close()
}

const closes = "closed the connection"

func TestInvalidAnswers(t *testing.T) {
	row := binaryUnit(0x52, 0, 0, 0, 0, 0, 0, 0, 1)
	longs := append(result(good), column("N", cmi.Long, 64)...)
	texts := append(result(good), column("S", cmi.Varchar, 64)...)
	header := func(kind byte, flag uint32, length uint32) []byte {
		b := packet(kind, 0, 0)
		binary.BigEndian.PutUint32(b[4:], flag<<30|length)

		return b
	}
	tests := map[string]struct {
		says []byte
		err  string
	}{
		"nothing":                        {nil, closes},
		"half a header":                  {message(kindDirect, 0)[:9], closes},
		"half a body":                    {message(kindDirect, 0, oneColumn(last, 1))[:40], closes},
		"only the first packet":          {packet(kindDirect, 1, 0, result(last)), closes},
		"a message over 256 MiB":         {append(header(kindDirect, 0, 256<<20+1), 1, 2, 3), "more than 268435456 bytes"},
		"packets over 256 MiB":           {append(packet(kindDirect, 1, 0, longs), header(kindDirect, 3, 256<<20)...), "more than 268435456 bytes"},
		"no zero in front":               {append([]byte{1}, message(kindDirect, 0)[1:]...), "starts with"},
		"an unknown message":             {message(20, 0), "starts with"},
		"a last packet first":            {packet(kindDirect, 3, 0, result(last)), "packet of a message is missing"},
		"a middle packet first":          {packet(kindDirect, 2, 0, result(last)), "packet of a message is missing"},
		"a whole one amid packets":       {append(packet(kindDirect, 1, 0), packet(kindDirect, 0, 0)...), "packet of a message is missing"},
		"two first packets":              {append(packet(kindDirect, 1, 0), packet(kindDirect, 1, 0)...), "packet of a message is missing"},
		"another message amid packets":   {append(packet(kindDirect, 1, 0), packet(kindFetch, 3, 0)...), "packet of another message"},
		"another statement":              {message(kindDirect, 1, result(last)), "message 8 of statement 1 arrived instead of 8 of 0"},
		"another message":                {message(kindFetch, 0, result(last)), "message 9 of statement 0 arrived instead of 8 of 0"},
		"a rejection without appender":   {message(kindData, 5, failed(3017, "x")), "which does not exist"},
		"an empty body":                  {message(kindDirect, 0), "has no result"},
		"no result":                      {message(kindDirect, 0, column("N", cmi.Long, 64), row), "has no result"},
		"a bad result without code":      {message(kindDirect, 0, failed(0, "x")), "has an unknown result"},
		"half a unit":                    {message(kindDirect, 0, result(last)[:15]), "in the middle of a unit"},
		"a unit beyond the body":         {message(kindDirect, 0, result(good), rawUnit(0x26, 2, 9, 1, 2, 3, 4, 5, 6, 7, 8)), "announces 9 bytes"},
		"padding beyond the body":        {message(kindDirect, 0, result(good), rawUnit(0x26, 2, 5, 1, 2, 3, 4, 5)), "announces 5 bytes"},
		"a unit of 2^64-1":               {message(kindDirect, 0, result(good), rawUnit(0x26, 2, math.MaxUint64, 1)), "announces 18446744073709551615 bytes"},
		"a unit of 2^63-1":               {message(kindDirect, 0, result(good), rawUnit(0x52, 3, math.MaxInt64, 1)), "announces 9223372036854775807 bytes"},
		"an unknown type":                {message(kindDirect, 0, result(good), column("N", 0x99, 64)), "an unknown type, 0x99"},
		"a row that is too short":        {message(kindDirect, 0, longs, binaryUnit(0x52, 1, 2, 3)), "a row of 3 bytes does not fit its columns"},
		"a row without a length":         {message(kindDirect, 0, texts, binaryUnit(0x52, 0, 0, 0)), "a row of 3 bytes does not fit its columns"},
		"a text beyond the row":          {message(kindDirect, 0, texts, binaryUnit(0x52, 0, 0, 0, 3, 'a')), "a row of 5 bytes does not fit its columns"},
		"a text of 4 GiB":                {message(kindDirect, 0, texts, binaryUnit(0x52, 255, 255, 255, 255, 'a')), "a row of 5 bytes does not fit its columns"},
		"a row beyond the body":          {message(kindDirect, 0, longs, row, rawUnit(0x52, 3, 99)), "announces 99 bytes"},
		"a fetch without a body":         {append(message(kindDirect, 0, longs), message(kindFetch, 0)...), "has no result"},
		"a fetch without a result":       {append(message(kindDirect, 0, longs), message(kindFetch, 0, row)...), "has no result"},
		"a fetch of another statement":   {append(message(kindDirect, 0, longs), message(kindFetch, 3, result(last))...), "arrived instead of 9 of 0"},
		"a server's error in two pieces": {message(kindDirect, 0, result(bad|2010), rawUnit(0x11, 2, 99)), "announces 99 bytes"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for _, says := range []io.Reader{bytes.NewReader(test.says), iotest.OneByteReader(bytes.NewReader(test.says))} {
				c := withReplay(t, says)
				_, err := readQuery(c)
				kind := cmi.KindProtocol
				if test.err == closes {
					kind = cmi.KindConnection
				}
				require.ErrorContains(t, requireKind(t, kind, err), test.err)
				require.True(t, c.Broken())

				_, again := c.Query(context.Background(), "select 1")
				require.ErrorContains(t, requireKind(t, cmi.KindConnection, again), "is closed: "+err.Error())
			}
		})
	}
}

func TestInvalidPrepares(t *testing.T) {
	tests := map[string][]byte{
		"no result":                 message(kindPrepare, 0, number(0x21, 0)),
		"fewer parameters":          message(kindPrepare, 0, result(good), number(0x21, 2), parameter(cmi.Long)),
		"more parameters":           message(kindPrepare, 0, result(good), number(0x21, 0), parameter(cmi.Long)),
		"a great many parameters":   message(kindPrepare, 0, result(good), number(0x21, math.MaxUint64)),
		"a parameter of no type":    message(kindPrepare, 0, result(good), number(0x21, 1), parameter(0xee)),
		"an answer to an execution": message(kindExecute, 0, result(good)),
	}
	for name, says := range tests {
		t.Run(name, func(t *testing.T) {
			c := withReplay(t, bytes.NewReader(says))
			_, err := c.Prepare(context.Background(), "select 1")
			requireKind(t, cmi.KindProtocol, err)
			require.True(t, c.Broken())
		})
	}
}

func TestAnswersThatStopHalfWay(t *testing.T) {
	answer := bytes.Join([][]byte{
		message(kindDirect, 0, oneColumn(good, 1, 2)), message(kindFetch, 0, result(good), binaryUnit(0x52, 0, 0, 0, 0, 0, 0, 0, 1), result(last)),
		message(kindFree, 0, result(good)),
	}, nil)
	for length := range answer {
		c := withReplay(t, bytes.NewReader(answer[:length]))
		_, err := readQuery(c)
		requireKind(t, cmi.KindConnection, err)
	}
	rows, err := readQuery(withReplay(t, bytes.NewReader(answer)))
	require.NoError(t, err)
	require.Equal(t, 3, rows)
}

func TestAllocationsFollowReceivedBytes(t *testing.T) {
	const sent = 4 << 10
	claims := map[string][]byte{
		"a packet": func() []byte {
			b := append(packet(kindDirect, 0, 0), make([]byte, sent)...)
			binary.BigEndian.PutUint32(b[4:], 255<<20)

			return b
		}(),
		"1 GiB": func() []byte {
			b := append(packet(kindDirect, 0, 0), make([]byte, sent)...)
			binary.BigEndian.PutUint32(b[4:], 1<<30-1)

			return b
		}(),
		"a unit":  message(kindDirect, 0, result(good), rawUnit(0x26, 2, 1<<40, make([]byte, sent)...)),
		"a value": message(kindDirect, 0, result(good), column("S", cmi.Text, 1), binaryUnit(0x52, append([]byte{255, 0, 0, 0}, make([]byte, sent)...)...)),
	}
	for name, says := range claims {
		t.Run(name, func(t *testing.T) {
			c := withReplay(t, bytes.NewReader(says))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := readQuery(c)
			runtime.ReadMemStats(&after)
			kind := cmi.KindProtocol
			if name == "a packet" {
				kind = cmi.KindConnection
			}
			requireKind(t, kind, err)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<10))
		})
	}
}

func TestErrorsOfTheServer(t *testing.T) {
	kinds := map[uint64]string{
		2010: cmi.KindSyntax, 2025: cmi.KindNotFound, 2056: cmi.KindNotFound, 2080: cmi.KindAuth, 2081: cmi.KindAuth,
		2031: cmi.KindBusy, 3039: cmi.KindBusy, 3017: cmi.KindAppend, 3027: cmi.KindCancelled, 9999: cmi.KindServer,
	}
	for code, kind := range kinds {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			says := append(message(kindDirect, 0, failed(code, "It says why."), text(0x12, "a row")), message(kindFree, 0, result(good))...)
			says = append(says, message(kindDirect, 1, oneColumn(last, 1))...)
			says = append(says, message(kindFree, 1, result(good))...)
			c := withReplay(t, bytes.NewReader(says))
			_, err := readQuery(c)
			require.Equal(t, &cmi.Error{Code: int(code), Kind: kind, Message: "It says why."}, err)
			require.Equal(t, fmt.Sprintf("It says why. (machbase error %d)", code), err.Error())

			rows, err := readQuery(c)
			require.NoError(t, err, "the connection can be used on")
			require.Equal(t, 1, rows)
		})
	}
}

func TestErrorBetweenRows(t *testing.T) {
	extra := message(kindFetch, 0, result(good))
	for name, after := range map[string][]byte{"alone": nil, "with an answer too many": extra} {
		t.Run(name, func(t *testing.T) {
			says := bytes.Join([][]byte{
				message(kindDirect, 0, result(good), column("N", cmi.Long, 64), binaryUnit(0x52, 0, 0, 0, 0, 0, 0, 0, 1), failed(2032, "No number.")),
				after,
				message(kindFree, 0, result(good)), message(kindDirect, 1, oneColumn(last, 1)), message(kindFree, 1, result(good)),
			}, nil)
			c := withReplay(t, bytes.NewReader(says))
			rows, err := readQuery(c)
			require.Equal(t, 1, rows)
			require.Equal(t, 2032, requireKind(t, cmi.KindServer, err).Code)
			rows, err = readQuery(c)
			require.NoError(t, err, "the connection can be used on")
			require.Equal(t, 1, rows)
		})
	}
}
