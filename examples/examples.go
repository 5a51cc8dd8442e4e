// Package examples holds the scripts that `k6 x sweep new` writes, which people also copy from
// here.
package examples

import (
	"embed"
	"strings"
)

//go:embed grpc.js http.js machbase.js memcached.js nats.js postgres.js redis.js
var scripts embed.FS

// Kinds are what there is a script for, and the setting that says where its server is.
var Kinds = map[string]string{ //nolint:gochecknoglobals // a constant
	"grpc": "GRPC_URL", "http": "HTTP_URL", "machbase": "MACHBASE_URL", "memcached": "MEMCACHED_URL", "nats": "NATS_URL",
	"postgres": "POSTGRES_URL", "redis": "REDIS_URL",
}

// Script returns the script for one of the kinds, which says in its first lines how it is run:
// as the file that it was written to.
func Script(kind, file string) ([]byte, error) {
	raw, err := scripts.ReadFile(kind + ".js")
	if file == "-" {
		return raw, err
	}

	return []byte(strings.Replace(string(raw), "k6 run "+kind+".js", "k6 run "+file, 1)), err
}
