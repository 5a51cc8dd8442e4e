// Package extensions is all that is compiled into k6.
package extensions

import (
	_ "github.com/xk6-sweep/xk6-sweep/extensions/machbase"      // k6/x/machbase
	_ "github.com/xk6-sweep/xk6-sweep/extensions/sql"           // k6/x/sql and its drivers sqlite3 and postgres
	_ "github.com/xk6-sweep/xk6-sweep/extensions/sweep"         // k6/x/sweep and the executor client-sweep
	_ "github.com/xk6-sweep/xk6-sweep/extensions/sweep/command" // k6 x sweep
)
