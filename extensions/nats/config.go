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

	natsio "github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
	"go.k6.io/k6/v2/lib/types"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

const (
	defaultURL        = "nats://127.0.0.1:4222"
	defaultPending    = 65536 // as in nats.go
	defaultReconnects = 60    // as in nats.go
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
	MaxReconnects   int                `json:"maxReconnects"`
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

func (m *module) defaults() options {
	return options{
		PingInterval: types.NullDurationFrom(2 * time.Minute), MaxReconnects: defaultReconnects, Connection: k6x.ConnectionVU,
		ReconnectWait: types.NullDurationFrom(2 * time.Second),
		open:          func(path string) ([]byte, error) { return k6x.ReadFile(m.VU(), path) },
	}
}

// Config describes the servers, and how to use them.
type Config struct {
	options

	// Servers are complete URLs.
	Servers []string
	// Unsafe disables the verification of certificates if the server wants TLS: an option of Nats.
	Unsafe bool

	timeout, connectTimeout time.Duration
	// login is nil for user, password and token, which are plain options of nats.go.
	login   natsio.Option
	secrets *k6x.TLS
}

var noTLS k6x.TLS //nolint:gochecknoglobals // a constant

type tlsOptions struct {
	k6x.TLSOptions

	First bool `json:"first"`
}

func (o *tlsOptions) UnmarshalJSON(raw []byte) error {
	return o.UnmarshalWith(raw, &struct {
		*k6x.TLSFields

		First *bool `json:"first"`
	}{(*k6x.TLSFields)(&o.TLSOptions), &o.First})
}

func (o *options) config(urls []string) (*Config, error) {
	c := &Config{
		options: *o, Servers: slices.Clone(urls), timeout: k6x.DefaultTimeout, connectTimeout: k6x.DefaultConnectTimeout, secrets: &noTLS,
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
	if err := o.Override(&c.timeout, &c.connectTimeout); err != nil {
		return nil, err
	}
	if err := k6x.OneOf("connection", o.Connection, k6x.ConnectionVU, k6x.ConnectionShared); err != nil {
		return nil, err
	}
	var err error
	if c.TLS != nil {
		if c.secrets, err = o.TLS.Read(); err != nil {
			return nil, err
		}
	}
	if c.login, err = o.authentication(); err != nil {
		return nil, err
	}

	return c, o.check()
}

func (o *options) check() error {
	switch {
	case o.PingInterval.Duration <= 0:
		return fmt.Errorf("pingInterval must be more than 0, not %s", o.PingInterval)
	case o.ReconnectWait.Duration < 0 || o.ReconnectJitter.Duration < 0:
		return errors.New("reconnectWait and reconnectJitter must not be below 0")
	case o.ReconnectBuffer < 0:
		return fmt.Errorf("reconnectBuffer must be a number of bytes, or 0 for none, not %d", o.ReconnectBuffer)
	case strings.ContainsAny(o.InboxPrefix, "*> \t\r\n") || strings.HasSuffix(o.InboxPrefix, "."):
		return fmt.Errorf("inboxPrefix must be a subject without wildcards and without a dot at its end, not %q", o.InboxPrefix)
	}

	return nil
}

func (c *Config) key() string {
	o, given := c.options, tlsOptions{}
	if c.TLS != nil {
		given = *o.TLS
	}
	o.TLS, o.URL, o.open = nil, nil, nil

	return fmt.Sprintf("%#v %#v %t %q %t", o, given, c.TLS != nil, c.Servers, c.Unsafe)
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

// authentication reads the login options. Its errors never show their values.
func (o *options) authentication() (natsio.Option, error) {
	given := 0
	for _, is := range []bool{o.User != "", o.Token != "", o.Credentials != "", o.CredentialsFile != "", o.NKey != "" || o.JWT != ""} {
		if is {
			given++
		}
	}
	switch {
	case given > 1:
		return nil, errors.New("only one of user, token, credentials, credentialsFile and nkey can be given (jwt goes with nkey)")
	case o.User == "" && o.Password != "":
		return nil, errors.New("password needs user")
	case o.Credentials != "":
		return chained([]byte(o.Credentials))
	case o.CredentialsFile != "":
		content, err := o.open(o.CredentialsFile)
		if err != nil {
			return nil, fmt.Errorf("credentialsFile cannot be read: %w", err)
		}

		return chained(content)
	case o.JWT != "" && o.NKey == "":
		return nil, errors.New("jwt needs nkey, the user's seed")
	case o.NKey != "":
		return seeded(o.NKey, o.JWT)
	default:
		return nil, nil //nolint:nilnil // as documented
	}
}

func chained(content []byte) (natsio.Option, error) {
	_, jwtErr := nkeys.ParseDecoratedJWT(content)
	if _, err := nkeys.ParseDecoratedNKey(content); err != nil || jwtErr != nil {
		return nil, errors.New("credentials must be the text of a credentials file: a user's JWT and NKEY seed")
	}

	return natsio.UserCredentialBytes(content), nil
}

func seeded(seed, jwt string) (natsio.Option, error) {
	var public string
	pair, err := nkeys.FromSeed([]byte(seed))
	if err == nil {
		public, err = pair.PublicKey()
	}
	if err != nil {
		return nil, errors.New("nkey must be the seed of a user's key, which begins with SU")
	}
	if jwt != "" {
		return natsio.UserJWTAndSeed(jwt, seed), nil
	}

	return natsio.Nkey(public, pair.Sign), nil
}
