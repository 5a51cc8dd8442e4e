package main

import (
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

// settings are the command line, checked.
type settings struct {
	host, user, password string
	port                 int

	clients int
	ops     int // per client
	code    string
	driver  string
	query   query
	append  bool // instead of a query
	reuse   bool
	warmup  time.Duration
	json    bool
}

// parseFlags reads args. Without -url the server is that of $MACHBASE_URL.
func parseFlags(args []string, getenv func(string) string) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("native", flag.ContinueOnError)
	flags.SetOutput(os.Stderr)
	address := flags.String("url", "", "machbase://user:password@host:port (default $MACHBASE_URL)")
	flags.IntVar(&s.clients, "clients", 1, "number of clients")
	flags.IntVar(&s.ops, "ops", 1000, "operations per client")
	flags.StringVar(&s.code, "code", "WISH", "stock code to ask for")
	flags.StringVar(&s.driver, "driver", "native", "client library: native, which is this repository's, or machgo")
	kind := flags.String("query", "rollup", "rollup or tick; or append, to append ticks, 1000 an operation, to tables of its own")
	flags.BoolVar(&s.reuse, "reuse", false, "prepare the statement once per connection")
	flags.DurationVar(&s.warmup, "warmup", 0, "time to run before measuring")
	flags.BoolVar(&s.json, "json", false, "print one JSON object")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			os.Exit(0)
		}
		return s, err
	}
	if *address == "" {
		*address = getenv("MACHBASE_URL")
	}
	var known bool
	s.query, known = queries[*kind]
	s.append = *kind == "append"
	switch {
	case flags.NArg() > 0:
		return s, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case s.clients < 1:
		return s, fmt.Errorf("-clients is %d, want at least 1", s.clients)
	case s.ops < 1:
		return s, fmt.Errorf("-ops is %d, want at least 1", s.ops)
	case s.warmup < 0:
		return s, fmt.Errorf("-warmup is %v, want 0 or more", s.warmup)
	case s.code == "":
		return s, errors.New("-code is empty, want a stock code")
	case drivers[s.driver] == nil:
		return s, fmt.Errorf("-driver is %q, want native or machgo", s.driver)
	case !known && !s.append:
		return s, fmt.Errorf("-query is %q, want rollup, tick or append", *kind)
	case *address == "":
		return s, errors.New("no server: give -url or set MACHBASE_URL")
	}
	return s, s.setAddress(*address)
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
