// Floor is what an operation costs at the least in Go, with a goroutine a connection: the same
// bytes go out and as many come in as with k6, and nothing is decoded. With -epoll it opens the
// connections, and c/epoll.c does the same over them in C, with event loops.
//
//	go run ./floor -server redis -addr 127.0.0.1:6379 -clients 8 -ops 20000
//
// The operations are gets of 100 bytes from memcached or Redis, of keys that are drawn; the roll-up
// query of the stock benchmark from Machbase, prepared; and gets of 100 bytes from a key-value
// bucket of NATS, or puts with -work put. With -work request an operation is two messages of NATS,
// as many as a request and its reply are, which each client sends to itself.
//
// The first client writes all keys, before anything is measured. The exit code is 0 when all
// operations succeeded, 1 when one failed or the server could not be used, 2 for a wrong flag.
package main

import "github.com/xk6-sweep/xk6-sweep/scripts/bench/programs/crew"

func main() {
	crew.Main("floor", func(args []string, getenv func(string) string) (crew.Program, error) {
		s, err := parseFlags(args, getenv)

		return &s, err
	})
}

// Run implements crew.Program. With -epoll it does not return but with an error.
func (s *settings) Run() (*crew.Result, error) {
	if s.epoll != "" {
		return nil, s.become()
	}

	return crew.Run(s.Clients, s.Ops, s.Warmup, func(number int) (crew.Work, error) {
		c, err := s.connect(number)
		if err != nil {
			return nil, err
		}

		return c, nil
	})
}
