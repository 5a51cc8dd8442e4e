package cmi_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"math"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

const goldenLogin = "00000000000000b00000000000000000" +
	"010000000b0000000200000000000400" + "02000000020000000300000000000000584b360000000000" +
	"0400000002000000040000000000000064617461" + "00000000" + "06000000020000000300000000000000535953" + "0000000000" +
	"070000000200000007000000000000006d616e61676572" + "00" + "080000000b0000000000000000000000" +
	"41000000090000000000000000000000" + "420000000200000009000000000000003132372e302e302e31" + "00000000000000"

func TestLoginRequest(t *testing.T) {
	config := cmi.Config{Addresses: []string{"peer:1"}, User: "sys", Password: "manager"}
	config.Dial = dialPeer(t, net.Pipe, func(p *peer) {
		p.hello()
		assert.Equal(t, goldenLogin, hex.EncodeToString(p.request()))
		p.answer(loggedIn)
	})
	connectTo(t, config)
}

func TestQueryTimeoutIsSetAtLogin(t *testing.T) {
	c := withPeer(t, cmi.Config{QueryTimeout: 7 * time.Second}, func(p *peer) {
		p.expect(message(kindDirect, 0, text(0x40, "alter session set query_timeout = 7"), number(0x22, 0), signed(0x51, cmi.DefaultFetchRows)))
		p.answer(message(kindDirect, 0, result(good)))
		p.expectFree(0)
	})
	require.False(t, c.Broken())
}

func TestDirectRequests(t *testing.T) {
	c := withPeer(t, cmi.Config{FetchRows: 2}, func(p *peer) {
		p.expect(message(kindDirect, 0, text(0x40, "select n from t"), number(0x22, 0), signed(0x51, 2)))
		p.answer(message(kindDirect, 0, oneColumn(good, 1, 2)))
		p.expect(message(kindFetch, 0, small(0x50, 0), signed(0x51, 2)))
		p.answer(message(kindFetch, 0, result(good), binaryUnit(0x52, 0, 0, 0, 0, 0, 0, 0, 3), result(last)))
		p.expectFree(0)
		p.expect(message(kindDirect, 1, text(0x40, "drop table t"), number(0x22, 1), signed(0x51, 2)))
		p.answer(message(kindDirect, 1, result(good), number(0x23, 5)))
		p.expectFree(1)
	})
	assert.Equal(t, [][]any{{int64(1)}, {int64(2)}, {int64(3)}}, query(t, c, "select n from t"))
	assert.EqualValues(t, 5, execSQL(t, c, "drop table t"))
}

func TestRowsClosedEarlyAreFreed(t *testing.T) {
	c := withPeer(t, cmi.Config{FetchRows: 1}, func(p *peer) {
		p.request()
		p.answer(message(kindDirect, 0, oneColumn(good, 1)))
		p.expectFree(0)
	})
	rows, err := c.Query(withTimeout(t), "select n from t")
	require.NoError(t, err)
	require.True(t, rows.Next())
	require.NoError(t, rows.Close())
	require.NoError(t, rows.Close(), "twice")
}

func TestParameters(t *testing.T) {
	at := time.Unix(1700000000, 123456789)
	tests := []struct {
		name  string
		typ   cmi.Type
		arg   any
		sent  cmi.Type
		bytes []byte
	}{
		{"string", cmi.Varchar, "h€😀", cmi.Varchar, []byte("h€😀")},
		{"empty string", cmi.Varchar, "", cmi.Varchar, nil},
		{"bytes", cmi.Binary, []byte{0, 255}, cmi.Binary, []byte{0, 255}},
		{"true", cmi.Short, true, cmi.Short, []byte{0, 1}},
		{"false", cmi.Short, false, cmi.Short, []byte{0, 0}},
		{"int8", cmi.Short, int8(-2), cmi.Long, binary.BigEndian.AppendUint64(nil, math.MaxUint64-1)},
		{"int16", cmi.Short, int16(-2), cmi.Short, []byte{0xff, 0xfe}},
		{"int32", cmi.Integer, int32(-2), cmi.Integer, []byte{0xff, 0xff, 0xff, 0xfe}},
		{"int", cmi.Long, 7, cmi.Long, []byte{0, 0, 0, 0, 0, 0, 0, 7}},
		{"int64", cmi.Long, int64(math.MinInt64), cmi.Long, []byte{0x80, 0, 0, 0, 0, 0, 0, 0}},
		{"int64 for a datetime", cmi.Datetime, int64(7), cmi.Datetime, []byte{0, 0, 0, 0, 0, 0, 0, 7}},
		{"uint", cmi.Long, uint(7), cmi.Long, []byte{0, 0, 0, 0, 0, 0, 0, 7}},
		{"uint8", cmi.Short, uint8(255), cmi.Long, []byte{0, 0, 0, 0, 0, 0, 0, 255}},
		{"uint16", cmi.Ushort, uint16(65535), cmi.Long, []byte{0, 0, 0, 0, 0, 0, 255, 255}},
		{"uint32", cmi.Uinteger, uint32(math.MaxUint32), cmi.Long, []byte{0, 0, 0, 0, 255, 255, 255, 255}},
		{"uint64", cmi.Ulong, uint64(math.MaxUint64), cmi.Ulong, bytes.Repeat([]byte{255}, 8)},
		{"float32", cmi.Float, float32(1.5), cmi.Float, []byte{0x3f, 0xc0, 0, 0}},
		{"float64", cmi.Double, 1.5, cmi.Double, bigFloat(1.5)},
		{"time", cmi.Datetime, at, cmi.Datetime, binary.BigEndian.AppendUint64(nil, uint64(at.UnixNano()))},
		{"IPv4", cmi.IPv4, netip.MustParseAddr("1.2.3.4"), cmi.IPv4, []byte{4, 1, 2, 3, 4}},
		{"IPv6", cmi.IPv6, netip.MustParseAddr("::1"), cmi.IPv6, append([]byte{6}, net.IPv6loopback...)},
		{"net.IP of IPv4", cmi.IPv4, net.ParseIP("1.2.3.4"), cmi.IPv4, []byte{4, 1, 2, 3, 4}},
		{"net.IP of IPv6", cmi.IPv6, net.IPv6loopback, cmi.IPv6, append([]byte{6}, net.IPv6loopback...)},
		{"null short", cmi.Short, nil, cmi.Short, []byte{0x80, 0}},
		{"null ushort", cmi.Ushort, nil, cmi.Ushort, []byte{255, 255}},
		{"null integer", cmi.Integer, nil, cmi.Integer, []byte{0x80, 0, 0, 0}},
		{"null uinteger", cmi.Uinteger, nil, cmi.Uinteger, []byte{255, 255, 255, 255}},
		{"null long", cmi.Long, nil, cmi.Long, []byte{0x80, 0, 0, 0, 0, 0, 0, 0}},
		{"null ulong", cmi.Ulong, nil, cmi.Ulong, bytes.Repeat([]byte{255}, 8)},
		{"null float", cmi.Float, nil, cmi.Float, []byte{0x7f, 0x7f, 255, 255}},
		{"null double", cmi.Double, nil, cmi.Double, bigFloat(math.MaxFloat64)},
		{"null datetime", cmi.Datetime, nil, cmi.Datetime, bytes.Repeat([]byte{255}, 8)},
		{"null IPv4", cmi.IPv4, nil, cmi.IPv4, make([]byte, 5)},
		{"null IPv6", cmi.IPv6, nil, cmi.IPv6, make([]byte, 17)},
		{"null varchar", cmi.Varchar, nil, cmi.Varchar, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			length := binary.BigEndian.AppendUint32(nil, uint32(len(test.bytes)))
			values := append([]byte{0, 1, 1, 1, byte(test.sent)}, length...)
			values = append(append(values, length...), test.bytes...)
			if len(values)%2 != 0 {
				values = append(values, 0)
			}
			c := withPeer(t, cmi.Config{}, func(p *peer) {
				p.expect(message(kindPrepare, 0, number(0x22, 0), text(0x20, "insert ?")))
				p.answer(message(kindPrepare, 0, result(good), number(0x21, 1), parameter(test.typ), rawUnit(200, 8, 513)))
				p.expect(message(kindExecute, 0, number(0x22, 0), signed(0x51, cmi.DefaultFetchRows), binaryUnit(0x31, values...)))
				p.answer(message(kindExecute, 0, result(good), number(0x23, 1)))
				p.expectFree(0)
			})
			assert.EqualValues(t, 1, execSQL(t, c, "insert ?", test.arg))
		})
	}
}

func TestParametersThatDoNotFit(t *testing.T) {
	tests := map[string]struct {
		args []any
		says string
	}{
		"a struct":                {[]any{struct{}{}}, "parameter 1: a struct {} cannot be bound"},
		"a time too late":         {[]any{time.Date(2300, 1, 1, 0, 0, 0, 0, time.UTC)}, "does not fit a datetime"},
		"a time too early":        {[]any{time.Date(1600, 1, 1, 0, 0, 0, 0, time.UTC)}, "does not fit a datetime"},
		"an address that is none": {[]any{netip.Addr{}}, "parameter 1: it is not an IP address"},
		"an IP of three bytes":    {[]any{net.IP{1, 2, 3}}, "3 bytes are not an IP address"},
		"none":                    {nil, "takes 1 parameters, not 0"},
		"two":                     {[]any{1, 2}, "takes 1 parameters, not 2"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := withPeer(t, cmi.Config{}, func(p *peer) {
				p.request()
				p.answer(message(kindPrepare, 0, result(good), number(0x21, 1), parameter(cmi.Long)))
			})
			s, err := c.Prepare(withTimeout(t), "insert ?")
			require.NoError(t, err)
			_, err = s.Exec(withTimeout(t), test.args...)
			require.ErrorContains(t, requireKind(t, cmi.KindUsage, err), test.says)
			require.False(t, c.Broken())
		})
	}
}

func TestLongRequestsHaveSeveralPackets(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	c := withPeer(t, cmi.Config{}, func(p *peer) {
		p.expect(bytes.Join([][]byte{
			packet(kindDirect, 1, 0, text(0x40, long)),
			packet(kindDirect, 3, 0, number(0x22, 0), signed(0x51, cmi.DefaultFetchRows)),
		}, nil))
		p.answer(message(kindDirect, 0, result(good)))
		p.expectFree(0)
		p.expect(bytes.Join([][]byte{packet(kindPrepare, 1, 1, number(0x22, 1)), packet(kindPrepare, 3, 1, text(0x20, long))}, nil))
		p.answer(message(kindPrepare, 1, result(good), number(0x21, 1), parameter(cmi.Varchar)))
		values := append([]byte{0, 1, 1, 1, byte(cmi.Varchar), 0, 1, 0x86, 0xa0, 0, 1, 0x86, 0xa0}, long...)
		p.expect(bytes.Join([][]byte{
			packet(kindExecute, 1, 1, number(0x22, 1), signed(0x51, cmi.DefaultFetchRows)),
			packet(kindExecute, 3, 1, binaryUnit(0x31, append(values, 0)...)),
		}, nil))
		p.answer(message(kindExecute, 1, result(good)))
	})
	execSQL(t, c, long)
	s, err := c.Prepare(withTimeout(t), long)
	require.NoError(t, err)
	_, err = s.Exec(withTimeout(t), long)
	require.NoError(t, err)
}

var logTable = bytes.Join([][]byte{result(good), column("", cmi.Datetime, 64), column("S", cmi.Varchar, 8), column("N", cmi.Short, 16)}, nil)

var openT = message(kindOpen, 0, number(0x22, 0), text(0x25, "t"), number(0x34, 0))

func dataUnit(nulls byte, values ...byte) []byte {
	return binaryUnit(0x23, append([]byte{0, 1, 0, 0, 0, nulls}, values...)...)
}

func TestAppendRequests(t *testing.T) {
	arrival := make([]byte, 8)
	c := withPeer(t, cmi.Config{}, func(p *peer) {
		p.expect(openT)
		p.answer(message(kindOpen, 0, logTable))
		first := message(kindData, 0, dataUnit(0, append(arrival, 2, 0, 0, 0, 'a', 'b', 0xfe, 0xff)...), dataUnit(0x60, arrival...))
		p.expect(first)
		p.expect(message(kindClose, 0, number(0x22, 0)))
		p.answer(message(kindData, 0, failed(3017, "too long")), message(kindClose, 0, result(good), number(0x61, 1), number(0x62, 1)))
		p.expect(openT)
		p.answer(message(kindOpen, 0, logTable))
		p.expect(message(kindClose, 0, number(0x22, 0)))
		p.answer(message(kindClose, 0, result(good), number(0x61, 0), number(0x62, 0)))
	})
	ctx := withTimeout(t)
	a, err := c.Append(ctx, "t", cmi.AppendOptions{})
	require.NoError(t, err)
	require.NoError(t, a.Append(ctx, "ab", -2))
	require.NoError(t, a.Append(ctx, nil, nil))
	receipt, err := a.Sync(ctx)
	require.NoError(t, err)
	want := cmi.Receipt{Accepted: 1, Rejected: 1, Reasons: []cmi.Reason{{Code: 3017, Message: "too long", Rows: 1}}}
	require.Equal(t, want, receipt)
	receipt, err = a.Close(ctx)
	require.NoError(t, err)
	require.Equal(t, want, receipt)
	receipt, err = a.Close(ctx)
	require.NoError(t, err, "twice")
	require.Equal(t, want, receipt)
}

func TestAppendDataNamesItsStatement(t *testing.T) {
	c := withPeer(t, cmi.Config{}, func(p *peer) {
		p.request()
		p.answer(message(kindPrepare, 0, result(good), number(0x21, 0)))
		p.request()
		p.answer(message(kindOpen, 1, logTable))
		want := message(kindData, 1, dataUnit(0xe0))
		want[2] = 1
		p.expect(want)
	})
	ctx := withTimeout(t)
	_, err := c.Prepare(ctx, "select 1")
	require.NoError(t, err)
	a, err := c.Append(ctx, "t", cmi.AppendOptions{Columns: []string{"_arrival_time", "s", "N"}})
	require.NoError(t, err)
	require.NoError(t, a.Append(ctx, nil, nil, nil))
	require.NoError(t, a.Flush(ctx))
}

func TestBatches(t *testing.T) {
	row := func(n byte) []byte { return dataUnit(0x40, append(make([]byte, 8), n, 0)...) }
	tests := map[string]struct {
		batch   cmi.Batch
		packets [][]byte
	}{
		"rows":         {cmi.Batch{Rows: 2}, [][]byte{append(row(0), row(1)...), append(row(2), row(3)...), row(4)}},
		"one row":      {cmi.Batch{Rows: 1}, [][]byte{row(0), row(1), row(2), row(3), row(4)}},
		"exact bytes":  {cmi.Batch{Bytes: 64}, [][]byte{append(row(0), row(1)...), append(row(2), row(3)...), row(4)}},
		"bytes":        {cmi.Batch{Bytes: 70}, [][]byte{append(row(0), row(1)...), append(row(2), row(3)...), row(4)}},
		"few bytes":    {cmi.Batch{Bytes: 1}, [][]byte{row(0), row(1), row(2), row(3), row(4)}},
		"age":          {cmi.Batch{Age: 1}, [][]byte{row(0), row(1), row(2), row(3), row(4)}},
		"first limit":  {cmi.Batch{Rows: 3, Bytes: 32, Age: time.Hour}, [][]byte{row(0), row(1), row(2), row(3), row(4)}},
		"no limit hit": {cmi.Batch{Rows: 9, Age: time.Hour}, [][]byte{bytes.Join([][]byte{row(0), row(1), row(2), row(3), row(4)}, nil)}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := withPeer(t, cmi.Config{}, func(p *peer) {
				p.expect(openT)
				p.answer(message(kindOpen, 0, logTable))
				for _, want := range test.packets {
					p.expect(message(kindData, 0, want))
				}
				p.expect(message(kindClose, 0, number(0x22, 0)))
				p.answer(message(kindClose, 0, result(good), number(0x61, 5), number(0x62, 0)))
			})
			ctx := withTimeout(t)
			a, err := c.Append(ctx, "t", cmi.AppendOptions{Columns: []string{"N"}, Batch: test.batch})
			require.NoError(t, err)
			n, err := a.AppendColumns(ctx, []int64{0, 1, 2, 3, 4})
			require.NoError(t, err)
			require.Equal(t, 5, n)
			receipt, err := a.Close(ctx)
			require.NoError(t, err)
			require.Equal(t, cmi.Receipt{Accepted: 5}, receipt)
		})
	}
}

func TestLargestBatch(t *testing.T) {
	long := strings.Repeat("x", 70_000)
	arrival := make([]byte, 8)
	c := withPeer(t, cmi.Config{}, func(p *peer) {
		p.request()
		p.answer(message(kindOpen, 0, logTable))
		short := dataUnit(0x40, append(arrival, 1, 0)...)
		p.expect(message(kindData, 0, bytes.Repeat(short, 65536/len(short))))
		p.expect(message(kindData, 0, short))
		p.expect(message(kindData, 0, dataUnit(0x20, append(append(arrival, 0x70, 0x11, 1, 0), long...)...)))
	})
	ctx := withTimeout(t)
	a, err := c.Append(ctx, "t", cmi.AppendOptions{})
	require.NoError(t, err)
	for range 65536/32 + 1 {
		require.NoError(t, a.Append(ctx, nil, 1))
	}
	require.NoError(t, a.Append(ctx, long, nil))
	require.NoError(t, a.Flush(ctx))
}
