package sqlmachbase

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

const (
	scheme                = "machbase"
	defaultPort           = "5656"
	defaultUser           = "sys"
	defaultTimeout        = 60 * time.Second
	defaultConnectTimeout = 5 * time.Second
)

var errURL = errors.New("the data source name must look like machbase://user:password@host:port?timeout=5s, " +
	"where @ : / ? # % in the user or the password are written %40 %3A %2F %3F %23 %25")

// errPort does not show the number: in machbase://user:password, without a host, it is the password.
var errPort = errors.New("port must be from 1 to 65535 in a data source name such as machbase://user:password@host:port")

// parse reads a data source name. Its errors never show it: it holds a password.
func parse(raw string) (*connector, error) {
	u, options, err := split(raw)
	if err != nil {
		return nil, err
	}
	port := u.Port()
	if port == "" {
		port = defaultPort
	}
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return nil, errPort
	}

	c := &connector{timeout: defaultTimeout, connectTimeout: defaultConnectTimeout}
	c.config.Addresses = []string{net.JoinHostPort(u.Hostname(), port)}
	c.config.User = defaultUser
	if u.User != nil {
		c.config.User = u.User.Username()
		c.config.Password, _ = u.User.Password()
	}
	for _, name := range slices.Sorted(maps.Keys(options)) {
		values := options[name]
		if err := c.set(name, values[len(values)-1]); err != nil {
			return nil, err
		}
	}

	return c, nil
}

// split checks the form of a data source name.
func split(raw string) (*url.URL, url.Values, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != scheme || u.Hostname() == "" || strings.Trim(u.Path, "/") != "" || u.Opaque != "" ||
		u.Fragment != "" || strings.Contains(u.RawQuery, "@") { // what stands there is a piece of a password with a # or ?
		return nil, nil, errURL
	}
	options, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, nil, errURL
	}

	return u, options, nil
}

// set takes an option.
func (c *connector) set(name, value string) (err error) {
	switch name {
	case "timeout":
		c.timeout, err = parseTimeout(value)
	case "connectTimeout":
		c.connectTimeout, err = parseTimeout(value)
	case "queryTimeout":
		c.config.QueryTimeout, err = parseQueryTimeout(value)
	case "statementCache":
		c.config.StatementCache = cmi.CacheMode(value)
		if !slices.Contains([]cmi.CacheMode{cmi.CacheOff, cmi.CacheAuto, cmi.CacheOn}, c.config.StatementCache) {
			err = fmt.Errorf("it must be %q, %q or %q", cmi.CacheOff, cmi.CacheAuto, cmi.CacheOn)
		}
	case "fetchRows":
		c.config.FetchRows, err = strconv.ParseInt(value, 10, 64)
		if err != nil || c.config.FetchRows < 1 {
			err = errors.New("it must be a whole number of at least 1")
		}
	case "alternatives":
		err = c.addAlternatives(strings.Split(value, ","))
	case "driver":
		if value != "native" {
			err = errors.New(`database/sql has only "native"`)
		}
	default:
		return fmt.Errorf("unknown option %q in the data source name; "+
			"known are alternatives, connectTimeout, driver, fetchRows, queryTimeout, statementCache, timeout", name)
	}
	if err != nil {
		return fmt.Errorf("option %s in the data source name cannot be %q: %w", name, value, err)
	}

	return nil
}

func (c *connector) addAlternatives(addresses []string) error {
	for _, address := range addresses {
		if _, port, err := net.SplitHostPort(address); err != nil || port == "" {
			return errors.New("it must be host:port, or several with commas between them")
		}
	}
	c.config.Addresses = append(c.config.Addresses, addresses...)

	return nil
}

func parseTimeout(text string) (time.Duration, error) {
	d, ok := parseDuration(text)
	if !ok || d <= 0 {
		return 0, errors.New("it must be more than 0, such as 500ms or 5s")
	}

	return d, nil
}

// parseQueryTimeout rounds up to the seconds in which the server counts.
func parseQueryTimeout(text string) (time.Duration, error) {
	d, ok := parseDuration(text)
	if !ok || d < 0 {
		return 0, errors.New("it must be more than 0, such as 5s, or 0 for none")
	}

	return (d + time.Second - 1).Truncate(time.Second), nil
}

// longest is the limit of durations: a thousand years would not fit a time.Duration.
const longest = 100 * 365 * 24 * time.Hour

// parseDuration reads a duration as k6 does: a number of milliseconds, or one with units, of which the first may be days.
func parseDuration(text string) (time.Duration, bool) {
	if ms, err := strconv.ParseFloat(text, 64); err == nil {
		ns := ms * float64(time.Millisecond)

		return time.Duration(ns), ns > -float64(longest) && ns < float64(longest)
	}
	days, rest, found := strings.Cut(text, "d")
	if !found {
		d, err := time.ParseDuration(text)

		return d, err == nil && d < longest
	}
	var d time.Duration
	var err error
	if rest != "" {
		d, err = time.ParseDuration(rest)
	}
	n, wrong := strconv.ParseUint(days, 10, 64)
	if err != nil || wrong != nil || d < 0 || d > longest || n > uint64(longest/(24*time.Hour)) {
		return 0, false
	}

	return time.Duration(n)*24*time.Hour + d, true
}
