package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"time"
)

// Ways to get values.
const (
	one      = "one"      // a key an operation
	multi    = "multi"    // a multi-get of a batch of keys an operation
	pipeline = "pipeline" // a pipeline of a batch of gets an operation
)

// settings are the command line, checked.
type settings struct {
	address string
	client  string
	clients int
	ops     int // per client
	get     string
	meta    bool // the meta protocol
	batch   int  // keys of an operation
	warmup  time.Duration
	json    bool
}

// parseFlags reads args. Without -addr the server is that of $MEMCACHED_URL.
func parseFlags(args []string, getenv func(string) string) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("caches", flag.ContinueOnError)
	flags.SetOutput(os.Stderr)
	flags.StringVar(&s.address, "addr", "", "host:port of a memcached (default $MEMCACHED_URL)")
	flags.StringVar(&s.client, "client", "wire", "client library: wire, which is this repository's, or gomemcache")
	flags.IntVar(&s.clients, "clients", 1, "number of clients")
	flags.IntVar(&s.ops, "ops", 1000, "operations per client")
	flags.StringVar(&s.get, "get", one, "one: a key an operation; multi: a multi-get of -batch keys; pipeline: a pipeline of as many gets")
	flags.IntVar(&s.batch, "batch", 50, "keys of an operation that is no get of one key")
	flags.BoolVar(&s.meta, "meta", false, "use the meta protocol, of which memcached answers pipelines together")
	flags.DurationVar(&s.warmup, "warmup", 0, "time to run before measuring")
	flags.BoolVar(&s.json, "json", false, "print one JSON object")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			os.Exit(0)
		}
		return s, err
	}
	if s.address == "" {
		s.address = getenv("MEMCACHED_URL")
	}
	if flags.NArg() > 0 {
		return s, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	return s, s.check()
}

func (s *settings) check() error {
	switch {
	case s.clients < 1:
		return fmt.Errorf("-clients is %d, want at least 1", s.clients)
	case s.ops < 1:
		return fmt.Errorf("-ops is %d, want at least 1", s.ops)
	case s.batch < 1 || s.batch > count:
		return fmt.Errorf("-batch is %d, want 1 to %d", s.batch, count)
	case s.warmup < 0:
		return fmt.Errorf("-warmup is %v, want 0 or more", s.warmup)
	case libraries[s.client] == nil:
		return fmt.Errorf("-client is %q, want wire or gomemcache", s.client)
	case s.get != one && s.get != multi && s.get != pipeline:
		return fmt.Errorf("-get is %q, want one, multi or pipeline", s.get)
	case s.get == pipeline && s.client == "gomemcache":
		return errors.New("-get is pipeline, which gomemcache does not have: want one or multi")
	case s.meta && s.client == "gomemcache":
		return errors.New("-meta is for the client wire: gomemcache has the text protocol")
	case s.address == "":
		return errors.New("no server: give -addr or set MEMCACHED_URL")
	}
	return nil
}
