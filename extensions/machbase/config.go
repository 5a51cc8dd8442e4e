package machbase

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

	"go.k6.io/k6/v2/lib/types"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

const (
	scheme                = "machbase"
	defaultPort           = 5656
	defaultUser           = "sys"
	defaultTimeout        = 60 * time.Second // that of k6/http
	defaultConnectTimeout = 5 * time.Second
)

// Modes of the statement cache.
const (
	CacheOff  = string(cmi.CacheOff)  // a statement with parameters is prepared, executed and freed
	CacheAuto = string(cmi.CacheAuto) // statements that come again stay prepared on the connection: one round trip
	CacheOn   = string(cmi.CacheOn)   // statements stay prepared from their first use on
)

// Config is how to reach a server.
type Config struct {
	Host     string
	Port     int
	User     string
	Password string

	Driver       string
	Alternatives []string // host:port of servers with the same data, tried when the first does not answer

	Timeout        time.Duration // of an operation
	QueryTimeout   time.Duration // that the server gives a query; 0 for none
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
	Driver         string             `json:"driver"`
	Alternatives   []string           `json:"alternatives"`
	Timeout        types.NullDuration `json:"timeout"`
	QueryTimeout   types.NullDuration `json:"queryTimeout"`
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
		Driver: DefaultDriver, StatementCache: CacheOff, FetchRows: cmi.DefaultFetchRows,
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
	override(&c.Driver, o.Driver)
	override(&c.StatementCache, o.StatementCache)
	if len(o.Alternatives) > 0 {
		c.Alternatives = o.Alternatives
	}
	override(&c.FetchRows, o.FetchRows)
	if o.Timeout.Valid {
		c.Timeout = o.Timeout.TimeDuration()
	}
	if o.QueryTimeout.Valid {
		c.QueryTimeout = o.QueryTimeout.TimeDuration()
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

// errPort does not show the number: in machbase://user:password, without a host, it is the password.
var errPort = errors.New("port must be from 1 to 65535 in a url such as machbase://user:password@host:port")

// parse reads machbase://user:password@host:port?option=value. Its errors never show the URL: it holds a password.
func (c *Config) parse(raw string) error {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != scheme || u.Hostname() == "" || strings.Trim(u.Path, "/") != "" || u.Opaque != "" ||
		u.Fragment != "" || strings.Contains(u.RawQuery, "@") { // what stands there is a piece of a password with a # or ?
		return errURL
	}

	c.Host = u.Hostname()
	if u.Port() != "" {
		if c.Port, err = strconv.Atoi(u.Port()); err != nil || c.Port < 1 || c.Port > 65535 {
			return errPort
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
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if err := c.set(name, query[name][len(query[name])-1]); err != nil {
			return err
		}
	}

	return nil
}

// urlOptions are the options that a URL may hold behind its question mark.
var urlOptions = []string{ //nolint:gochecknoglobals // a constant
	"alternatives", "connectTimeout", "driver", "fetchRows", "queryTimeout", "statementCache", "timeout",
}

func (c *Config) set(name, value string) (err error) {
	switch name {
	case "timeout":
		c.Timeout, err = types.ParseExtendedDuration(value)
	case "queryTimeout":
		c.QueryTimeout, err = types.ParseExtendedDuration(value)
	case "driver":
		c.Driver = value
	case "alternatives":
		c.Alternatives = strings.Split(value, ",")
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
	case c.QueryTimeout < 0:
		return fmt.Errorf("queryTimeout must be more than 0, or 0 for none, not %s", c.QueryTimeout)
	case c.FetchRows < 1:
		return fmt.Errorf("fetchRows must be at least 1, not %d", c.FetchRows)
	case !slices.Contains([]string{CacheOff, CacheAuto, CacheOn}, c.StatementCache):
		return fmt.Errorf("statementCache must be %q, %q or %q, not %q", CacheOff, CacheAuto, CacheOn, c.StatementCache)
	}
	for _, alternative := range c.Alternatives {
		if _, port, err := net.SplitHostPort(alternative); err != nil || port == "" {
			return fmt.Errorf("alternatives must be host:port, not %q", alternative)
		}
	}

	return nil
}
