//go:build servers

package sqlmachbase_test

import (
	"database/sql"
	"database/sql/driver"
	"fmt"
	"math"
	"math/big"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const allTypes = `id integer, s short, us ushort, i integer, ui uinteger, l long, ul ulong, f float, d double, at datetime,
	vc varchar(100), v4 ipv4, v6 ipv6, tx text, bi binary, js json, cl clob, bl blob`

var moment = time.Unix(1_700_000_000, 123_456_789).UTC()

func typesRows() (written, read [][]any) {
	v4, v6 := netip.MustParseAddr("255.254.0.1"), netip.MustParseAddr("2001:db8::ff")

	return [][]any{
			{1, int16(-2), uint16(3), int32(-4), uint32(5), int64(-6), uint64(7), float32(1.5), -2.5, moment,
				"text", v4, v6, "a longer text", []byte{0, 1, 255}, `{"a":1}`, "clob", []byte("blob")},
			{2, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil},
			{3, math.MaxInt16, math.MaxUint16 - 1, math.MaxInt32, math.MaxUint32 - 1, math.MaxInt64, uint64(math.MaxUint64 - 1),
				float32(math.SmallestNonzeroFloat32), math.SmallestNonzeroFloat64, time.Unix(0, math.MaxInt64),
				"h€llo 😀", netip.MustParseAddr("0.0.0.0"), netip.IPv6Unspecified(), "😀", []byte{0}, `[]`, "😀", []byte{0}},
		}, [][]any{
			{int64(1), int64(-2), int64(3), int64(-4), int64(5), int64(-6), uint64(7), 1.5, -2.5, moment,
				"text", "255.254.0.1", "2001:db8::ff", "a longer text", []byte{0, 1, 255}, `{"a":1}`, "clob", []byte("blob")},
			{int64(2), nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil},
			{int64(3), int64(math.MaxInt16), int64(math.MaxUint16 - 1), int64(math.MaxInt32), int64(math.MaxUint32 - 1), int64(math.MaxInt64),
				uint64(math.MaxUint64 - 1), float64(float32(math.SmallestNonzeroFloat32)), math.SmallestNonzeroFloat64, time.Unix(0, math.MaxInt64).UTC(),
				"h€llo 😀", "0.0.0.0", "::", "😀", []byte{0}, `[]`, "😀", []byte{0}},
		}
}

func TestTypes(t *testing.T) {
	for _, cache := range []string{"off", "auto", "on"} {
		t.Run(cache, func(t *testing.T) {
			table := makeTable(t, allTypes)
			db := open(t, "fetchRows=2&statementCache="+cache)
			written, read := typesRows()
			insert := "insert into " + table + " values (?" + strings.Repeat(",?", len(written[0])-1) + ")"
			for _, row := range written {
				require.EqualValues(t, 1, exec(t, db, insert, row...))
			}
			slices.Reverse(read)

			require.Equal(t, read, query(t, db, "select * from "+table))
			require.Equal(t, read, query(t, db, "select * from "+table+" where id > ?", 0))

			statement, err := db.PrepareContext(withTimeout(t), "select * from "+table+" where id > ?")
			require.NoError(t, err)
			for _, id := range []int{0, 1, 2, 3} {
				rows, err := statement.QueryContext(withTimeout(t), id)
				require.NoError(t, err)
				want := read[:len(read)-id]
				if len(want) == 0 {
					want = nil
				}
				require.Equal(t, want, readAll(t, rows))
			}
			require.NoError(t, statement.Close())
		})
	}
}

func TestColumnTypes(t *testing.T) {
	table := makeTable(t, allTypes)
	db := open(t, "")
	written, _ := typesRows()
	for _, row := range written {
		exec(t, db, "insert into "+table+" values (?"+strings.Repeat(",?", len(row)-1)+")", row...)
	}
	rows, err := db.QueryContext(withTimeout(t), "select * from "+table)
	require.NoError(t, err)
	defer rows.Close()
	columns, err := rows.ColumnTypes()
	require.NoError(t, err)
	var described []string
	for _, c := range columns {
		_, known := c.Nullable()
		require.False(t, known, "the server does not tell")
		described = append(described, c.Name()+" "+c.DatabaseTypeName())
	}
	require.Equal(t, []string{
		"ID INTEGER", "S SHORT", "US USHORT", "I INTEGER", "UI UINTEGER",
		"L LONG", "UL ULONG", "F FLOAT", "D DOUBLE", "AT DATETIME",
		"VC VARCHAR", "V4 IPV4", "V6 IPV6", "TX TEXT", "BI BINARY",
		"JS JSON", "CL CLOB", "BL BLOB",
	}, described)
}

func TestScanConverts(t *testing.T) {
	table := makeTable(t, allTypes)
	db := open(t, "")
	written, _ := typesRows()
	exec(t, db, "insert into "+table+" values (?"+strings.Repeat(",?", len(written[0])-1)+")", written[0]...)
	var (
		short   int16
		ulong   uint64
		float   float32
		at      time.Time
		address string
		bytes   []byte
		missing sql.NullString
	)
	row := db.QueryRowContext(withTimeout(t), "select s, ul, f, at, v4, bi, vc from "+table)
	require.NoError(t, row.Scan(&short, &ulong, &float, &at, &address, &bytes, &missing))
	require.Equal(t, []any{int16(-2), uint64(7), float32(1.5), moment, "255.254.0.1", []byte{0, 1, 255}, sql.NullString{String: "text", Valid: true}},
		[]any{short, ulong, float, at, address, bytes, missing})

	err := db.QueryRowContext(withTimeout(t), "select s from "+table+" where id = 9").Scan(&short)
	require.ErrorIs(t, err, sql.ErrNoRows)
}

func TestBytesAreCopied(t *testing.T) {
	table := makeTable(t, "id integer, bi binary")
	db := open(t, "fetchRows=1")
	for i := range 4 {
		exec(t, db, "insert into "+table+" values (?, ?)", i, []byte{byte(i), byte(i)})
	}
	require.Equal(t, [][]any{{[]byte{3, 3}}, {[]byte{2, 2}}, {[]byte{1, 1}}, {[]byte{0, 0}}}, query(t, db, "select bi from "+table))
}

type (
	temperature float64
	// tagged is a value whose method converts it to an argument.
	tagged struct{ value any }
)

func (v tagged) Value() (driver.Value, error) { return v.value, nil }

func pointer[T any](value T) *T { return &value }

func TestArguments(t *testing.T) {
	table := makeTable(t, allTypes)
	db := open(t, "")
	written, _ := typesRows()
	exec(t, db, "insert into "+table+" values (?"+strings.Repeat(",?", len(written[0])-1)+")", written[0]...)
	v4 := netip.MustParseAddr("255.254.0.1")
	for _, c := range []struct {
		column string
		arg    any
	}{
		{"s", -2},
		{"s", int8(-2)},
		{"s", int16(-2)},
		{"id", true}, // 1
		{"us", uint8(3)},
		{"us", uint16(3)},
		{"i", pointer(-4)},
		{"i", pointer(pointer(int32(-4)))},
		{"ui", uint32(5)},
		{"ui", uint(5)},
		{"l", int64(-6)},
		{"l", big.NewInt(-6)},
		{"l", time.Duration(-6)},
		{"l", tagged{int64(-6)}},
		{"l", &tagged{-6}},
		{"l", sql.NullInt64{Int64: -6, Valid: true}},
		{"ul", uint64(7)},
		{"ul", pointer(uint64(7))},
		{"ul", sql.Null[uint64]{V: 7, Valid: true}},
		{"f", float32(1.5)},
		{"d", -2.5},
		{"d", temperature(-2.5)},
		{"at", moment},
		{"at", moment.In(time.FixedZone("", 3600))},
		{"at", big.NewInt(moment.UnixNano())},
		{"vc", "text"},
		{"v4", v4},
		{"v4", &v4},
		{"v4", tagged{v4}},
		{"v4", net.ParseIP("255.254.0.1")},
		{"v6", netip.MustParseAddr("2001:db8::ff")},
	} {
		t.Run(fmt.Sprintf("%s %T", c.column, c.arg), func(t *testing.T) {
			require.Len(t, query(t, db, "select id from "+table+" where "+c.column+" = ?", c.arg), 1)
		})
	}
}

func TestHighestUnsigned(t *testing.T) {
	const high = uint64(math.MaxUint64 - 1)
	table := makeTable(t, "ul ulong")
	db := open(t, "")
	args := []any{high, pointer(high), new(big.Int).SetUint64(high), tagged{high}}
	for _, arg := range args {
		exec(t, db, "insert into "+table+" values (?)", arg)
	}
	require.Equal(t, slices.Repeat([][]any{{high}}, len(args)), query(t, db, "select ul from "+table))
}

func TestNullArguments(t *testing.T) {
	table := makeTable(t, "l long")
	db := open(t, "")
	args := []any{nil, (*int)(nil), (*tagged)(nil), sql.NullInt64{}, (*big.Int)(nil), tagged{nil}}
	for _, arg := range args {
		exec(t, db, "insert into "+table+" values (?)", arg)
	}
	require.Equal(t, slices.Repeat([][]any{{nil}}, len(args)), query(t, db, "select l from "+table))
}

func TestArgumentsThatCannotBe(t *testing.T) {
	table := makeTable(t, "l long")
	db := open(t, "")
	for name, c := range map[string]struct {
		args []any
		want string
	}{
		"name":         {[]any{sql.Named("l", 1)}, `argument "l" has a name, but Machbase's parameters are question marks without names`},
		"struct":       {[]any{struct{}{}}, "unsupported type struct {}, a struct"},
		"channel":      {[]any{make(chan int)}, "unsupported type chan int"},
		"valuer":       {[]any{tagged{struct{}{}}}, "a sqlmachbase_test.tagged gives a struct {}, which cannot be bound"},
		"big":          {[]any{new(big.Int).Lsh(big.NewInt(1), 64)}, "18446744073709551616 does not fit 64 bits"},
		"too many":     {[]any{1, 2}, "the statement takes 1 parameters, not 2"},
		"none":         {nil, "the statement takes 1 parameters, not 0"},
		"address":      {[]any{netip.Addr{}}, "parameter 1: it is not an IP address"},
		"ancient time": {[]any{time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)}, "does not fit a datetime"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := db.ExecContext(withTimeout(t), "insert into "+table+" values (?)", c.args...)
			require.ErrorContains(t, err, c.want)
			requireOneLine(t, err)
		})
	}
	require.Equal(t, [][]any{{int64(0)}}, query(t, db, "select count(*) from "+table), "and the connection is good")
	require.Equal(t, 1, db.Stats().OpenConnections)
}
