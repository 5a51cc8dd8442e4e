// Package sql is k6/x/sql in this binary: Grafana's xk6-sql, and drivers for it.
//
//	k6/x/sql                   sql.open(driver, dataSourceName), and what it returns
//	k6/x/sql/driver/sqlite3    SQLite, compiled to Go: there is nothing to install
//	k6/x/sql/driver/postgres   PostgreSQL
//	k6/x/sql/driver/machbase   Machbase, by the URLs of k6/x/machbase: see ../sqlmachbase
//
// Names and data source names of the first two are those of Grafana's own drivers, so that their
// scripts run as they are. What is behind them differs. modernc.org/sqlite, instead of
// github.com/mattn/go-sqlite3, ignores those parameters of the latter that are no pragmas.
// github.com/jackc/pgx, instead of github.com/lib/pq, wants arguments that fit the type of the
// column; with ?default_query_exec_mode=simple_protocol the server converts them.
//
// An integer above 2^53 comes to a script rounded, as JavaScript's Number has no room for it.
// The driver of Machbase takes a BigInt as an argument: the nanoseconds of a datetime are such a
// number.
//
// A query that breaks off in the middle of its rows is an error here, and not a shorter result: see
// wholerows.
//
// Drivers know nothing of the VU: k6's dialer, with
// its blocked hosts and its count of bytes, has no part in the connections. A database is closed by
// close(), or else when k6 ends. Under client-sweep, connections to a server are closed at the end
// of the client's step, also where the script was interrupted before close(); the next query opens
// a new one. Elsewhere a driver does not know which VU a connection is of: what an interrupted VU
// has left open stays open until k6 ends.
//
// In a binary of k6 v2 all this is only there when go.k6.io/k6 is replaced: see the module in
// ../compat. That is why this package is a module of its own.
package sql
