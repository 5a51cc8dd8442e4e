package sql

import (
	"database/sql"

	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/sqlmachbase"
)

func init() { //nolint:gochecknoinits // k6 and database/sql register in init
	modules.Register(ImportPath, New())
	register("sqlite3", wholeDriver{open: sqliteConnector, local: true})
	register(driverPostgres, wholeDriver{open: postgresConnector})
	register("machbase", wholeDriver{open: sqlmachbase.NewConnector})
}

func register(name string, driver wholeDriver) {
	sql.Register(name, driver)
	registerModule(name)
}
