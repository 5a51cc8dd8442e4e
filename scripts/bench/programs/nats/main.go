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
	"fmt"
	"os"

	"github.com/xk6-sweep/xk6-sweep/scripts/bench/programs/crew"
)

func main() {
	settings, err := parseFlags(os.Args[1:], os.Getenv)
	if err != nil {
		fmt.Fprintln(os.Stderr, "nats:", err)
		os.Exit(2)
	}
	if err := run(&settings); err != nil {
		fmt.Fprintln(os.Stderr, "nats:", err)
		os.Exit(1)
	}
}

func run(s *settings) error {
	p, err := prepare(s)
	if err != nil {
		return err
	}
	result, err := crew.Run(s.clients, s.ops, s.warmup, p.connect)
	err = errors.Join(err, p.close())
	if err != nil {
		return err
	}

	return errors.Join(result.Print(os.Stdout, s.json), result.Err())
}
