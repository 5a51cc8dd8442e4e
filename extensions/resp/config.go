package resp

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
)

const (
	defaultURL  = "redis://127.0.0.1:6379"
	defaultPort = "6379"
)

// Config is how to reach the servers.
type Config struct {
	Servers        []server
	Timeout        time.Duration // of an operation
	ConnectTimeout time.Duration
	// TLS is what the option tls says, for servers that have TLS.
	TLS *k6glue.TLS
}

// server is one of the servers.
type server struct {
	Address  string // host:port, or the path of a unix socket
	Network  string // tcp or unix
	User     string
	Password string
	DB       int
	TLS      bool
}

// options are what a script says beside the URLs.
type options struct {
	k6mod.Target
	k6mod.Timeouts

	TLS *k6glue.TLSOptions `json:"tls"`
}

var errURL = errors.New("a server must be host:port, or a url such as redis://user:password@host:port/0, rediss:// for TLS")

// config works out the options, and the URLs.
func (o *options) config(urls []string) (*Config, error) {
	c := &Config{Timeout: k6mod.DefaultTimeout, ConnectTimeout: k6mod.DefaultConnectTimeout}
	if len(urls) == 0 {
		urls = []string{defaultURL}
	}
	for _, url := range urls {
		s, err := parse(url)
		if err != nil {
			return nil, err
		}
		s.TLS = s.TLS || o.TLS.Given()
		c.Servers = append(c.Servers, s)
	}
	c.TLS = &k6glue.TLS{}
	if o.TLS.Given() {
		var err error
		if c.TLS, err = o.TLS.Read(); err != nil {
			return nil, err
		}
	}

	return c, o.Override(&c.Timeout, &c.ConnectTimeout)
}

// parse reads a URL or host:port. Its errors never show the URL: it may hold a password.
func parse(url string) (server, error) {
	if !strings.Contains(url, "://") {
		host, port, err := net.SplitHostPort(url)
		if err != nil {
			host, port = strings.Trim(url, "[]"), defaultPort
		}
		if host == "" || strings.ContainsAny(host, " /@?#[]") {
			return server{}, errURL
		}
		url = "redis://" + net.JoinHostPort(host, port)
	}
	parsed, err := redis.ParseURL(url)
	if err != nil || strings.ContainsAny(url, "?#") {
		return server{}, errURL
	}

	return server{
		Address: parsed.Addr, Network: parsed.Network, User: parsed.Username, Password: parsed.Password,
		DB: parsed.DB, TLS: parsed.TLSConfig != nil,
	}, nil
}

// target names the servers: what clients must have in common to work on the same data.
func (c *Config) target() string {
	var b strings.Builder
	for _, s := range c.Servers {
		fmt.Fprintf(&b, "%s %d,", s.Address, s.DB)
	}

	return b.String()
}
