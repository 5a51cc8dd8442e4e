//go:build servers && unix && !portable

package sqlmachbase_test

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func cutAtRest(t *testing.T, p *proxy, db *sql.DB) {
	t.Helper()
	before := p.accepted.Load()
	p.cut()
	require.EventuallyWithT(t, func(t *assert.CollectT) {
		conn, err := db.Conn(context.Background())
		require.NoError(t, err)
		require.NoError(t, conn.Close())
		require.Equal(t, before+1, p.accepted.Load())
	}, patience, time.Millisecond)
}

func TestConnectionThatBreaksAtRest(t *testing.T) {
	requireNothingLeft(t)
	p := newProxy(t)
	db := p.open(t, "")
	for range 3 {
		requireUsable(t, db)
		cutAtRest(t, p, db)
		require.Equal(t, 1, db.Stats().OpenConnections)
	}
}

func TestStatementOfABrokenConnection(t *testing.T) {
	p := newProxy(t)
	db := p.open(t, "")
	statement, err := db.PrepareContext(withTimeout(t), sysUser)
	require.NoError(t, err)
	for range 3 {
		rows, err := statement.QueryContext(withTimeout(t), "SYS")
		require.NoError(t, err)
		require.Equal(t, [][]any{{"SYS"}}, readAll(t, rows))
		cutAtRest(t, p, db)
	}
	require.NoError(t, statement.Close())
}
