package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"time"
)

// settings are the command line, checked.
type settings struct {
	server  string
	address string
	clients int
	ops     int // per client
	warmup  time.Duration
	json    bool
}

func parseFlags(args []string) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("floor", flag.ContinueOnError)
	flags.SetOutput(os.Stderr)
	flags.StringVar(&s.server, "server", "memcached", "memcached or redis")
	flags.StringVar(&s.address, "addr", "", "host:port of the server")
	flags.IntVar(&s.clients, "clients", 1, "number of clients")
	flags.IntVar(&s.ops, "ops", 1000, "operations per client")
	flags.DurationVar(&s.warmup, "warmup", 0, "time to run before measuring")
	flags.BoolVar(&s.json, "json", false, "print one JSON object")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			os.Exit(0)
		}
		return s, err
	}
	switch {
	case flags.NArg() > 0:
		return s, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case servers[s.server] == nil:
		return s, fmt.Errorf("-server is %q, want memcached or redis", s.server)
	case s.address == "":
		return s, errors.New("no server: give -addr")
	case s.clients < 1:
		return s, fmt.Errorf("-clients is %d, want at least 1", s.clients)
	case s.ops < 1:
		return s, fmt.Errorf("-ops is %d, want at least 1", s.ops)
	case s.warmup < 0:
		return s, fmt.Errorf("-warmup is %v, want 0 or more", s.warmup)
	}
	return s, nil
}
