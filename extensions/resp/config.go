package resp

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
)

const (
	defaultURL     = "redis://127.0.0.1:6379"
	defaultPort    = "6379"
	defaultTimeout = 5 * time.Second
)

// Config is how to reach the servers.
type Config struct {
	Servers        []server
	Timeout        time.Duration // of an operation
	ConnectTimeout time.Duration
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
type options struct{ k6mod.Timeouts }

var errURL = errors.New("a server must be host:port, or a url such as redis://user:password@host:port/0, rediss:// for TLS")

// config works out the options, and the URLs, which are separated by commas.
func (o *options) config(urls string) (*Config, error) {
	c := &Config{Timeout: defaultTimeout, ConnectTimeout: defaultTimeout}
	if urls == "" {
		urls = defaultURL
	}
	for _, url := range strings.Split(urls, ",") {
		s, err := parse(strings.TrimSpace(url))
		if err != nil {
			return nil, err
		}
		c.Servers = append(c.Servers, s)
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
