// Package xk6sweep is what `xk6 build --with github.com/xk6-sweep/xk6-sweep` compiles into k6:
// importing it registers every extension of this module. k6/x/sql is a module of its own, in
// extensions/sql, as it needs a replacement of k6 v1.
package xk6sweep

import (
	_ "github.com/xk6-sweep/xk6-sweep/extensions/influx"        // the output sweep-influxdb
	_ "github.com/xk6-sweep/xk6-sweep/extensions/machbase"      // k6/x/machbase
	_ "github.com/xk6-sweep/xk6-sweep/extensions/memcached"     // k6/x/memcached
	_ "github.com/xk6-sweep/xk6-sweep/extensions/mxgateway"     // k6/x/mxgateway
	_ "github.com/xk6-sweep/xk6-sweep/extensions/nats"          // k6/x/nats
	_ "github.com/xk6-sweep/xk6-sweep/extensions/resp"          // k6/x/resp
	_ "github.com/xk6-sweep/xk6-sweep/extensions/sweep"         // k6/x/sweep and the executor client-sweep
	_ "github.com/xk6-sweep/xk6-sweep/extensions/sweep/command" // k6 x sweep
	_ "github.com/xk6-sweep/xk6-sweep/extensions/sweep/output"  // the output sweep
	_ "github.com/xk6-sweep/xk6-sweep/extensions/umemcache"     // k6/x/umemcache
)
