package main

import (
	"errors"
	"flag"
	"fmt"

	"github.com/xk6-sweep/xk6-sweep/scripts/bench/programs/crew"
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
	crew.Settings
	url   string
	work  string
	size  int // bytes of a value or message
	batch int // messages of an operation that publishes
	quiet bool
}

// parseFlags reads args. Without -url the server is that of $NATS_URL.
func parseFlags(args []string, getenv func(string) string) (settings, error) {
	var s settings
	err := s.Read("nats", args, func(flags *flag.FlagSet) {
		flags.StringVar(&s.url, "url", "", "nats://host:port of a server with JetStream (default $NATS_URL)")
		flags.StringVar(&s.work, "work", put, "put or get: a value of a bucket; request: a request and its answer; publish: -batch messages")
		flags.IntVar(&s.size, "size", 100, "bytes of a value or message")
		flags.IntVar(&s.batch, "batch", 10000, "messages of an operation that publishes")
		flags.BoolVar(&s.quiet, "quiet", false, "use sockets as k6 does: the Go runtime is not told of calls, which never block")
	})
	if err != nil {
		return s, err
	}
	if s.url == "" {
		s.url = getenv("NATS_URL")
	}

	return s, s.check()
}

func (s *settings) check() error {
	switch {
	case s.work != put && s.work != get && s.work != request && s.work != publish:
		return fmt.Errorf("-work is %q, want put, get, request or publish", s.work)
	case s.size < 1 || s.size > 1<<20:
		return fmt.Errorf("-size is %d, want 1 to 1048576", s.size)
	case s.batch < 1:
		return fmt.Errorf("-batch is %d, want at least 1", s.batch)
	case s.url == "":
		return errors.New("no server: give -url or set NATS_URL")
	}

	return nil
}
