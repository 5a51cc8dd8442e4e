//go:build servers

package cmi_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

func openAppender(t *testing.T, c *cmi.Conn, table string, columns ...string) *cmi.Appender {
	t.Helper()
	a, err := c.Append(withTimeout(t), table, cmi.AppendOptions{Columns: columns})
	require.NoError(t, err)

	return a
}

func closeAppender(t *testing.T, a *cmi.Appender) cmi.Receipt {
	t.Helper()
	receipt, err := a.Close(withTimeout(t))
	require.NoError(t, err)

	return receipt
}

func TestAppendSomeColumns(t *testing.T) {
	table := makeTable(t, typesTable)
	c := connect(t)
	a := openAppender(t, c, table, "VC", "id", "at", "d")
	require.Equal(t, []string{"VC", "ID", "AT", "D"}, names(a.Columns()))
	require.NoError(t, a.Append(withTimeout(t), "x", 7, time.Unix(0, start), 1.5))
	require.Equal(t, cmi.Receipt{Accepted: 1}, closeAppender(t, a))
	require.Equal(t, [][]any{{int32(7), nil, 1.5, time.Unix(0, start).UTC(), "x", nil}},
		query(t, c, "select id, s, d, at, vc, tx from "+table))
}

func names(columns []cmi.Column) []string {
	var all []string
	for _, c := range columns {
		all = append(all, c.Name)
	}

	return all
}

func TestAppendToLogTable(t *testing.T) {
	table := makeTable(t, "create table %s (id integer)")
	c := connect(t)
	a := openAppender(t, c, table)
	require.Equal(t, []string{"ID"}, names(a.Columns()))
	before := time.Now()
	require.NoError(t, a.Append(withTimeout(t), 1))
	closeAppender(t, a)

	a = openAppender(t, c, table, "_arrival_time", "id")
	require.Equal(t, []string{"_ARRIVAL_TIME", "ID"}, names(a.Columns()))
	later := before.Add(time.Hour)
	require.NoError(t, a.Append(withTimeout(t), later, 2))
	closeAppender(t, a)

	rows := query(t, c, "select _arrival_time from "+table+" where id = 1")
	require.WithinDuration(t, before, rows[0][0].(time.Time), time.Minute, "the server fills it in")
	rows = query(t, c, "select _arrival_time from "+table+" where id = 2")
	require.Equal(t, later.UnixNano(), rows[0][0].(time.Time).UnixNano())
}

func TestAppendersThatDoNotOpen(t *testing.T) {
	table := makeTable(t, tagTable)
	c := connect(t)
	tests := map[string]struct {
		table   string
		columns []string
		kind    string
		says    string
	}{
		"no such table":  {"cmi_nix", nil, cmi.KindNotFound, "does not exist"},
		"no such column": {table, []string{"name", "nix"}, cmi.KindNotFound, `has no column "nix"`},
		"a column twice": {table, []string{"name", "NAME"}, cmi.KindUsage, `column "NAME" is listed twice`},
		"a view":         {"v$session", nil, cmi.KindUsage, "is a system table"},
		"of its user":    {"SYS.V$SESSION", nil, cmi.KindUsage, "is a system table"},
		"a system table": {"M$SYS_USERS", nil, cmi.KindUsage, "is a system table"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for range 1100 {
				_, err := c.Append(withTimeout(t), test.table, cmi.AppendOptions{Columns: test.columns})
				require.ErrorContains(t, requireKind(t, test.kind, err), test.says)
			}
			require.Zero(t, count(t, c, table))
		})
	}
}

func TestMisfitsLeaveTheAppenderUsable(t *testing.T) {
	table := makeTable(t, typesTable)
	c := connect(t)
	at := time.Unix(0, start)
	misfits := map[string][]any{
		"s":  {32768, -32769, uint64(1 << 63), 1.5, "x", true, at, []byte{1}, netip.IPv6Unspecified(), math.NaN(), struct{}{}},
		"us": {-1, 65536}, "i": {int64(math.MaxInt32 + 1), int64(math.MinInt32 - 1)}, "ui": {-1, int64(math.MaxUint32 + 1)},
		"l": {uint64(1 << 63), 9.3e18, "1"}, "ul": {-1, -1.0, "1"}, "f": {"x", at, []byte{}}, "d": {"1.5", true},
		"at": {"now", 1.5, time.Date(2300, 1, 1, 0, 0, 0, 0, time.UTC), uint64(1 << 63)}, "vc": {1, 1.5, at},
		"v4": {"::1", "x", 1, netip.IPv6Unspecified(), []byte{4, 1, 2, 3, 4}, netip.Addr{}}, "v6": {"x", 1, netip.MustParseAddr("fe80::1%eth0"), netip.Addr{}},
		"bi": {1, at},
	}
	rows := int64(0)
	for column, values := range misfits {
		a := openAppender(t, c, table, "id", column)
		for _, value := range values {
			err := a.Append(withTimeout(t), 1, value)
			var e *cmi.Error
			require.ErrorAs(t, err, &e, "%s %v", column, value)
			require.Contains(t, []string{cmi.KindAppend, cmi.KindUsage}, e.Kind)
			n, err := a.AppendColumns(withTimeout(t), []any{1, 2, 3}, []any{nil, value, nil})
			require.ErrorAs(t, err, &e, "%s %v", column, value)
			require.Equal(t, 1, n)
			require.NoError(t, a.Append(withTimeout(t), 1, nil))
			rows += 2
		}
		require.EqualValues(t, len(values)*2, closeAppender(t, a).Accepted)
	}
	a := openAppender(t, c, table, "id", "vc")
	for _, row := range [][]any{{}, {1}, {1, "x", 2}} {
		requireKind(t, cmi.KindUsage, a.Append(withTimeout(t), row...))
	}
	for _, columns := range [][]any{{}, {[]int64{1}}, {[]int64{1}, []string{"a", "b"}}, {[]int64{1}, "x"}, {[]int{1}, []string{"x"}}, {nil, nil}} {
		n, err := a.AppendColumns(withTimeout(t), columns...)
		requireKind(t, cmi.KindUsage, err)
		require.Zero(t, n)
	}
	long := strings.Repeat("€", 1000)
	require.Less(t, len(a.Append(withTimeout(t), long, "x").Error()), 200)
	require.NoError(t, a.Append(withTimeout(t), 1, "x"))
	closeAppender(t, a)
	require.Equal(t, rows+1, count(t, c, table))
	requireKind(t, cmi.KindUsage, a.Append(withTimeout(t), 1, "x"))
	requireKind(t, cmi.KindUsage, a.Flush(withTimeout(t)))
	_, err := a.Sync(withTimeout(t))
	requireKind(t, cmi.KindUsage, err)
}

func TestAppendColumnsOfEveryKind(t *testing.T) {
	table := makeTable(t, typesTable)
	c := connect(t)
	at := time.Unix(0, start).UTC()
	tests := []struct {
		column string
		values any
		want   [2]any
	}{
		{"l", []int8{-1, 1}, [2]any{int64(-1), int64(1)}},
		{"l", []int16{-1, 1}, [2]any{int64(-1), int64(1)}},
		{"l", []int32{-1, 1}, [2]any{int64(-1), int64(1)}},
		{"l", []int64{-1, 1}, [2]any{int64(-1), int64(1)}},
		{"ul", []uint8{0, 255}, [2]any{uint64(0), uint64(255)}},
		{"ul", []uint16{0, 1}, [2]any{uint64(0), uint64(1)}},
		{"ul", []uint32{0, 1}, [2]any{uint64(0), uint64(1)}},
		{"ul", []uint64{0, 1 << 63}, [2]any{uint64(0), uint64(1 << 63)}},
		{"d", []float32{1.5, -1.5}, [2]any{1.5, -1.5}},
		{"d", []float64{1.5, -1.5}, [2]any{1.5, -1.5}},
		{"d", []int64{1, -1}, [2]any{1.0, -1.0}},
		{"f", []uint64{1, 1 << 63}, [2]any{float32(1), float32(1 << 63)}},
		{"i", []float64{1, -1}, [2]any{int32(1), int32(-1)}},
		{"vc", []string{"a", ""}, [2]any{"a", nil}},
		{"bi", [][]byte{{1}, nil}, [2]any{[]byte{1}, nil}},
		{"v4", []string{"1.2.3.4", "::ffff:1.2.3.5"}, [2]any{netip.MustParseAddr("1.2.3.4"), netip.MustParseAddr("1.2.3.5")}},
		{"v6", []any{"::1", nil}, [2]any{netip.IPv6Loopback(), nil}},
		{"at", []time.Time{at, at.Add(1)}, [2]any{at, at.Add(1)}},
		{"at", []int64{start, start + 1}, [2]any{at, at.Add(1)}},
	}
	for i, test := range tests {
		t.Run(fmt.Sprintf("%s %T", test.column, test.values), func(t *testing.T) {
			a := openAppender(t, c, table, "id", test.column)
			n, err := a.AppendColumns(withTimeout(t), []int64{int64(2 * i), int64(2*i + 1)}, test.values)
			require.NoError(t, err)
			require.Equal(t, 2, n)
			require.Equal(t, cmi.Receipt{Accepted: 2}, closeAppender(t, a))
			for j, want := range test.want {
				require.Equal(t, [][]any{{want}}, query(t, c, "select "+test.column+" from "+table+" where id = ?", 2*i+j))
			}
		})
	}
}

func TestRejectedRows(t *testing.T) {
	table := makeTable(t, tagTable)
	c := connect(t)
	a := openAppender(t, c, table)
	ctx := withTimeout(t)
	long := strings.Repeat("x", 100)
	for i := range 30 {
		require.NoError(t, a.Append(ctx, "a", start+int64(i), 1.5))
		require.NoError(t, a.Append(ctx, long, start, 1.5))
	}
	receipt, err := a.Sync(ctx)
	require.NoError(t, err)
	require.EqualValues(t, 30, receipt.Accepted)
	require.EqualValues(t, 30, receipt.Rejected)
	require.Len(t, receipt.Reasons, 1)
	require.EqualValues(t, 30, receipt.Reasons[0].Rows)
	require.NotEmpty(t, receipt.Reasons[0].Message)
	require.EqualValues(t, 30, count(t, c, table), "what Sync says is there")

	require.NoError(t, a.Append(ctx, "a", start+100, 1.5))
	receipt = closeAppender(t, a)
	require.EqualValues(t, 31, receipt.Accepted)
	require.EqualValues(t, 30, receipt.Rejected)
	require.EqualValues(t, 31, count(t, c, table))
}

func TestFloodOfRejectedRows(t *testing.T) {
	const flood = 200_000
	table := makeTable(t, tagTable)
	c := connect(t)
	a := openAppender(t, c, table)
	long := strings.Repeat("x", 100)
	names, times, values := make([]string, flood), make([]int64, flood), make([]float64, flood)
	for i := range names {
		names[i], times[i] = long, start
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*patience)
	defer cancel()
	n, err := a.AppendColumns(ctx, names, times, values)
	require.NoError(t, err)
	require.Equal(t, flood, n)
	receipt, err := a.Close(ctx)
	require.NoError(t, err)
	require.Zero(t, receipt.Accepted)
	require.EqualValues(t, flood, receipt.Rejected)
	var rows int64
	for _, reason := range receipt.Reasons {
		rows += reason.Rows
	}
	require.EqualValues(t, flood, rows+receipt.Other)
	require.Zero(t, count(t, c, table))
}

func TestCloseBehindAFloodOfRejectedRows(t *testing.T) {
	const flood = 200_000
	stuck := make(chan struct{})
	c := withPeerOver(t, sockets(t), cmi.Config{}, func(p *peer) {
		p.request()
		p.answer(message(kindOpen, 0, logTable))
		p.request()
		says := bytes.Repeat(message(kindData, 0, failed(3017, strings.Repeat("x", 64))), flood)
		assert.NoError(t, p.SetWriteDeadline(time.Now().Add(200*time.Millisecond)))
		n, err := p.Write(says)
		assert.ErrorIs(t, err, os.ErrDeadlineExceeded, "all of it went into the sockets")
		assert.NoError(t, p.SetWriteDeadline(time.Time{}))
		close(stuck)
		p.answer(says[n:])
		p.request()
		p.answer(message(kindClose, 0, result(good), number(0x61, 0), number(0x62, flood)))
	})
	a := openAppender(t, c, "t")
	require.NoError(t, a.Append(withTimeout(t), "a", 1))
	require.NoError(t, a.Flush(withTimeout(t)))
	<-stuck
	receipt := closeAppender(t, a)
	require.EqualValues(t, flood, receipt.Rejected)
	require.EqualValues(t, flood, receipt.Reasons[0].Rows)
}

func TestManyReasons(t *testing.T) {
	c := withPeer(t, cmi.Config{}, func(p *peer) {
		p.request()
		p.answer(message(kindOpen, 0, logTable))
		p.request()
		for i := range 20 {
			for range i + 1 {
				p.answer(message(kindData, 0, failed(3017, fmt.Sprintf("reason %d", i))))
			}
		}
		p.answer(message(kindClose, 0, result(good), number(0x61, 3), number(0x62, 210)))
	})
	receipt := closeAppender(t, openAppender(t, c, "t"))
	require.EqualValues(t, 3, receipt.Accepted)
	require.EqualValues(t, 210, receipt.Rejected)
	require.Len(t, receipt.Reasons, 16)
	require.Equal(t, cmi.Reason{Code: 3017, Message: "reason 15", Rows: 16}, receipt.Reasons[0], "the most frequent first")
	require.EqualValues(t, 210-16*17/2, receipt.Other)
}

func TestAppenderAnswersWithoutAResult(t *testing.T) {
	opened, counted := message(kindOpen, 0, logTable), message(kindClose, 0, result(good), number(0x61, 0), number(0x62, 0))
	for name, answers := range map[string][][]byte{
		"open":  {message(kindOpen, 0, column("", cmi.Datetime, 64))},
		"close": {opened, message(kindClose, 0, number(0x61, 1))},
		"anew":  {opened, counted, message(kindOpen, 0, column("", cmi.Datetime, 64))},
	} {
		t.Run(name, func(t *testing.T) {
			c := withPeer(t, cmi.Config{}, func(p *peer) {
				for _, answer := range answers {
					p.request()
					p.answer(answer)
				}
			})
			a, err := c.Append(withTimeout(t), "t", cmi.AppendOptions{})
			if err == nil {
				_, err = a.Sync(withTimeout(t))
			}
			require.ErrorContains(t, requireKind(t, cmi.KindProtocol, err), "has no result")
			require.True(t, c.Broken())
		})
	}
}

func TestSeveralAppendersAndQueries(t *testing.T) {
	tables := []string{makeTable(t, tagTable), makeTable(t, tagTable), makeTable(t, tagTable)}
	c := connect(t)
	var appenders []*cmi.Appender
	for _, table := range tables {
		a, err := c.Append(withTimeout(t), table, cmi.AppendOptions{Batch: cmi.Batch{Rows: 7}})
		require.NoError(t, err)
		appenders = append(appenders, a)
	}
	long := strings.Repeat("x", 100)
	for i := range 100 {
		for j, a := range appenders {
			name := "a"
			if i%10 == j {
				name = long
			}
			require.NoError(t, a.Append(withTimeout(t), name, start+int64(i), 1.5))
		}
		require.NotEmpty(t, query(t, c, "select name from m$sys_users where name = ?", "SYS"))
		if i%30 == 0 {
			_, err := appenders[i%3].Sync(withTimeout(t))
			require.NoError(t, err)
		}
	}
	for i, a := range appenders {
		receipt := closeAppender(t, a)
		require.EqualValues(t, 90, receipt.Accepted)
		require.EqualValues(t, 10, receipt.Rejected)
		require.EqualValues(t, 10, receipt.Reasons[0].Rows)
		require.EqualValues(t, 90, count(t, c, tables[i]))
	}
}

func TestAppendLongRows(t *testing.T) {
	table := makeTable(t, "create table %s (id integer, tx text)")
	c := connect(t)
	a := openAppender(t, c, table)
	lengths := []int{1, 60_000, 65_536, 70_000, 1_000_000}
	for i, n := range lengths {
		require.NoError(t, a.Append(withTimeout(t), i, strings.Repeat("x", n)))
	}
	require.Equal(t, cmi.Receipt{Accepted: int64(len(lengths))}, closeAppender(t, a))
	for i, n := range lengths {
		rows := query(t, c, "select tx from "+table+" where id = ?", i)
		require.Len(t, rows, 1)
		require.Len(t, rows[0][0], n)
	}
}

func TestTableDroppedUnderAnAppender(t *testing.T) {
	c, other := connect(t), connect(t)
	name := fmt.Sprintf("cmi_dropped_%d", time.Now().UnixNano())
	execSQL(t, other, fmt.Sprintf(tagTable, name))
	a := openAppender(t, c, name)
	require.NoError(t, a.Append(withTimeout(t), "a", start, 1.0))
	_, err := a.Sync(withTimeout(t))
	require.NoError(t, err)
	if _, err := other.Exec(withTimeout(t), "drop table "+name); err != nil {
		requireKind(t, cmi.KindBusy, err)
		closeAppender(t, a)
		execSQL(t, other, "drop table "+name)
		a = nil
	}
	if a != nil {
		require.NoError(t, a.Append(withTimeout(t), "a", start, 1.0))
		receipt, err := a.Sync(withTimeout(t))
		require.Error(t, err)
		require.EqualValues(t, 1, receipt.Accepted)
	}
	require.NotEmpty(t, query(t, c, "select name from m$sys_users"))
}

func TestAppendToTablesInMemory(t *testing.T) {
	for _, kind := range []string{"volatile", "lookup"} {
		table := makeTable(t, "create "+kind+" table %s (id integer primary key)")
		c := connect(t)
		a := openAppender(t, c, table)
		require.NoError(t, a.Append(withTimeout(t), 5))
		require.Equal(t, cmi.Receipt{Accepted: 1}, closeAppender(t, a), kind)
		require.Equal(t, [][]any{{int32(5)}}, query(t, c, "select id from "+table), kind)
	}
}

func TestAppendPlaces(t *testing.T) {
	known := []string{cmi.ArrivalTime, "N", "TEXT"}
	for _, test := range []struct {
		wanted []string
		places []int
		kind   string
	}{
		{nil, []int{1, 2}, ""},
		{[]string{"text", "n"}, []int{2, 1}, ""},
		{[]string{"Text"}, []int{2}, ""},
		{[]string{"_arrival_time", "N"}, []int{0, 1}, ""},
		{[]string{"nope"}, nil, cmi.KindNotFound},
		{[]string{"n", "N"}, nil, cmi.KindUsage},
	} {
		places, err := cmi.AppendPlaces("T", known, test.wanted)
		require.Equal(t, test.places, places, test.wanted)
		if test.kind == "" {
			require.NoError(t, err)
		} else {
			requireKind(t, test.kind, err)
		}
	}
}
