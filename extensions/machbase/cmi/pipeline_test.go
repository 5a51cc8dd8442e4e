//go:build servers

package cmi_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

func TestQueriesThatComeAgain(t *testing.T) {
	name := makeTable(t, "create volatile table %s (id integer primary key, v integer)")
	config := serverConfig(t)
	config.FetchRows = 10
	c := connectTo(t, config)
	for i := range 30 {
		execSQL(t, c, "insert into "+name+" values (?, ?)", i, i)
	}
	below := "select id from " + name + " where id < ?"
	for _, n := range []int{3, 3, 25, 3, 3, 10, 3, 0, 3} {
		require.Len(t, query(t, c, below, n), n)
	}

	inverse := "select id, 1/(v-?) from " + name
	small := " where id < 5"
	for _, zero := range []int{100, 100, 2, 100, 100} {
		rows, err := c.Query(withTimeout(t), inverse+small, zero)
		if err == nil {
			for rows.Next() {
			}
			err = rows.Close()
		}
		if zero == 2 {
			require.Equal(t, 2061, requireKind(t, cmi.KindServer, err).Code)
		} else {
			require.NoError(t, err)
		}
	}

	_, err := c.Query(withTimeout(t), below)
	requireKind(t, cmi.KindUsage, err)
	rows, err := c.Query(withTimeout(t), below, 5)
	require.NoError(t, err)
	require.True(t, rows.Next())
	require.NoError(t, rows.Close(), "closed early")
	require.Len(t, query(t, c, below, 3), 3)

	for range 2100 {
		require.Len(t, query(t, c, below, 1), 1)
	}
	require.False(t, c.Broken())
}

func TestTableRecreatedUnderARepeatedQuery(t *testing.T) {
	c := connect(t)
	name := makeTable(t, "create volatile table %s (id integer primary key, v integer)")
	text := "select * from " + name + " where id = ?"
	execSQL(t, c, "insert into "+name+" values (1, 7)")
	for range 2 {
		require.Equal(t, [][]any{{int32(1), int32(7)}}, query(t, c, text, 1))
	}
	execSQL(t, c, "drop table "+name)
	_, err := c.Query(withTimeout(t), text, 1)
	requireKind(t, cmi.KindNotFound, err)
	execSQL(t, c, fmt.Sprintf("create volatile table %s (id integer primary key, s varchar(10), v double)", name))
	execSQL(t, c, "insert into "+name+" values (1, 'x', 0.5)")
	for range 3 {
		require.Equal(t, [][]any{{int32(1), "x", 0.5}}, query(t, c, text, 1))
	}
	execSQL(t, c, "drop table "+name)
	execSQL(t, c, fmt.Sprintf("create volatile table %s (id integer primary key, v long)", name))
	execSQL(t, c, "insert into "+name+" values (1, 9)")
	for range 2 {
		require.Equal(t, [][]any{{int32(1), int64(9)}}, query(t, c, text, 1))
	}
	require.False(t, c.Broken())
}

func TestQueriesThatComeAgainDoNotStall(t *testing.T) {
	c := connect(t)
	const text, times = "select name from m$sys_users where name = ?", 50
	query(t, c, text, "SYS")
	quick := 0
	for range times {
		begin := time.Now()
		require.Len(t, query(t, c, text, "SYS"), 1)
		if time.Since(begin) < 40*time.Millisecond {
			quick++
		}
	}
	require.Greater(t, quick, times/4)
}
