package sqlmachbase_test

import (
	"database/sql"
	"fmt"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sqlmachbase"
)

// A pool of database/sql connects at the first query.
func ExampleNewConnector() {
	connector, err := sqlmachbase.NewConnector("machbase://sys:manager@127.0.0.1:5656?timeout=5s")
	if err != nil {
		panic(err)
	}
	fmt.Println(sql.OpenDB(connector).Close())
	_, err = sqlmachbase.NewConnector("machbase://sys:manager@127.0.0.1:5656?patience=5s")
	fmt.Println(strings.HasPrefix(err.Error(), `unknown option "patience"`))
	// Output:
	// <nil>
	// true
}
