// Nats is the reference that k6/x/nats is measured against: the same work in a plain Go program,
// over the same client library, nats.go. What k6 costs is the difference.
//
//	go run ./nats -url nats://127.0.0.1:4222 -work request -clients 8 -ops 20000
//
// Each client has a connection of its own; those that ask have their service on one that all share.
// Keys and values are as large as those of the scenarios. The exit code is 0 when all operations
// succeeded, 1 when one failed or the server could not be used, 2 for a wrong flag.
package main

import (
	"errors"

	"github.com/xk6-sweep/xk6-sweep/scripts/bench/programs/crew"
)

func main() {
	crew.Main("nats", func(args []string, getenv func(string) string) (crew.Program, error) {
		s, err := parseFlags(args, getenv)

		return &s, err
	})
}

// Run implements crew.Program.
func (s *settings) Run() (*crew.Result, error) {
	p, err := prepare(s)
	if err != nil {
		return nil, err
	}
	result, err := crew.Run(s.Clients, s.Ops, s.Warmup, p.connect)

	return result, errors.Join(err, p.close())
}
