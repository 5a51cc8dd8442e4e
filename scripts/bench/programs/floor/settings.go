package main

import (
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/scripts/bench/programs/crew"
)

// The work of an operation.
const get, put, request = "get", "put", "request"

// settings are the command line, checked.
type settings struct {
	crew.Settings
	server  string
	address string
	work    string // what is done with NATS: get, put or request
	// epoll is the program that works in place of this one, over its connections; empty for none.
	epoll string

	nats []chan natsConn // of each client, once the first one connects
}

// parseFlags reads args. Without -addr the server is that of $MEMCACHED_URL or the like.
func parseFlags(args []string, getenv func(string) string) (settings, error) {
	var s settings
	err := s.Read("floor", args, func(flags *flag.FlagSet) {
		flags.StringVar(&s.server, "server", "memcached", "memcached, redis, machbase or nats")
		flags.StringVar(&s.address, "addr", "", "the server's host:port or URL (default $MEMCACHED_URL or the like)")
		flags.StringVar(&s.work, "work", get, "get, put or request: what is done with NATS")
		flags.StringVar(&s.epoll, "epoll", "", "the program built from c/epoll.c: it does the work over the connections, with event loops in C")
	})
	if err != nil {
		return s, err
	}
	if s.address == "" {
		s.address = getenv(strings.ToUpper(s.server) + "_URL")
	}
	kinds := []string{"memcached", "redis", "machbase", "nats"}
	switch {
	case !slices.Contains(kinds, s.server):
		return s, fmt.Errorf("-server is %q, want memcached, redis, machbase or nats", s.server)
	case s.work != get && (!slices.Contains([]string{put, request}, s.work) || s.server != "nats"):
		return s, fmt.Errorf("-work is %q, want get, or put or request with -server nats", s.work)
	case s.address == "":
		return s, fmt.Errorf("no server: give -addr or set %s_URL", strings.ToUpper(s.server))
	}

	return s, nil
}
