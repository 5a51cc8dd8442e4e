// Floor is what gets of 100 bytes cost at the least in Go, with a goroutine a connection: the same
// bytes go out and as many come in as with k6, and nothing is decoded. c/epoll.c is the same in C,
// with event loops.
//
//	go run ./floor -server redis -addr 127.0.0.1:6379 -clients 8 -ops 20000
//
// The first client writes all keys, before anything is measured. The exit code is 0 when all
// operations succeeded, 1 when one failed or the server could not be used, 2 for a wrong flag.
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/xk6-sweep/xk6-sweep/scripts/bench/programs/crew"
)

func main() {
	settings, err := parseFlags(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(2)
	}
	result, err := crew.Run(settings.clients, settings.ops, settings.warmup, settings.connect)
	if err == nil {
		err = errors.Join(result.Print(os.Stdout, settings.json), result.Err())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(1)
	}
}
