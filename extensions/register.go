// Package extensions is all that is compiled into k6.
package extensions

import (
	_ "github.com/xk6-sweep/xk6-sweep/extensions/influx"        // the output sweep-influxdb
	_ "github.com/xk6-sweep/xk6-sweep/extensions/machbase"      // k6/x/machbase
	_ "github.com/xk6-sweep/xk6-sweep/extensions/memcached"     // k6/x/memcached
	_ "github.com/xk6-sweep/xk6-sweep/extensions/mxgateway"     // k6/x/mxgateway
	_ "github.com/xk6-sweep/xk6-sweep/extensions/nats"          // k6/x/nats
	_ "github.com/xk6-sweep/xk6-sweep/extensions/resp"          // k6/x/resp
	_ "github.com/xk6-sweep/xk6-sweep/extensions/sql"           // k6/x/sql and its drivers machbase, postgres and sqlite3
	_ "github.com/xk6-sweep/xk6-sweep/extensions/sweep"         // k6/x/sweep and the executor client-sweep
	_ "github.com/xk6-sweep/xk6-sweep/extensions/sweep/command" // k6 x sweep
	_ "github.com/xk6-sweep/xk6-sweep/extensions/umemcache"     // k6/x/umemcache
)
