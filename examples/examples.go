// Package examples holds the scripts that `k6 x sweep new` writes. People also copy them.
package examples

import (
	"embed"
	"strings"
)

//go:embed grpc.js http.js machbase.js memcached.js nats.js postgres.js redis.js
var scripts embed.FS

// Kinds maps each kind of script to the setting with its server's address.
var Kinds = map[string]string{ //nolint:gochecknoglobals // a constant
	"grpc": "GRPC_URL", "http": "HTTP_URL", "machbase": "MACHBASE_URL", "memcached": "MEMCACHED_URL", "nats": "NATS_URL",
	"postgres": "POSTGRES_URL", "redis": "REDIS_URL",
}

// Script returns the script of a kind, to be written as file. Its first lines have the command to
// run it.
func Script(kind, file string) ([]byte, error) {
	raw, err := scripts.ReadFile(kind + ".js")
	if file == "-" {
		return raw, err
	}

	return []byte(strings.Replace(string(raw), "k6 run "+kind+".js", "k6 run "+file, 1)), err
}
