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

import "github.com/xk6-sweep/xk6-sweep/scripts/bench/programs/crew"

func main() {
	crew.Main("caches", func(args []string, getenv func(string) string) (crew.Program, error) {
		s, err := parseFlags(args, getenv)

		return &s, err
	})
}

// Run implements crew.Program.
func (s *settings) Run() (*crew.Result, error) {
	return crew.Run(s.Clients, s.Ops, s.Warmup, s.connect)
}
