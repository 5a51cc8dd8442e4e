package resp

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

const (
	defaultURL  = "redis://127.0.0.1:6379"
	defaultPort = "6379"
)

// Config describes the servers and how to connect to them.
type Config struct {
	Servers        []server
	Timeout        time.Duration // limit for one operation
	ConnectTimeout time.Duration
	// TLS is the option tls. It applies to servers that use TLS.
	TLS *k6x.TLS
	// Cluster means that the servers belong to one Redis Cluster.
	Cluster bool
	RESP3   bool
}

type server struct {
	Address  string // host:port, or the path of a unix socket
	Network  string // tcp or unix
	User     string
	Password string
	DB       int
	TLS      bool
}

type options struct {
	k6x.Target
	k6x.Timeouts

	TLS      *k6x.TLSOptions `json:"tls"`
	Cluster  bool            `json:"cluster"`
	Protocol *int            `json:"protocol"`
}

var errURL = errors.New("a server must be host:port, a unix socket (/path or unix:///path?db=0), or redis://user:password@host:port/0 " +
	"(rediss:// for TLS), with @ : / ? # % , in a password written %40 %3A %2F %3F %23 %25 %2C")

var socketQuery = regexp.MustCompile(`^db=[0-9]+$`)

func (o *options) config(urls []string) (*Config, error) {
	c := &Config{Timeout: k6x.DefaultTimeout, ConnectTimeout: k6x.DefaultConnectTimeout, Cluster: o.Cluster}
	if o.Protocol != nil {
		if *o.Protocol != 2 && *o.Protocol != 3 {
			return nil, fmt.Errorf("protocol must be 2 or 3, the version of RESP, not %d", *o.Protocol)
		}
		c.RESP3 = *o.Protocol == 3
	}
	if len(urls) == 0 {
		urls = []string{defaultURL}
	}
	for _, text := range urls {
		s, err := parse(text)
		if err != nil {
			return nil, err
		}
		s.TLS = s.TLS || o.TLS.Given()
		c.Servers = append(c.Servers, s)
	}
	if err := c.checkCluster(); err != nil {
		return nil, err
	}
	c.TLS = &k6x.TLS{}
	if o.TLS.Given() {
		var err error
		if c.TLS, err = o.TLS.Read(); err != nil {
			return nil, err
		}
	}

	return c, o.Override(&c.Timeout, &c.ConnectTimeout)
}

func (c *Config) checkCluster() error {
	if !c.Cluster {
		return nil
	}
	first := c.Servers[0]
	for i := range c.Servers {
		s := &c.Servers[i]
		switch {
		case s.Network != "tcp":
			return errors.New("cluster: the servers of a cluster are host:port, not unix sockets")
		case s.DB != 0:
			return fmt.Errorf("cluster: a cluster has database 0 and no other, not %d", s.DB)
		case s.Password != "" && (s.Password != first.Password || s.User != first.User), s.TLS && !first.TLS:
			return errors.New("cluster: the servers of a cluster have one user, one password, and TLS or not: those of the first url")
		}
		s.User, s.Password, s.TLS = first.User, first.Password, first.TLS
	}

	return nil
}

// The errors of parse never show the URL, which may hold a password.
func parse(text string) (server, error) {
	if strings.HasPrefix(text, "/") || strings.HasPrefix(text, "./") {
		return server{Address: text, Network: "unix"}, nil
	}
	if !strings.Contains(text, "://") {
		host, port, err := net.SplitHostPort(text)
		if err != nil {
			host, port = strings.Trim(text, "[]"), defaultPort
		}
		if host == "" || strings.ContainsAny(host, " /@?#[]") {
			return server{}, errURL
		}
		text = "redis://" + net.JoinHostPort(host, port)
	}
	u, err := url.Parse(text)
	if err != nil {
		return server{}, errURL
	}

	return serverOf(u)
}

func serverOf(u *url.URL) (s server, err error) {
	query := u.RawQuery != "" || u.ForceQuery
	if u.Fragment != "" || query && (u.Scheme != "unix" || !socketQuery.MatchString(u.RawQuery)) {
		return server{}, errURL
	}
	s = server{Network: "tcp", TLS: u.Scheme == "rediss", User: u.User.Username()}
	s.Password, _ = u.User.Password()
	db := strings.Trim(u.Path, "/")
	switch u.Scheme {
	case "unix":
		s.Network, s.Address = "unix", u.Path
		db = strings.TrimPrefix(u.RawQuery, "db=")
	case "redis", "rediss":
		if s.Address, err = k6x.HostPort(cmp.Or(u.Hostname(), "localhost"), cmp.Or(u.Port(), defaultPort)); err != nil {
			return server{}, err
		}
	}
	if db != "" {
		s.DB, err = strconv.Atoi(db)
	}
	if err != nil || s.DB < 0 || s.Address == "" {
		return server{}, errURL
	}

	return s, nil
}

// Clients with equal targets work on the same data.
func (c *Config) target() string {
	var b strings.Builder
	for _, s := range c.Servers {
		fmt.Fprintf(&b, "%s %d,", s.Address, s.DB)
	}

	return b.String()
}
