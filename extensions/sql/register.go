package sql

import (
	"database/sql"

	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/sql/postgres"
	"github.com/xk6-sweep/xk6-sweep/extensions/sql/wholerows"
	"github.com/xk6-sweep/xk6-sweep/extensions/sqlmachbase"
)

func init() { //nolint:gochecknoinits // k6 and database/sql register in init
	modules.Register(ImportPath, New())
	register("sqlite3", wholerows.Local(sqliteConnector))
	register(driverPostgres, postgres.Connector)
	register("machbase", sqlmachbase.NewConnector)
}

func register(name string, driver wholerows.Driver) {
	sql.Register(name, driver)
	registerModule(name)
}
