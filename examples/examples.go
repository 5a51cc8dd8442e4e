// Package examples holds the scripts that `k6 x sweep new` writes. People also copy them.
package examples

import (
	"embed"
	"strings"
)

//go:embed grpc.js http.js machbase.js memcached.js nats.js postgres.js redis.js
var scripts embed.FS

// Kinds are the kinds of servers with a script.
var Kinds = []string{"grpc", "http", "machbase", "memcached", "nats", "postgres", "redis"} //nolint:gochecknoglobals // a constant

// Script returns the script of a kind, to be written as file, and the command in it that runs it.
func Script(kind, file string) (script []byte, command string, err error) {
	raw, err := scripts.ReadFile(kind + ".js")
	text := string(raw)
	if file != "-" {
		text = strings.Replace(text, "k6 run "+kind+".js", "k6 run "+file, 1)
	}
	_, command, _ = strings.Cut(text, "//     ")
	command, _, _ = strings.Cut(command, "\n")

	return []byte(text), command, err
}
