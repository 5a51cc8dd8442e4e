package main

import (
	"errors"
	"flag"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/scripts/bench/programs/crew"
)

// settings are the command line, checked.
type settings struct {
	crew.Settings
	host, user, password string
	port                 int

	code   string
	driver string
	query  query
	append bool // instead of a query
	reuse  bool
	turns  bool
}

// parseFlags reads args. Without -url the server is that of $MACHBASE_URL.
func parseFlags(args []string, getenv func(string) string) (settings, error) {
	var s settings
	var address, kind string
	err := s.Read("native", args, func(flags *flag.FlagSet) {
		flags.StringVar(&address, "url", "", "machbase://user:password@host:port (default $MACHBASE_URL)")
		flags.StringVar(&s.code, "code", "WISH", "stock code to ask for")
		flags.StringVar(&s.driver, "driver", "native", "client library: native, which is this repository's, or machgo")
		flags.StringVar(&kind, "query", "rollup", "rollup or tick; or append, to append ticks, 1000 an operation, to tables of its own")
		flags.BoolVar(&s.reuse, "reuse", false, "prepare the statement once per connection")
		flags.BoolVar(&s.turns, "turns", false, "let the other clients go after each operation of one")
	})
	if err != nil {
		return s, err
	}
	if address == "" {
		address = getenv("MACHBASE_URL")
	}
	var known bool
	s.query, known = queries[kind]
	s.append = kind == "append"
	switch {
	case s.code == "":
		return s, errors.New("-code is empty, want a stock code")
	case drivers[s.driver] == nil:
		return s, fmt.Errorf("-driver is %q, want native or machgo", s.driver)
	case !known && !s.append:
		return s, fmt.Errorf("-query is %q, want rollup, tick or append", kind)
	case address == "":
		return s, errors.New("no server: give -url or set MACHBASE_URL")
	}
	return s, s.setAddress(address)
}

func (s *settings) setAddress(address string) error {
	const shape = "want machbase://user:password@host:port"
	u, err := url.Parse(address)
	if err != nil {
		// The parser's error repeats the address, and with it the password.
		return errors.New("the server's address is not a URL, " + shape)
	}
	password, hasPassword := u.User.Password()
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	if u.Scheme != "machbase" || u.Hostname() == "" || !hasPassword || err != nil || port == 0 {
		return fmt.Errorf("the server's address is %q, %s", u.Redacted(), shape)
	}
	if strings.Contains(u.User.Username()+password, ";") {
		return errors.New("the server's user or password has a ';', which machgo cannot send")
	}
	s.host, s.port = u.Hostname(), int(port)
	s.user, s.password = u.User.Username(), password
	return nil
}
