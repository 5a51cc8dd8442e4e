//go:build servers

package cmi_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

func readRollup(t *testing.T, rows *cmi.Rows, err error) int {
	t.Helper()
	require.NoError(t, err)
	n := 0
	for ; rows.Next(); n++ {
		_, _, _, _ = rows.Bytes(0), rows.Int64(1), rows.Float64(2), rows.IsNull(2)
	}
	require.NoError(t, rows.Close())

	return n
}

func TestAllocationsOfAQuery(t *testing.T) {
	const rows, most = 60, 30
	table := makeTable(t, tagTable)
	fillTable(t, table, 10*rows)
	sql := "select name, time, value from " + table + " where name = ? and time < ?"
	background := context.Background()
	measure := func(t *testing.T, n int, run func(until int64) int) float64 {
		t.Helper()
		until := start + int64(n)
		require.Equal(t, n, run(until))

		return testing.AllocsPerRun(100, func() { run(until) })
	}
	for _, mode := range cacheModes {
		t.Run("cache "+string(mode), func(t *testing.T) {
			c := connectCached(t, mode)
			run := func(until int64) int {
				rows, err := c.Query(background, sql, "a", until)

				return readRollup(t, rows, err)
			}
			few, many := measure(t, rows, run), measure(t, 10*rows, run)
			require.LessOrEqual(t, few, float64(most))
			require.InDelta(t, few, many, 3, "none for each row")
			t.Logf("%v allocations", few)
		})
	}
	t.Run("prepared", func(t *testing.T) {
		s, err := connect(t).Prepare(background, sql)
		require.NoError(t, err)
		run := func(until int64) int {
			rows, err := s.Query(background, "a", until)

			return readRollup(t, rows, err)
		}
		few, many := measure(t, rows, run), measure(t, 10*rows, run)
		require.LessOrEqual(t, few, float64(most))
		require.InDelta(t, few, many, 3, "none for each row")
		t.Logf("%v allocations", few)
	})
	t.Run("with a deadline", func(t *testing.T) {
		s, err := connect(t).Prepare(background, sql)
		require.NoError(t, err)
		run := func(until int64) int {
			ctx, cancel := context.WithTimeout(background, time.Minute)
			defer cancel()
			rows, err := s.Query(ctx, "a", until)

			return readRollup(t, rows, err)
		}
		require.LessOrEqual(t, measure(t, rows, run), float64(most))
	})
	t.Run("direct", func(t *testing.T) {
		c := connect(t)
		run := func(until int64) int {
			rows, err := c.Query(background, fmt.Sprintf("select name, time, value from %s where name = 'a' and time < %d", table, until))

			return readRollup(t, rows, err)
		}
		require.LessOrEqual(t, measure(t, rows, run), float64(most))
	})
}

func TestAppendingNumbersAndTextsAllocatesNothing(t *testing.T) {
	const rows = 1000
	table := makeTable(t, "create table %s (n varchar(20), at datetime, d double, f float, s short, us ushort, i integer, ui uinteger, l long, ul ulong)")
	a := openAppender(t, connect(t), table)
	columns := []any{
		make([]string, rows), make([]int64, rows), make([]float64, rows), make([]float32, rows), make([]int16, rows), make([]uint16, rows),
		make([]int32, rows), make([]uint32, rows), make([]int8, rows), make([]uint64, rows),
	}
	background := context.Background()
	appended := int64(0)
	perRun := testing.AllocsPerRun(50, func() {
		n, err := a.AppendColumns(background, columns...)
		require.NoError(t, err)
		appended += int64(n)
	})
	require.LessOrEqual(t, perRun, 10.0, "of %d rows in two or three packets", rows)
	require.Equal(t, cmi.Receipt{Accepted: appended}, closeAppender(t, a))
}

func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)

	return len(entries)
}

func TestConnectionsLeaveNothing(t *testing.T) {
	const rounds = 1000
	config := serverConfig(t)
	wrong := config
	wrong.Password = "wrong"
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	warm := connect(t)
	require.NotEmpty(t, query(t, warm, "select name from m$sys_users"))
	before, goroutines := descriptors(t), runtime.NumGoroutine()
	for i := range rounds {
		c, err := cmi.Connect(ctx, config)
		require.NoError(t, err, i)
		switch i % 10 {
		case 0:
			_, err := c.Query(ctx, "select name from m$sys_users") // the rows are never closed
			require.NoError(t, err)
		case 1:
			_, err := c.Prepare(ctx, "select name from m$sys_users where name = ?")
			require.NoError(t, err)
		case 2:
			_, err := cmi.Connect(ctx, wrong)
			requireKind(t, cmi.KindAuth, err)
		}
		require.Equal(t, goroutines, runtime.NumGoroutine(), "a connection has no goroutine")
		require.NoError(t, c.Close())
	}
	cancel()
	require.Eventually(t, func() bool { return descriptors(t) <= before && runtime.NumGoroutine() <= goroutines+1 }, // the test's goroutine
		patience, time.Millisecond)
}
