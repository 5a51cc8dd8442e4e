//go:build servers

package cmi_test

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

func connectCached(t *testing.T, mode cmi.CacheMode) *cmi.Conn {
	t.Helper()
	config := serverConfig(t)
	config.StatementCache = mode

	return connectTo(t, config)
}

var cacheModes = []cmi.CacheMode{cmi.CacheOff, cmi.CacheAuto, cmi.CacheOn}

func TestMoreTextsThanTheServerAllowsStatements(t *testing.T) {
	table := makeTable(t, tagTable)
	fillTable(t, table, 10)
	for _, mode := range cacheModes {
		t.Run(string(mode), func(t *testing.T) {
			c := connectCached(t, mode)
			for i := range 1100 {
				sql := fmt.Sprintf("select value, %d from %s where name = ? and value < ?", i, table)
				for range 2 {
					require.Len(t, query(t, c, sql, "a", 3), 3)
				}
			}
		})
	}
}

func TestMorePreparedStatementsThanTheServerAllows(t *testing.T) {
	table := makeTable(t, tagTable)
	fillTable(t, table, 3)
	for _, mode := range cacheModes {
		t.Run(string(mode), func(t *testing.T) {
			c := connectCached(t, mode)
			sql := "select value from " + table + " where name = ?"
			for i := range 600 {
				query(t, c, fmt.Sprintf("%s and value < %d", sql, i), "a")
			}
			var statements []*cmi.Stmt
			var err error
			for range 1025 {
				var s *cmi.Stmt
				if s, err = c.Prepare(withTimeout(t), sql); err != nil {
					break
				}
				statements = append(statements, s)
			}
			require.ErrorContains(t, requireKind(t, cmi.KindBusy, err), "close some")
			require.Len(t, statements, 1024)
			_, err = c.Query(withTimeout(t), sql, "a")
			requireKind(t, cmi.KindBusy, err)
			rows, err := statements[1023].Query(withTimeout(t), "a")
			require.NoError(t, err)
			require.Len(t, readAll(t, rows), 3)

			for _, s := range statements[:10] {
				require.NoError(t, s.Close())
				require.NoError(t, s.Close(), "twice")
			}
			for range 30 {
				require.Len(t, query(t, c, sql, "a"), 3)
			}
			_, err = statements[0].Query(withTimeout(t), "a")
			require.ErrorContains(t, requireKind(t, cmi.KindUsage, err), "the statement is closed")
		})
	}
}

func TestStatementsClosedBeforeTheirRows(t *testing.T) {
	table := makeTable(t, tagTable)
	fillTable(t, table, 3)
	config := serverConfig(t)
	config.FetchRows = 1
	c := connectTo(t, config)
	for range 1100 {
		s, err := c.Prepare(withTimeout(t), "select value from "+table)
		require.NoError(t, err)
		rows, err := s.Query(withTimeout(t))
		require.NoError(t, err)
		require.NoError(t, s.Close())
		require.Len(t, readAll(t, rows), 3)
	}
}

type closing struct {
	context.Context

	statement *cmi.Stmt
}

func (c closing) Err() error {
	_ = c.statement.Close()

	return nil
}

func TestStatementClosedAsItsCallBegins(t *testing.T) {
	c := withPeer(t, cmi.Config{}, func(p *peer) {
		p.request()
		p.answer(message(kindPrepare, 0, result(good)))
		p.expectFree(0)
	})
	s, err := c.Prepare(withTimeout(t), "select n from t")
	require.NoError(t, err)
	_, err = s.Exec(closing{context.Background(), s})
	require.ErrorContains(t, requireKind(t, cmi.KindUsage, err), "the statement is closed")
	require.False(t, c.Broken())
}

func TestLargeParameterIsLetGo(t *testing.T) {
	const size = 64 << 20
	c := withReplay(t, bytes.NewReader(append(message(kindPrepare, 0, result(good), number(0x21, 1), parameter(cmi.Blob)),
		message(kindExecute, 0, result(good), number(0x23, 1))...)))
	s, err := c.Prepare(context.Background(), "insert into t values (?)")
	require.NoError(t, err)
	before := heap()
	_, err = s.Exec(context.Background(), make([]byte, size))
	require.NoError(t, err)
	require.Less(t, heap(), before+size/2)
	runtime.KeepAlive(c)
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)

	return m.HeapAlloc
}

func TestFailingPreparesLeaveNoStatements(t *testing.T) {
	for _, mode := range cacheModes {
		t.Run(string(mode), func(t *testing.T) {
			c := connectCached(t, mode)
			for i := range 2000 {
				_, err := c.Prepare(withTimeout(t), "select nix from m$sys_users where name = ?")
				requireKind(t, cmi.KindNotFound, err)
				_, err = c.Query(withTimeout(t), fmt.Sprintf("selec %d", i%3))
				requireKind(t, cmi.KindSyntax, err)
			}
			require.False(t, c.Broken())
			require.Len(t, query(t, c, "select name from m$sys_users where name = ?", "SYS"), 1)
		})
	}
}

func TestTableRecreated(t *testing.T) {
	for _, mode := range cacheModes {
		t.Run(string(mode), func(t *testing.T) {
			name := makeTable(t, "create table %s (a integer, b varchar(10))")
			c := connectCached(t, mode)
			sql, filter := "select * from "+name, "select * from "+name+" where a = ?"
			execSQL(t, c, "insert into "+name+" values (1, 'one')")
			kept := map[string]*cmi.Conn{sql: c, filter: connectCached(t, mode)}
			for range 3 {
				require.Equal(t, [][]any{{int32(1), "one"}}, query(t, kept[sql], sql))
				require.Equal(t, [][]any{{int32(1), "one"}}, query(t, kept[filter], filter, 1))
			}
			other := connect(t)
			execSQL(t, other, "drop table "+name)
			execSQL(t, other, "create table "+name+" (c double, a long, d varchar(10))")
			execSQL(t, other, "insert into "+name+" values (1.5, 1, 'two')")
			for text, args := range map[string][]any{sql: nil, filter: {1}} {
				own := kept[text]
				if mode != cmi.CacheOff {
					rows, err := own.Query(withTimeout(t), text, args...)
					if err == nil {
						require.False(t, rows.Next())
						err = rows.Close()
						require.ErrorContains(t, requireKind(t, cmi.KindProtocol, err), "was the table created again")
						own = connectCached(t, mode)
					}
					require.Error(t, err)
				}
				require.Equal(t, [][]any{{1.5, int64(1), "two"}}, query(t, own, text, args...))
			}
		})
	}
}

func TestExecCountsRows(t *testing.T) {
	for _, mode := range cacheModes {
		t.Run(string(mode), func(t *testing.T) {
			name := makeTable(t, "create volatile table %s (id integer primary key, v integer)")
			c := connectCached(t, mode)
			for i := range 5 {
				require.EqualValues(t, 1, execSQL(t, c, "insert into "+name+" values (?, ?)", i, i))
			}
			require.EqualValues(t, 1, execSQL(t, c, "insert into "+name+" values (5, 5)"))
			require.EqualValues(t, 1, execSQL(t, c, "insert into "+name+" values (6, 6)"))
			for i := range 3 {
				require.EqualValues(t, 1, execSQL(t, c, "update "+name+" set v = 9 where id = ?", i))
				require.EqualValues(t, 1, execSQL(t, c, "delete from "+name+" where id = ?", i))
			}
			require.EqualValues(t, 0, execSQL(t, c, "delete from "+name+" where id = ?", 77))
			require.Len(t, query(t, c, "select * from "+name), 4)

			s, err := c.Prepare(withTimeout(t), "insert into "+name+" values (?, ?)")
			require.NoError(t, err)
			for i := range 3 {
				changed, err := s.Exec(withTimeout(t), 100+i, 1)
				require.NoError(t, err)
				require.EqualValues(t, 1, changed)
			}
			_, err = s.Exec(withTimeout(t), 100, 1)
			require.Error(t, err, "the key is there already")
			changed, err := s.Exec(withTimeout(t), 200, 1)
			require.NoError(t, err)
			require.EqualValues(t, 1, changed, "after an error")
		})
	}
}

func TestCacheKeepsWhatIsUsed(t *testing.T) {
	c := connectCached(t, cmi.CacheAuto)
	const hot = "select name from m$sys_users where name = ?"
	for range 2 {
		query(t, c, hot, "SYS")
	}
	cost := func() uint64 {
		_, before := c.Traffic()
		query(t, c, hot, "SYS")
		_, after := c.Traffic()

		return after - before
	}
	want := cost()
	for i := range 600 {
		query(t, c, fmt.Sprintf("select name, %d from m$sys_users", i))
		require.Equal(t, want, cost(), "it was prepared again")
	}
}
