package cmi_test

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

const patience = 30 * time.Second

func serverConfig(t *testing.T) cmi.Config {
	t.Helper()
	u, err := url.Parse(os.Getenv("MACHBASE_URL"))
	require.NoError(t, err)
	require.NotEmpty(t, u.Host, "MACHBASE_URL must name a server: scripts/servers.sh with machbase -- go test ...")
	password, _ := u.User.Password()

	return cmi.Config{Addresses: []string{u.Host}, User: u.User.Username(), Password: password}
}

func withTimeout(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)

	return ctx
}

func connectTo(t *testing.T, config cmi.Config) *cmi.Conn {
	t.Helper()
	c, err := cmi.Connect(withTimeout(t), config)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Close()) })

	return c
}

func connect(t *testing.T) *cmi.Conn {
	t.Helper()

	return connectTo(t, serverConfig(t))
}

var tables atomic.Int64

func makeTable(t *testing.T, definition string) string {
	t.Helper()
	name := fmt.Sprintf("cmi_%d_%d", os.Getpid(), tables.Add(1))
	execSQL(t, connect(t), fmt.Sprintf(definition, name))
	t.Cleanup(func() { dropTable(t, name) })

	return name
}

// dropTable retries while the table is in use: the server notices closed connections a little
// later.
func dropTable(t *testing.T, name string) {
	t.Helper()
	c := connect(t)
	require.EventuallyWithT(t, func(t *assert.CollectT) {
		_, err := c.Exec(context.Background(), "drop table "+name)
		assert.NoError(t, err)
	}, patience, 20*time.Millisecond)
}

const tagTable = "create tag table %s (name varchar(20) primary key, time datetime basetime, value double)"

func execSQL(t *testing.T, c *cmi.Conn, sql string, args ...any) int64 {
	t.Helper()
	changed, err := c.Exec(withTimeout(t), sql, args...)
	require.NoError(t, err, sql)

	return changed
}

func query(t *testing.T, c *cmi.Conn, sql string, args ...any) [][]any {
	t.Helper()
	rows, err := c.Query(withTimeout(t), sql, args...)
	require.NoError(t, err, sql)

	return readAll(t, rows)
}

func readAll(t *testing.T, rows *cmi.Rows) [][]any {
	t.Helper()
	var all [][]any
	for rows.Next() {
		values := make([]any, len(rows.Columns()))
		for i := range values {
			values[i] = rows.Value(i)
		}
		all = append(all, values)
	}
	require.NoError(t, rows.Err())
	require.NoError(t, rows.Close())

	return all
}

func count(t *testing.T, c *cmi.Conn, table string) int64 {
	t.Helper()
	execSQL(t, c, "exec table_flush("+table+")")

	return query(t, c, "select count(*) from "+table)[0][0].(int64)
}

func fillTable(t *testing.T, table string, rows int) {
	t.Helper()
	c := connect(t)
	a, err := c.Append(withTimeout(t), table, cmi.AppendOptions{})
	require.NoError(t, err)
	names, times, values := make([]string, rows), make([]int64, rows), make([]float64, rows)
	for i := range rows {
		names[i], times[i], values[i] = "a", start+int64(i), float64(i)
	}
	n, err := a.AppendColumns(withTimeout(t), names, times, values)
	require.NoError(t, err)
	require.Equal(t, rows, n)
	receipt, err := a.Close(withTimeout(t))
	require.NoError(t, err)
	require.EqualValues(t, rows, receipt.Accepted)
	execSQL(t, c, "exec table_flush("+table+")")
}

const start = int64(1_700_000_000_000_000_000)

func requireKind(t *testing.T, kind string, err error) *cmi.Error {
	t.Helper()
	var e *cmi.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, kind, e.Kind, e.Error())
	require.NotEmpty(t, e.Message)
	require.False(t, strings.Contains(e.Message, "\n"), e.Message)

	return e
}
