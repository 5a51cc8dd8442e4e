// Caches is the reference that client.run of k6/x/memcached is measured against: gets of the same
// keys and as large values in a plain Go program, over the same wire code, or over
// github.com/bradfitz/gomemcache. What k6 costs is the difference to the first, and it must not be
// slower than the second.
//
//	go run ./caches -addr 127.0.0.1:11211 -client gomemcache -clients 8 -ops 20000 -get multi -batch 50
//
// Each client has a connection of its own. The first one writes all keys, before anything is
// measured; a value that is missing, or another one than that, is a failed operation. The exit code
// is 0 when all operations succeeded, 1 when one failed or the server could not be used, 2 for a
// wrong flag.
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/xk6-sweep/xk6-sweep/scripts/bench/programs/crew"
)

func main() {
	settings, err := parseFlags(os.Args[1:], os.Getenv)
	if err != nil {
		fmt.Fprintln(os.Stderr, "caches:", err)
		os.Exit(2)
	}
	result, err := crew.Run(settings.clients, settings.ops, settings.warmup, settings.connect)
	if err == nil {
		err = errors.Join(result.Print(os.Stdout, settings.json), result.Err())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "caches:", err)
		os.Exit(1)
	}
}
