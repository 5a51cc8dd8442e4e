package machbase

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.k6.io/k6/v2/lib/types"
)

const (
	scheme                = "machbase"
	defaultPort           = 5656
	defaultUser           = "sys"
	defaultTimeout        = 60 * time.Second // that of k6/http
	defaultConnectTimeout = 5 * time.Second
	defaultFetchRows      = 1000
)

// Modes of the statement cache.
const (
	CacheOff  = "off"  // every query is prepared and freed again: three round trips
	CacheAuto = "auto" // queries are prepared once per connection and kept: one round trip
)

// Config is how to reach a server.
type Config struct {
	Host     string
	Port     int
	User     string
	Password string

	Timeout        time.Duration // of an operation
	ConnectTimeout time.Duration
	StatementCache string
	FetchRows      int64 // rows in one packet of an answer
}

// options are a Config as scripts write it.
type options struct {
	URL            string             `json:"url"`
	Host           string             `json:"host"`
	Port           int                `json:"port"`
	User           string             `json:"user"`
	Password       string             `json:"password"`
	Timeout        types.NullDuration `json:"timeout"`
	ConnectTimeout types.NullDuration `json:"connectTimeout"`
	StatementCache string             `json:"statementCache"`
	FetchRows      int64              `json:"fetchRows"`
}

// Address is host:port.
func (c *Config) Address() string { return net.JoinHostPort(c.Host, strconv.Itoa(c.Port)) }

// config works out the options: what stands in them overrides what stands in the URL, and that the defaults.
func (o *options) config() (*Config, error) {
	c := &Config{
		Host: "127.0.0.1", Port: defaultPort, User: defaultUser,
		Timeout: defaultTimeout, ConnectTimeout: defaultConnectTimeout,
		StatementCache: CacheOff, FetchRows: defaultFetchRows,
	}
	if o.URL != "" {
		if err := c.parse(o.URL); err != nil {
			return nil, err
		}
	}

	override(&c.Host, o.Host)
	override(&c.Port, o.Port)
	override(&c.User, o.User)
	override(&c.Password, o.Password)
	override(&c.StatementCache, o.StatementCache)
	override(&c.FetchRows, o.FetchRows)
	if o.Timeout.Valid {
		c.Timeout = o.Timeout.TimeDuration()
	}
	if o.ConnectTimeout.Valid {
		c.ConnectTimeout = o.ConnectTimeout.TimeDuration()
	}

	return c, c.validate()
}

func override[T comparable](into *T, value T) {
	var none T
	if value != none {
		*into = value
	}
}

var errURL = errors.New("the url must look like machbase://user:password@host:port?timeout=5s")

// parse reads machbase://user:password@host:port?option=value. Its errors never show the URL: it holds a password.
func (c *Config) parse(raw string) error {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != scheme || u.Hostname() == "" || strings.Trim(u.Path, "/") != "" || u.Opaque != "" ||
		u.Fragment != "" || strings.Contains(u.RawQuery, "@") { // what stands there is a piece of a password with a # or ?
		return errURL
	}

	c.Host = u.Hostname()
	if u.Port() != "" {
		if c.Port, err = strconv.Atoi(u.Port()); err != nil {
			return errURL
		}
	}
	if u.User != nil {
		c.User = u.User.Username()
		c.Password, _ = u.User.Password()
	}

	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return errURL
	}
	for name, values := range query {
		if err := c.set(name, values[len(values)-1]); err != nil {
			return err
		}
	}

	return nil
}

// urlOptions are the options that a URL may hold behind its question mark.
var urlOptions = []string{"connectTimeout", "fetchRows", "statementCache", "timeout"} //nolint:gochecknoglobals // constant

func (c *Config) set(name, value string) (err error) {
	switch name {
	case "timeout":
		c.Timeout, err = types.ParseExtendedDuration(value)
	case "connectTimeout":
		c.ConnectTimeout, err = types.ParseExtendedDuration(value)
	case "statementCache":
		c.StatementCache = value
	case "fetchRows":
		c.FetchRows, err = strconv.ParseInt(value, 10, 64)
	default:
		return fmt.Errorf("unknown option %q in the url; known are %s", name, strings.Join(urlOptions, ", "))
	}
	if err != nil {
		return fmt.Errorf("option %s in the url cannot be %q: %w", name, value, err)
	}

	return nil
}

func (c *Config) validate() error {
	switch {
	case c.Port < 1 || c.Port > 65535:
		return fmt.Errorf("port must be from 1 to 65535, not %d", c.Port)
	case c.Timeout <= 0:
		return fmt.Errorf("timeout must be more than 0, not %s", c.Timeout)
	case c.ConnectTimeout <= 0:
		return fmt.Errorf("connectTimeout must be more than 0, not %s", c.ConnectTimeout)
	case c.FetchRows < 1:
		return fmt.Errorf("fetchRows must be at least 1, not %d", c.FetchRows)
	case !slices.Contains([]string{CacheOff, CacheAuto}, c.StatementCache):
		return fmt.Errorf("statementCache must be %q or %q, not %q", CacheOff, CacheAuto, c.StatementCache)
	case strings.ContainsAny(c.Host+c.User+c.Password, ";"):
		return errors.New("host, user and password must not contain a ';': the driver cannot send it")
	default:
		return nil
	}
}
