//go:build servers

package cmi_test

import (
	"fmt"
	"math"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

const typesTable = `create table %s (id integer, s short, us ushort, i integer, ui uinteger, l long, ul ulong, f float, d double,
	at datetime, vc varchar(100), v4 ipv4, v6 ipv6, tx text, bi binary, js json, cl clob, bl blob)`

func typesRows() (written, read [][]any) {
	at := time.Unix(0, start+123456789).UTC()
	v4, v6 := netip.MustParseAddr("255.254.0.1"), netip.MustParseAddr("2001:db8::ff")
	same := [][]any{
		{int32(1), int16(-2), uint16(3), int32(-4), uint32(5), int64(-6), uint64(7), float32(1.5), -2.5, at, "text", v4, v6, "a longer text",
			[]byte{0, 1, 255}, `{"a":1}`, "clob", []byte("blob")},
		{int32(2), nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil},
		{int32(3), int16(math.MaxInt16), uint16(math.MaxUint16 - 1), int32(math.MaxInt32), uint32(math.MaxUint32 - 1), int64(math.MaxInt64),
			uint64(math.MaxUint64 - 1), float32(math.SmallestNonzeroFloat32), math.SmallestNonzeroFloat64, time.Unix(0, math.MaxInt64).UTC(),
			"h€llo 😀", netip.MustParseAddr("0.0.0.0"), netip.IPv6Unspecified(), "😀", []byte{0}, `[]`, "😀", []byte{0}},
		{int32(4), int16(math.MinInt16 + 1), uint16(0), int32(math.MinInt32 + 1), uint32(0), int64(math.MinInt64 + 1), uint64(0),
			float32(-math.MaxFloat32), -math.MaxFloat64, time.Unix(0, 0).UTC(), "'", netip.MustParseAddr("255.255.255.255"),
			netip.MustParseAddr("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"), "x", []byte("bytes"), `{}`, "y", []byte("z")},
		{int32(5), int16(0), uint16(1), int32(0), uint32(1), int64(0), uint64(1), float32(math.Inf(1)), math.Inf(-1), at, " ", v4, v6, "\n", []byte{255}, `{"b":[]}`,
			" ", []byte{1}},
	}
	written, read = append(written, same...), append(read, same...)
	written = append(written, []any{int32(6), int16(math.MinInt16), uint16(math.MaxUint16), int32(math.MinInt32), uint32(math.MaxUint32),
		int64(math.MinInt64), uint64(math.MaxUint64), float32(math.MaxFloat32), math.MaxFloat64, int64(-1), "", nil, nil, "", []byte{}, "", "", []byte{}})
	read = append(read, same[1])

	return written, append(read[:len(read)-1], append([]any{int32(6)}, same[1][1:]...))
}

func TestTypes(t *testing.T) {
	written, read := typesRows()
	slices.Reverse(read)
	put := map[string]func(t *testing.T, c *cmi.Conn, table string){
		"append": func(t *testing.T, c *cmi.Conn, table string) {
			t.Helper()
			a, err := c.Append(withTimeout(t), table, cmi.AppendOptions{})
			require.NoError(t, err)
			for _, row := range written {
				require.NoError(t, a.Append(withTimeout(t), row...))
			}
			receipt, err := a.Close(withTimeout(t))
			require.NoError(t, err)
			require.Equal(t, cmi.Receipt{Accepted: int64(len(written))}, receipt)
		},
		"append columns": func(t *testing.T, c *cmi.Conn, table string) {
			t.Helper()
			a, err := c.Append(withTimeout(t), table, cmi.AppendOptions{})
			require.NoError(t, err)
			columns := make([]any, len(written[0]))
			for i := range columns {
				var values []any
				for _, row := range written {
					values = append(values, row[i])
				}
				columns[i] = values
			}
			n, err := a.AppendColumns(withTimeout(t), columns...)
			require.NoError(t, err)
			require.Equal(t, len(written), n)
			_, err = a.Close(withTimeout(t))
			require.NoError(t, err)
		},
		"parameters": func(t *testing.T, c *cmi.Conn, table string) {
			t.Helper()
			s, err := c.Prepare(withTimeout(t), "insert into "+table+" values (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)")
			require.NoError(t, err)
			require.Len(t, s.Parameters(), len(written[0]))
			for i, row := range written {
				changed, err := s.Exec(withTimeout(t), row...)
				require.NoError(t, err, i)
				require.EqualValues(t, 1, changed, i)
			}
		},
	}
	for name, put := range put {
		t.Run(name, func(t *testing.T) {
			table := makeTable(t, typesTable)
			c := connect(t)
			put(t, c, table)
			require.Equal(t, read, query(t, c, "select * from "+table), "directly")
			require.Equal(t, read, query(t, c, "select * from "+table+" where id > ?", 0), "prepared")
		})
	}
}

func TestParametersFind(t *testing.T) {
	table := makeTable(t, typesTable)
	c := connect(t)
	written, _ := typesRows()
	a, err := c.Append(withTimeout(t), table, cmi.AppendOptions{})
	require.NoError(t, err)
	require.NoError(t, a.Append(withTimeout(t), written[0]...))
	_, err = a.Close(withTimeout(t))
	require.NoError(t, err)
	for name, arg := range map[string]any{
		"s": int8(-2), "us": uint8(3), "i": -4, "ui": uint32(5), "l": int32(-6), "ul": uint64(7), "f": float32(1.5), "d": -2.5,
		"at": time.Unix(0, start+123456789), "vc": "text", "v4": net.ParseIP("255.254.0.1"), "v6": net.ParseIP("2001:db8::ff"),
	} {
		require.Len(t, query(t, c, "select id from "+table+" where "+name+" = ?", arg), 1, "%s = %v", name, arg)
	}
	require.Len(t, query(t, c, "select id from "+table+" where at = ?", start+123456789), 1, "nanoseconds")
}

func TestLongTexts(t *testing.T) {
	table := makeTable(t, "create table %s (id integer, tx text)")
	c := connect(t)
	lengths := []int{1, 7, 8, 60_000, 65_535, 65_536, 70_000, 500_000}
	for i, n := range lengths {
		execSQL(t, c, "insert into "+table+" values (?, ?)", i, strings.Repeat("x", n))
	}
	long := strings.Repeat("y", 100_000)
	execSQL(t, c, "insert into "+table+" values (?, ?) -- "+long, len(lengths), "z")
	for i, n := range lengths {
		rows := query(t, c, "select tx from "+table+" where id = ?", i)
		require.Equal(t, [][]any{{strings.Repeat("x", n)}}, rows, n)
	}
	require.Len(t, query(t, c, "/* "+long+" */ select id from "+table+" where id = 0"), 1)
}

func TestCommentsAtTheEnd(t *testing.T) {
	table := makeTable(t, "create table %s (id integer, tx text)")
	c := connect(t)
	for n := range 16 {
		execSQL(t, c, "insert into "+table+" values (?, ?)", n, strings.Repeat("x", 300_000))
		comment := " --" + strings.Repeat("y", 1000+n)
		require.Len(t, query(t, c, "select id from "+table+" where id = ?"+comment, n), 1)
		require.Len(t, query(t, c, "select id from "+table+" where id = 0"+comment), 1)
	}
}

func TestComments(t *testing.T) {
	c := connect(t)
	for _, sql := range []string{"-- why\nselect 1 from m$sys_users where name = 'SYS'", "/* why */ select 1 from m$sys_users where name = 'SYS'"} {
		require.Len(t, query(t, c, sql), 1, sql)
	}
}

func TestManyRows(t *testing.T) {
	const many = 100_000
	table := makeTable(t, tagTable)
	fillTable(t, table, many)
	for _, fetch := range []int64{1, 2, 997, 1000, many, 10 * many} {
		t.Run(fmt.Sprint(fetch), func(t *testing.T) {
			want := many
			if fetch < 10 {
				want = 2000
			}
			config := serverConfig(t)
			config.FetchRows = fetch
			c := connectTo(t, config)
			rows, err := c.Query(withTimeout(t), "select time, value from "+table+" where name = ? and time < ?", "a", start+int64(want))
			require.NoError(t, err)
			n := 0
			for ; rows.Next(); n++ {
				if rows.Int64(0) != start+int64(n) || rows.Float64(1) != float64(n) {
					require.Fail(t, "another row", "row %d: %v %v", n, rows.Value(0), rows.Value(1))
				}
			}
			require.NoError(t, rows.Close())
			require.Equal(t, want, n)
			received, sent := c.Traffic()
			require.Greater(t, received, uint64(want*16))
			require.Positive(t, sent)
		})
	}
}

func TestRowsClosedEarly(t *testing.T) {
	table := makeTable(t, tagTable)
	fillTable(t, table, 5000)
	for _, mode := range []cmi.CacheMode{cmi.CacheOff, cmi.CacheAuto, cmi.CacheOn} {
		t.Run(string(mode), func(t *testing.T) {
			config := serverConfig(t)
			config.StatementCache, config.FetchRows = mode, 10
			c := connectTo(t, config)
			for read := range 25 {
				for _, args := range [][]any{nil, {"a"}} {
					sql := "select value from " + table
					if args != nil {
						sql += " where name = ?"
					}
					rows, err := c.Query(withTimeout(t), sql, args...)
					require.NoError(t, err)
					for i := range read {
						require.True(t, rows.Next())
						require.InDelta(t, float64(i), rows.Float64(0), 0)
					}
					require.NoError(t, rows.Close())
				}
			}
			require.Len(t, query(t, c, "select value from "+table+" where name = ?", "a"), 5000)
		})
	}
}

func TestServerErrorBetweenRows(t *testing.T) {
	table := makeTable(t, "create table %s (id integer, vc varchar(20))")
	c := connect(t)
	for i := range 50 {
		execSQL(t, c, "insert into "+table+" values (?, ?)", i, strconv.Itoa(i))
	}
	execSQL(t, c, "insert into "+table+" values (?, ?)", 50, "no number")
	for range 5 {
		rows, err := c.Query(withTimeout(t), "select to_number(vc) from "+table)
		if err == nil {
			for rows.Next() {
				require.False(t, rows.IsNull(0))
			}
			err = rows.Close()
		}
		var e *cmi.Error
		require.ErrorAs(t, err, &e)
		require.Positive(t, e.Code)
		require.False(t, c.Broken())
		require.Len(t, query(t, c, "select id from "+table), 51)
	}
}

func TestProtocolOfTheServer(t *testing.T) {
	require.Equal(t, "4.0.2", connect(t).ServerProtocol())
}
