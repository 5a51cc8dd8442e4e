package sqlmachbase

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/input"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

const (
	defaultTimeout        = 60 * time.Second
	defaultConnectTimeout = 5 * time.Second
)

func parse(raw string) (*connector, error) {
	u, err := cmi.ParseURL(raw)
	if err != nil {
		return nil, err
	}
	c := &connector{timeout: defaultTimeout, connectTimeout: defaultConnectTimeout}
	c.config.Addresses = []string{u.Address()}
	c.config.User, c.config.Password = u.User, u.Password
	for _, option := range u.Options {
		if err := c.set(option.Name, option.Value); err != nil {
			return nil, err
		}
	}

	return c, nil
}

func (c *connector) set(name, value string) (err error) {
	switch name {
	case "timeout":
		c.timeout, err = parseTimeout(name, value)
	case "connectTimeout":
		c.connectTimeout, err = parseTimeout(name, value)
	case "queryTimeout":
		c.config.QueryTimeout, err = parseQueryTimeout(name, value)
	case "statementCache":
		c.config.StatementCache = cmi.CacheMode(value)
		if !slices.Contains([]cmi.CacheMode{cmi.CacheOff, cmi.CacheAuto, cmi.CacheOn}, c.config.StatementCache) {
			err = fmt.Errorf("it must be %q, %q or %q", cmi.CacheOff, cmi.CacheAuto, cmi.CacheOn)
		}
	case "fetchRows":
		c.config.FetchRows, err = strconv.ParseInt(value, 10, 64)
		if err != nil || c.config.FetchRows < 1 {
			err = errors.New("it must be an integer of at least 1")
		}
	case "alternatives":
		err = c.addAlternatives(strings.Split(value, ","))
	case "driver":
		if value != "native" {
			err = errors.New(`database/sql has only "native"`)
		}
	default:
		return fmt.Errorf("unknown option %q in the url; "+
			"known are alternatives, connectTimeout, driver, fetchRows, queryTimeout, statementCache, timeout", name)
	}
	if err != nil {
		return fmt.Errorf("option %s in the url cannot be %q: %w", name, value, err)
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

func parseTimeout(name, text string) (time.Duration, error) {
	if err := unit(name, text); err != nil {
		return 0, err
	}
	d, ok := parseDuration(text)
	if !ok || d <= 0 {
		return 0, errors.New("it must be more than 0, such as 500ms or 5s")
	}

	return d, nil
}

// parseQueryTimeout rounds up to seconds, the server's unit.
func parseQueryTimeout(name, text string) (time.Duration, error) {
	if err := unit(name, text); err != nil {
		return 0, err
	}
	d, ok := parseDuration(text)
	if !ok || d < 0 {
		return 0, errors.New("it must be more than 0, such as 5s, or 0 for none")
	}

	return (d + time.Second - 1).Truncate(time.Second), nil
}

// unit rejects a number without a unit that may be meant as seconds.
func unit(name, text string) error {
	number, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil //nolint:nilerr // it has a unit, or is invalid
	}

	return input.NumberUnit(name, number)
}

// longest limits durations to what fits in a time.Duration.
const longest = 100 * 365 * 24 * time.Hour

// parseDuration parses a duration as k6 does: a number of milliseconds, or numbers with units, days
// first.
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
