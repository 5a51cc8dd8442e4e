package memcached

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"go.k6.io/k6/v2/lib/types"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/input"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/memcached/wire"
)

const (
	scheme          = "memcached"
	defaultURL      = "127.0.0.1:11211"
	defaultPort     = "11211"
	defaultPoolSize = 16
)

const (
	protocolText  = "text"
	protocolMeta  = "meta"
	hashingKetama = "ketama"
	hashingJump   = "jump"
	valuesString  = "string"
	valuesBinary  = "binary"
)

// Config describes the servers, and how to use them.
type Config struct {
	Servers []string // host:port, or paths of unix sockets
	settings
	TLS *k6x.TLS // nil: plain text

	Hashing string
	Shared  bool // clients share connections

	Prefix string // prefix of every key
	Binary bool   // values are returned as ArrayBuffers
}

// settings must be equal for clients to share connections.
type settings struct {
	Protocol wire.Protocol
	User     string
	Password string

	Timeout        time.Duration // limit for one operation
	ConnectTimeout time.Duration
	MaxValue       int // maximum size of a value in bytes
	PoolSize       int // connections per server, if shared
}

type options struct {
	k6x.Target

	Protocol string          `json:"protocol"`
	User     string          `json:"user"`
	Password string          `json:"password"`
	TLS      *k6x.TLSOptions `json:"tls"`
	k6x.Timeouts

	MaxValue   int    `json:"maxValue"`
	Hashing    string `json:"hashing"`
	Connection string `json:"connection"`
	PoolSize   int    `json:"poolSize"`
	Prefix     string `json:"prefix"`
	Values     string `json:"values"`
}

// The options of config take precedence over the URLs, and the URLs over the defaults.
func (o *options) config(urls []string) (*Config, error) {
	c := &Config{
		settings: settings{
			Timeout: k6x.DefaultTimeout, ConnectTimeout: k6x.DefaultConnectTimeout, MaxValue: wire.DefaultMaxValue, PoolSize: defaultPoolSize,
		},
		Hashing: hashingKetama, Shared: o.Connection == k6x.ConnectionShared, Prefix: o.Prefix,
	}
	if len(urls) == 0 {
		urls = []string{defaultURL}
	}
	defaults := *c
	for i, address := range urls {
		one := defaults
		if strings.Contains(address, "://") && !strings.HasPrefix(address, "unix://") {
			var err error
			if address, err = one.parse(address); err != nil {
				return nil, err
			}
		}
		if i == 0 {
			c.settings = one.settings
		} else if one.settings != c.settings {
			return nil, errURLs
		}
		server, err := serverAddress(address)
		if err != nil {
			return nil, err
		}
		c.Servers = append(c.Servers, server)
	}

	k6x.Override(&c.User, o.User)
	k6x.Override(&c.Password, o.Password)
	k6x.Override(&c.Hashing, o.Hashing)
	k6x.Override(&c.PoolSize, o.PoolSize)
	k6x.Override(&c.MaxValue, o.MaxValue)

	return c, c.validate(o)
}

// target names the servers and the key prefix. Clients with equal targets work on the same data.
func (c *Config) target() string {
	return fmt.Sprintf("%q %q %s", c.Servers, c.Prefix, c.Hashing)
}

func serverAddress(text string) (string, error) {
	text = strings.TrimPrefix(strings.TrimSpace(text), "unix://")
	if strings.HasPrefix(text, "/") || strings.HasPrefix(text, "./") {
		return text, nil
	}
	if strings.Contains(text, "@") { // a password was split at a comma, or the scheme is missing
		return "", errURL
	}
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		host, port = strings.Trim(text, "[]"), defaultPort
	}
	if host == "" || strings.ContainsAny(host, " /?#") {
		return "", errors.New("a server must be host:port, host, or a unix socket: /path or unix:///path")
	}

	return k6x.HostPort(host, port)
}

var errURLs = errors.New("all urls must have the same user, password and options, which apply to all servers")

var errURL = errors.New("the url must look like memcached://user:password@host:port?timeout=5s, " +
	"where @ : / ? # % , in the user or the password are written %40 %3A %2F %3F %23 %25 %2C")

var errTLS = errors.New("TLS is an option, not a scheme of the url: new Client('memcached://host:port', { tls: true })")

// parse reads memcached://user:password@host:port?option=value. Its errors never show the URL,
// which may hold a password.
func (c *Config) parse(raw string) (address string, err error) {
	u, err := url.Parse(raw)
	if err == nil && (u.Scheme == scheme+"s" || strings.Contains(u.Scheme, "tls")) {
		return "", errTLS
	}
	if err != nil || u.Scheme != scheme || u.Hostname() == "" || strings.Trim(u.Path, "/") != "" || u.Opaque != "" ||
		u.Fragment != "" || strings.Contains(u.RawQuery, "@") { // end of a password with a # or ?
		return "", errURL
	}
	if u.User != nil {
		c.User = u.User.Username()
		c.Password, _ = u.User.Password()
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return "", errURL
	}
	for name, values := range query {
		if err := c.set(name, values[len(values)-1]); err != nil {
			return "", err
		}
	}

	return u.Host, nil
}

func (c *Config) set(name, value string) (err error) {
	var into *time.Duration
	switch name {
	case "timeout":
		into = &c.Timeout
	case "connectTimeout":
		into = &c.ConnectTimeout
	default:
		return fmt.Errorf("unknown option %q in the url; known are connectTimeout, timeout", name)
	}
	if err := input.TextUnit("option "+name+" in the url:", value); err != nil {
		return err
	}
	if *into, err = types.ParseExtendedDuration(value); err != nil {
		return fmt.Errorf("option %s in the url cannot be %q: %w", name, value, err)
	}

	return nil
}

func (c *Config) validate(o *options) error {
	if err := cmp.Or(
		k6x.OneOf("protocol", o.Protocol, protocolText, protocolMeta),
		k6x.OneOf("values", o.Values, valuesString, valuesBinary),
		k6x.OneOf("hashing", c.Hashing, hashingKetama, hashingJump),
		k6x.OneOf("connection", o.Connection, k6x.ConnectionVU, k6x.ConnectionShared),
		o.Override(&c.Timeout, &c.ConnectTimeout),
	); err != nil {
		return err
	}
	if o.Protocol == protocolMeta {
		c.Protocol = wire.Meta
	}
	c.Binary = o.Values == valuesBinary

	switch {
	case c.MaxValue < 1:
		return fmt.Errorf("maxValue must be at least 1, not %d", c.MaxValue)
	case c.PoolSize < 1:
		return fmt.Errorf("poolSize must be at least 1, not %d", c.PoolSize)
	case c.User == "" && c.Password != "":
		return errors.New("there is a password, but no user")
	case strings.ContainsAny(c.User, " \r\n") || strings.ContainsAny(c.Password, "\r\n"):
		return errors.New("user must not contain a space, user and password must not contain a line end")
	}
	if !o.TLS.Given() {
		return nil
	}
	var err error
	c.TLS, err = o.TLS.Read()

	return err
}
