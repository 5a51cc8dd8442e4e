// Package sql is the k6 module k6/x/sql: Grafana's xk6-sql with its functions, and these drivers:
//
//	k6/x/sql/driver/sqlite3    SQLite, compiled to Go
//	k6/x/sql/driver/postgres   PostgreSQL
//	k6/x/sql/driver/machbase   Machbase, by the URLs of k6/x/machbase: see ../sqlmachbase
//
// Drivers that were made for xk6-sql work too. With k6 v2, xk6-sql needs a replaced go.k6.io/k6
// (see ../compat), so this package is a separate Go module.
package sql
