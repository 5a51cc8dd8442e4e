//go:build servers && (!unix || portable)

package sqlmachbase_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

func TestConnectionThatBreaksAtRestFailsOneCall(t *testing.T) {
	p := newProxy(t)
	db := p.open(t, "")
	requireUsable(t, db)
	p.cut()
	rows, err := db.QueryContext(withTimeout(t), sysUser, "SYS")
	if err == nil {
		err = rows.Err()
	}
	requireKind(t, cmi.KindConnection, err)
	requireReplaced(t, p, db)
	require.Equal(t, 1, db.Stats().OpenConnections)
}
