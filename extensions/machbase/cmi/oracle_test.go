//go:build machgo

package cmi_test

import (
	"context"
	"net"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"testing"

	"github.com/machbase/neo-client/api"
	"github.com/machbase/neo-client/machgo"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

// machgoRows is what Machbase's own client reads.
func machgoRows(t *testing.T, sql string, args ...any) [][]any {
	t.Helper()
	u, err := url.Parse(os.Getenv("MACHBASE_URL"))
	require.NoError(t, err)
	port, err := strconv.Atoi(u.Port())
	require.NoError(t, err)
	db, err := machgo.NewDatabase(&machgo.Config{Host: u.Hostname(), Port: port, MaxOpenConn: -1})
	require.NoError(t, err)
	password, _ := u.User.Password()
	conn, err := db.Connect(context.Background(), api.WithPassword(u.User.Username(), password))
	require.NoError(t, err)
	defer conn.Close()
	rows, err := conn.Query(context.Background(), sql, args...)
	require.NoError(t, err)
	defer rows.Close()
	columns, err := rows.Columns()
	require.NoError(t, err)
	var all [][]any
	for rows.Next() {
		buffer, err := columns.MakeBuffer() // anew for each row: a null takes the place that a value would need
		require.NoError(t, err)
		require.NoError(t, rows.Scan(buffer...))
		values := make([]any, len(buffer))
		for i := range buffer {
			values[i] = api.Unbox(buffer[i])
		}
		all = append(all, values)
	}

	return all
}

// asMachgo is one of our values as machgo gives it: it has no unsigned numbers, and an address type
// of its own.
func asMachgo(v any) any {
	switch v := v.(type) {
	case uint16:
		return int16(v)
	case uint32:
		return int32(v)
	case uint64:
		return int64(v)
	case netip.Addr:
		return v.String()
	default:
		return v
	}
}

func requireSame(t *testing.T, ours, theirs [][]any) {
	t.Helper()
	require.NotEmpty(t, ours)
	require.Len(t, theirs, len(ours))
	for i := range ours {
		for j := range ours[i] {
			want := theirs[i][j]
			if address, ok := want.(net.IP); ok {
				want = address.String()
			}
			if got := asMachgo(ours[i][j]); !assert.ObjectsAreEqual(want, got) {
				require.Equal(t, want, got, "row %d, column %d", i, j)
			}
		}
	}
}

func TestTypesAreThoseOfMachgo(t *testing.T) {
	table := makeTable(t, typesTable)
	c := connect(t)
	written, _ := typesRows()
	a, err := c.Append(withTimeout(t), table, cmi.AppendOptions{})
	require.NoError(t, err)
	for _, row := range written {
		require.NoError(t, a.Append(withTimeout(t), row...))
	}
	_, err = a.Close(withTimeout(t))
	require.NoError(t, err)
	requireSame(t, query(t, c, "select * from "+table), machgoRows(t, "select * from "+table))
	sql := "select * from " + table + " where id > ?"
	requireSame(t, query(t, c, sql, 2), machgoRows(t, sql, 2))
}

func TestManyRowsAreThoseOfMachgo(t *testing.T) {
	table := makeTable(t, tagTable)
	fillTable(t, table, 100_000)
	sql := "select name, time, value from " + table
	requireSame(t, query(t, connect(t), sql), machgoRows(t, sql))
}
