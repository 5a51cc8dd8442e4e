package nats

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"go.k6.io/k6/v2/lib/types"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

const (
	defaultURL           = "nats://127.0.0.1:4222"
	defaultPending       = 65536 // as in nats.go
	defaultReconnects    = 60    // as in nats.go
	defaultReconnectWait = 2 * time.Second
	defaultPingInterval  = 2 * time.Minute
)

type options struct {
	k6x.Target
	k6x.Timeouts

	Name            string             `json:"name"`
	User            string             `json:"user"`
	Password        string             `json:"password"`
	Token           string             `json:"token"`
	Credentials     string             `json:"credentials"`     // text of a credentials file
	CredentialsFile string             `json:"credentialsFile"` // path of a credentials file
	NKey            string             `json:"nkey"`            // seed of an NKey
	JWT             string             `json:"jwt"`             // needs the seed in nkey
	TLS             *tlsOptions        `json:"tls"`
	PingInterval    types.NullDuration `json:"pingInterval"`
	MaxReconnects   *int               `json:"maxReconnects"`
	ReconnectWait   types.NullDuration `json:"reconnectWait"`
	ReconnectJitter types.NullDuration `json:"reconnectJitter"`
	ReconnectBuffer int                `json:"reconnectBuffer"`
	InboxPrefix     string             `json:"inboxPrefix"`
	NoEcho          bool               `json:"noEcho"`
	NoRandomize     bool               `json:"noRandomize"`
	Connection      string             `json:"connection"`
	Stamp           bool               `json:"stamp"`
	TagSubjects     bool               `json:"tagSubjects"`

	// open reads a file as a script's open() does: relative to the script, and into its archive.
	open func(path string) ([]byte, error)
}

// Config describes the servers, and how to use them, with all defaults set.
type Config struct {
	options

	// Servers are complete URLs.
	Servers []string
	// Unsafe disables the verification of certificates if the server wants TLS: an option of Nats.
	Unsafe bool

	TimeoutEach    time.Duration
	ConnectWithin  time.Duration
	PingEvery      time.Duration
	Reconnects     int
	WaitBetween    time.Duration
	JitterUpTo     time.Duration
	Authentication authentication
	secrets        *k6x.TLS
}

var noTLS k6x.TLS //nolint:gochecknoglobals // a constant

type tlsOptions struct {
	k6x.TLSOptions

	First bool `json:"first"`
}

func (o *tlsOptions) UnmarshalJSON(raw []byte) error {
	own := struct {
		First *bool `json:"first"`
	}{&o.First}

	return o.UnmarshalWith(raw, &own)
}

func (o *options) config(urls []string) (*Config, error) {
	c := &Config{
		options: *o, Servers: slices.Clone(urls), Reconnects: defaultReconnects,
		TimeoutEach: k6x.DefaultTimeout, ConnectWithin: k6x.DefaultConnectTimeout, secrets: &noTLS,
	}
	if o.TLS != nil && !o.TLS.Given() {
		c.TLS = nil
	}
	if len(c.Servers) == 0 {
		c.Servers = []string{defaultURL}
	}
	for i, server := range c.Servers {
		var err error
		if c.Servers[i], err = serverURL(server); err != nil {
			return nil, err
		}
	}
	if err := o.Override(&c.TimeoutEach, &c.ConnectWithin); err != nil {
		return nil, err
	}
	if err := k6x.OneOf("connection", o.Connection, k6x.ConnectionVU, k6x.ConnectionShared); err != nil {
		return nil, err
	}
	c.PingEvery = orDefault(o.PingInterval, defaultPingInterval)
	c.WaitBetween = orDefault(o.ReconnectWait, defaultReconnectWait)
	c.JitterUpTo = orDefault(o.ReconnectJitter, 0)
	if o.MaxReconnects != nil {
		c.Reconnects = *o.MaxReconnects
	}
	c.Connection = cmp.Or(c.Connection, k6x.ConnectionVU)
	var err error
	if c.TLS != nil {
		if c.secrets, err = o.TLS.Read(); err != nil {
			return nil, err
		}
	}
	if c.Authentication, err = o.authentication(); err != nil {
		return nil, err
	}

	return c, c.validate()
}

func orDefault(d types.NullDuration, fallback time.Duration) time.Duration {
	if d.Valid {
		return d.TimeDuration()
	}

	return fallback
}

func (c *Config) validate() error {
	switch {
	case c.PingEvery <= 0:
		return fmt.Errorf("pingInterval must be more than 0, not %s", c.PingEvery)
	case c.WaitBetween < 0 || c.JitterUpTo < 0:
		return errors.New("reconnectWait and reconnectJitter must not be below 0")
	case c.ReconnectBuffer < 0:
		return fmt.Errorf("reconnectBuffer must be a number of bytes, or 0 for none, not %d", c.ReconnectBuffer)
	case strings.ContainsAny(c.InboxPrefix, "*> \t\r\n") || strings.HasSuffix(c.InboxPrefix, "."):
		return fmt.Errorf("inboxPrefix must be a subject without wildcards and without a dot at its end, not %q", c.InboxPrefix)
	}

	return nil
}

func (c *Config) key() string {
	o, given := c.options, tlsOptions{}
	if c.TLS != nil {
		given = *o.TLS
	}
	o.TLS, o.MaxReconnects, o.URL, o.open = nil, nil, nil, nil

	return fmt.Sprintf("%#v %#v %t %q %t %d", o, given, c.TLS != nil, c.Servers, c.Unsafe, c.Reconnects)
}

var schemes = []string{"nats", "tls", "ws", "wss"} //nolint:gochecknoglobals // a constant

var errURL = errors.New("a server must look like nats://user:password@host:4222, tls://host, ws://host/path, wss://host/path " +
	"or host:4222, " +
	"where @ : / ? # % , in the user or the password are written %40 %3A %2F %3F %23 %25 %2C")

// The errors of serverURL never show the URL, which may hold a password.
func serverURL(text string) (string, error) {
	text = strings.TrimSpace(text)
	if ip, err := netip.ParseAddr(text); err == nil && ip.Is6() {
		text = "[" + text + "]"
	}
	if !strings.Contains(text, "://") {
		text = "nats://" + text
	}
	u, err := url.Parse(text)
	if err != nil || !slices.Contains(schemes, u.Scheme) || u.Hostname() == "" || u.RawQuery != "" ||
		u.Fragment != "" {
		return "", errURL
	}
	u.Path = strings.TrimRight(u.Path, "/")
	if u.Path != "" && u.Scheme != "ws" && u.Scheme != "wss" {
		return "", errURL
	}
	port := cmp.Or(u.Port(), map[string]string{"ws": "80", "wss": "443"}[u.Scheme], "4222")
	if u.Host, err = k6x.HostPort(u.Hostname(), port); err != nil {
		return "", err
	}

	return u.String(), nil
}

func (c *Config) hosts() string {
	hosts := make([]string, len(c.Servers))
	for i, server := range c.Servers {
		if u, err := url.Parse(server); err == nil {
			hosts[i] = u.Host
		}
	}

	return strings.Join(hosts, ", ")
}
