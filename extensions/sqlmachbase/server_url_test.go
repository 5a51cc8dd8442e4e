//go:build servers

package sqlmachbase_test

import (
	"database/sql"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sqlmachbase"
)

func TestAlternatives(t *testing.T) {
	dead, deader := closedPort(t), closedPort(t)
	u := serverURL(t, "alternatives="+deader+","+serverURL(t, "").Host)
	u.Host = dead
	db := openURL(t, u.String())
	require.NoError(t, db.PingContext(withTimeout(t)))

	err := openURL(t, "machbase://me:geheim@"+dead+"?alternatives="+deader).PingContext(withTimeout(t))
	require.ErrorContains(t, err, dead)
	require.ErrorContains(t, err, deader)
	requireOneLine(t, err)
}

func TestSQLRegister(t *testing.T) {
	name := fmt.Sprint("sqlmachbase", tables.Add(1))
	sql.Register(name, sqlmachbase.Driver{})
	db, err := sql.Open(name, serverURL(t, "").String())
	require.NoError(t, err)
	require.NoError(t, db.PingContext(withTimeout(t)))
	require.NoError(t, db.Close())

	conn, err := sqlmachbase.Driver{}.Open(serverURL(t, "").String())
	require.NoError(t, err)
	require.NoError(t, conn.Close())
}
