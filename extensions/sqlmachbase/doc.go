// Package sqlmachbase is a database/sql driver for Machbase on the client ../machbase/cmi.
//
//	connector, err := sqlmachbase.NewConnector("machbase://user:password@host:port?timeout=5s")
//	db := sql.OpenDB(connector)
//
// It registers no driver; use [Driver] with sql.Register. See [NewConnector] for data source names,
// and [Driver] for values.
package sqlmachbase
