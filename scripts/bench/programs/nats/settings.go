package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"time"
)

// Kinds of work.
const (
	put     = "put"     // a value into a bucket
	get     = "get"     // a value out of it
	request = "request" // a request and its answer
	publish = "publish" // a batch of messages, and then a flush
)

// settings are the command line, checked.
type settings struct {
	url     string
	work    string
	clients int
	ops     int // per client
	size    int // bytes of a value or message
	batch   int // messages of an operation that publishes
	quiet   bool
	warmup  time.Duration
	json    bool
}

// parseFlags reads args. Without -url the server is that of $NATS_URL.
func parseFlags(args []string, getenv func(string) string) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("nats", flag.ContinueOnError)
	flags.SetOutput(os.Stderr)
	flags.StringVar(&s.url, "url", "", "nats://host:port of a server with JetStream (default $NATS_URL)")
	flags.StringVar(&s.work, "work", put, "put or get: a value of a bucket; request: a request and its answer; publish: -batch messages")
	flags.IntVar(&s.clients, "clients", 1, "number of clients")
	flags.IntVar(&s.ops, "ops", 1000, "operations per client")
	flags.IntVar(&s.size, "size", 100, "bytes of a value or message")
	flags.IntVar(&s.batch, "batch", 10000, "messages of an operation that publishes")
	flags.BoolVar(&s.quiet, "quiet", false, "use sockets as k6 does: the Go runtime is not told of calls, which never block")
	flags.DurationVar(&s.warmup, "warmup", 0, "time to run before measuring")
	flags.BoolVar(&s.json, "json", false, "print one JSON object")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			os.Exit(0)
		}

		return s, err
	}
	if s.url == "" {
		s.url = getenv("NATS_URL")
	}
	if flags.NArg() > 0 {
		return s, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}

	return s, s.check()
}

func (s *settings) check() error {
	switch {
	case s.work != put && s.work != get && s.work != request && s.work != publish:
		return fmt.Errorf("-work is %q, want put, get, request or publish", s.work)
	case s.clients < 1:
		return fmt.Errorf("-clients is %d, want at least 1", s.clients)
	case s.ops < 1:
		return fmt.Errorf("-ops is %d, want at least 1", s.ops)
	case s.size < 1 || s.size > 1<<20:
		return fmt.Errorf("-size is %d, want 1 to 1048576", s.size)
	case s.batch < 1:
		return fmt.Errorf("-batch is %d, want at least 1", s.batch)
	case s.warmup < 0:
		return fmt.Errorf("-warmup is %v, want 0 or more", s.warmup)
	case s.url == "":
		return errors.New("no server: give -url or set NATS_URL")
	}

	return nil
}
