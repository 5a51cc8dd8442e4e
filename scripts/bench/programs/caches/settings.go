package main

import (
	"errors"
	"flag"
	"fmt"

	"github.com/xk6-sweep/xk6-sweep/scripts/bench/programs/crew"
)

// Ways to get values.
const (
	one      = "one"      // a key an operation
	multi    = "multi"    // a multi-get of a batch of keys an operation
	pipeline = "pipeline" // a pipeline of a batch of gets an operation
)

// settings are the command line, checked.
type settings struct {
	crew.Settings
	address string
	client  string
	get     string
	meta    bool // the meta protocol
	batch   int  // keys of an operation
}

// parseFlags reads args. Without -addr the server is that of $MEMCACHED_URL.
func parseFlags(args []string, getenv func(string) string) (settings, error) {
	var s settings
	err := s.Read("caches", args, func(flags *flag.FlagSet) {
		flags.StringVar(&s.address, "addr", "", "host:port of a memcached (default $MEMCACHED_URL)")
		flags.StringVar(&s.client, "client", "wire", "client library: wire, which is this repository's, or gomemcache")
		flags.StringVar(&s.get, "get", one, "one: a key an operation; multi: a multi-get of -batch keys; pipeline: a pipeline of as many gets")
		flags.IntVar(&s.batch, "batch", 50, "keys of an operation that is no get of one key")
		flags.BoolVar(&s.meta, "meta", false, "use the meta protocol, of which memcached answers pipelines together")
	})
	if err != nil {
		return s, err
	}
	if s.address == "" {
		s.address = getenv("MEMCACHED_URL")
	}
	return s, s.check()
}

func (s *settings) check() error {
	switch {
	case s.batch < 1 || s.batch > count:
		return fmt.Errorf("-batch is %d, want 1 to %d", s.batch, count)
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
