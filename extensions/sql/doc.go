// Package sql is the module k6/x/sql: the functions of Grafana's xk6-sql, and drivers for it.
//
//	k6/x/sql                   sql.open(driver, dataSourceName), and what it returns
//	k6/x/sql/driver/sqlite3    SQLite, compiled to Go
//	k6/x/sql/driver/postgres   PostgreSQL
//	k6/x/sql/driver/machbase   Machbase, by the URLs of k6/x/machbase: see ../sqlmachbase
//
// Names are those of Grafana's drivers, so that their scripts run; a driver made for xk6-sql works
// as well. Values and rows are converted in values.go. A query whose rows break off is an error:
// see wholerows. Under client-sweep, connections to a server are closed at the end of the client's
// step. In a binary of k6 v2, xk6-sql needs go.k6.io/k6 to be replaced: see ../compat. That is why
// this package is a module of its own.
package sql
