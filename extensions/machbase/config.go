package machbase

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.k6.io/k6/v2/lib/types"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/input"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

// Modes of the statement cache.
const (
	CacheOff  = string(cmi.CacheOff)  // prepare, execute and free a statement with parameters each time
	CacheAuto = string(cmi.CacheAuto) // keep statements prepared from their second use: one round trip
	CacheOn   = string(cmi.CacheOn)   // keep statements prepared from their first use
)

// Config describes a server and how to connect to it.
type Config struct {
	Host     string
	Port     int
	User     string
	Password string

	Driver string
	// Alternatives are the host:port of servers with the same data, tried if the first does not
	// answer.
	Alternatives []string

	Timeout time.Duration
	// QueryTimeout is the server's limit for a query; 0: none.
	QueryTimeout   time.Duration
	ConnectTimeout time.Duration
	StatementCache string
	// FetchRows is the number of rows in a packet of an answer.
	FetchRows int64
}

type options struct {
	k6x.Target

	User     string `json:"user"`
	Password string `json:"password"`
	Driver   string `json:"driver"`
	k6x.Timeouts

	QueryTimeout   types.NullDuration `json:"queryTimeout"`
	StatementCache string             `json:"statementCache"`
	FetchRows      int64              `json:"fetchRows"`
}

// Address returns host:port.
func (c *Config) Address() string { return net.JoinHostPort(c.Host, strconv.Itoa(c.Port)) }

func (o *options) config(urls []string) (*Config, error) {
	c := &Config{
		Host: cmi.DefaultHost, Port: cmi.DefaultPort, User: cmi.DefaultUser,
		Timeout: k6x.DefaultTimeout, ConnectTimeout: k6x.DefaultConnectTimeout,
		Driver: DefaultDriver, StatementCache: CacheOff, FetchRows: cmi.DefaultFetchRows,
	}
	if len(urls) > 0 {
		if err := c.parse(urls); err != nil {
			return nil, err
		}
	}

	k6x.Override(&c.User, o.User)
	k6x.Override(&c.Password, o.Password)
	k6x.Override(&c.Driver, o.Driver)
	k6x.Override(&c.StatementCache, o.StatementCache)
	k6x.Override(&c.FetchRows, o.FetchRows)
	if o.QueryTimeout.Valid {
		c.QueryTimeout = o.QueryTimeout.TimeDuration()
	}
	if err := o.Override(&c.Timeout, &c.ConnectTimeout); err != nil {
		return nil, err
	}

	return c, c.validate()
}

func (c *Config) parse(urls []string) error {
	u, err := cmi.ParseURLs(urls)
	if err != nil {
		return err
	}
	c.Host, c.Port, c.User, c.Password, c.Alternatives = u.Host, u.Port, u.User, u.Password, u.Alternatives
	for _, option := range u.Options {
		if err := c.set(option.Name, option.Value); err != nil {
			return err
		}
	}

	return nil
}

var errTLS = errors.New("unknown option \"tls\" in the url: Machbase's native protocol has no TLS")

var urlOptions = []string{ //nolint:gochecknoglobals // a constant
	"alternatives", "connectTimeout", "driver", "fetchRows", "queryTimeout", "statementCache", "timeout",
}

func (c *Config) set(name, value string) (err error) {
	switch name {
	case "timeout":
		c.Timeout, err = parseDuration(name, value)
	case "queryTimeout":
		c.QueryTimeout, err = parseDuration(name, value)
	case "driver":
		c.Driver = value
	case "alternatives":
		c.Alternatives = append(c.Alternatives, strings.Split(value, ",")...)
	case "connectTimeout":
		c.ConnectTimeout, err = parseDuration(name, value)
	case "statementCache":
		c.StatementCache = value
	case "fetchRows":
		if c.FetchRows, err = strconv.ParseInt(value, 10, 64); err != nil {
			err = errors.New("it must be an integer")
		}
	case "tls":
		return errTLS
	default:
		return fmt.Errorf("unknown option %q in the url; known are %s", name, strings.Join(urlOptions, ", "))
	}
	if err != nil {
		return fmt.Errorf("option %s in the url cannot be %q: %w", name, value, err)
	}

	return nil
}

// A bare number is milliseconds.
func parseDuration(name, value string) (time.Duration, error) {
	if number, err := strconv.ParseFloat(value, 64); err == nil {
		if err := input.NumberUnit(name, number); err != nil {
			return 0, err
		}
	}

	d, err := types.ParseExtendedDuration(value)
	if err != nil {
		return 0, errors.New("it must be a time such as 5s or 300ms")
	}

	return d, nil
}

func (c *Config) validate() error {
	switch {
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
