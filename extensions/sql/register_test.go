package sql_test

import (
	"context"
	"database/sql"
	"testing"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/ext"
	"go.k6.io/k6/v2/js/modulestest"

	_ "github.com/xk6-sweep/xk6-sweep/extensions/sql"
)

func open(t *testing.T, driver, name string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, name)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })

	return db
}

func TestDriversAreModules(t *testing.T) {
	for _, driver := range []string{"sqlite3", "postgres", "machbase"} {
		require.Contains(t, sql.Drivers(), driver)

		module := "k6/x/sql/driver/" + driver
		require.Contains(t, ext.Get(ext.JSExtension), module)
		rt := modulestest.NewRuntime(t)
		require.NoError(t, rt.SetupModuleSystem(map[string]any{module: ext.Get(ext.JSExtension)[module].Module}, nil, nil))
		got, err := rt.RunOnEventLoop(`const driver = require("` + module + `"); [typeof driver.valueOf(), driver.name, driver.toString()].join()`)
		require.NoError(t, err)
		require.Equal(t, "symbol,"+driver+",Symbol("+driver+")", got.String())
	}
}

// The third row cannot be computed. Without wholeDriver the script would see two rows and no error.
func TestResultThatBreaksOffIsAnError(t *testing.T) {
	_, err := open(t, "sqlite3", ":memory:").QueryContext(t.Context(),
		`select json_extract(column1, '$.a') from (values ('{"a":1}'), ('{"a":2}'), ('{"a"'))`)
	require.ErrorContains(t, err, "malformed JSON")
}

func TestQueryThatRunsTooLongIsAnError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := open(t, "sqlite3", ":memory:").QueryContext(ctx, "select 1")
	require.ErrorIs(t, err, context.Canceled)
}

func TestParametersOfTheOfficialDriver(t *testing.T) {
	db := open(t, "sqlite3", "file:"+t.TempDir()+"/roster.db?_journal_mode=WAL&_fk=1")
	var mode string
	require.NoError(t, db.QueryRowContext(t.Context(), "pragma journal_mode").Scan(&mode))
	require.Equal(t, "wal", mode)
	var keys int
	require.NoError(t, db.QueryRowContext(t.Context(), "pragma foreign_keys").Scan(&keys))
	require.Equal(t, 1, keys)

	_, err := open(t, "sqlite3", ":memory:?_journal_mode=perhaps").QueryContext(t.Context(), "select 1")
	require.ErrorContains(t, err, `"perhaps"`)
}
