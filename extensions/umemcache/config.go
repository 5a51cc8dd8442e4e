package umemcache

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"time"

	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/wireconn"
	"github.com/xk6-sweep/xk6-sweep/extensions/umemcache/wire"
)

const (
	defaultURL = "[::1]:10047"

	valuesString = "string"
	valuesBinary = "binary"
)

// Config describes a server, and how to use it.
type Config struct {
	Target targetConfig
	TLS    *k6x.TLS // the parsed Target.TLS; nil: plain text

	Timeout time.Duration // limit for one operation
	Binary  bool          // values are returned as ArrayBuffers
}

// targetConfig holds the settings that must be equal for clients to share connections.
type targetConfig struct {
	Address string
	Cluster bool
	wire.Settings
	UseTLS bool
	TLS    k6x.TLSOptions
}

type options struct {
	k6x.Target

	Generation           string `json:"generation"`
	Threads              int    `json:"threads"`
	ConnectionsPerThread int    `json:"connectionsPerThread"`
	k6x.Timeouts
	TLS      *k6x.TLSOptions `json:"tls"`
	Cluster  bool            `json:"cluster"`
	MaxValue int             `json:"maxValue"`
	Values   string          `json:"values"`
}

func (o *options) config(urls []string) (*Config, error) {
	address := defaultURL
	switch len(urls) {
	case 0:
	case 1:
		address = urls[0]
	default:
		return nil, fmt.Errorf("the url must be one server, or one node of a cluster, not %d", len(urls))
	}
	c := &Config{
		Target:  targetConfig{Address: address, Cluster: o.Cluster, Settings: wire.DefaultSettings()},
		Timeout: k6x.DefaultTimeout, Binary: o.Values == valuesBinary,
	}
	k6x.Override(&c.Target.Threads, o.Threads)
	k6x.Override(&c.Target.ConnectionsPerThread, o.ConnectionsPerThread)
	k6x.Override(&c.Target.MaxValue, o.MaxValue)
	if o.TLS.Given() {
		c.Target.UseTLS, c.Target.TLS = true, *o.TLS
		var err error
		if c.TLS, err = o.TLS.Read(); err != nil {
			return nil, err
		}
	}
	if o.Generation != "" {
		g, err := wire.ParseGeneration(o.Generation)
		if err != nil {
			return nil, err
		}
		c.Target.Generation = g
	}
	if err := cmp.Or(
		o.Override(&c.Timeout, &c.Target.ConnectTimeout), k6x.OneOf("values", o.Values, valuesString, valuesBinary),
	); err != nil {
		return nil, err
	}
	target, err := c.Target.open(wire.Options{Settings: c.Target.Settings}) // does not connect, and checks the options
	if err != nil {
		return nil, err
	}
	target.Close()

	return c, nil
}

func (c *Config) open(vu modules.VU) (wire.Target, error) {
	o := wire.Options{Settings: c.Target.Settings, Dial: dialer(vu)}
	if c.TLS != nil {
		o.TLS = c.TLS.Config(vu, "", tls.VersionTLS13)
	}

	return c.Target.open(o)
}

func dialer(vu modules.VU) wireconn.Dial {
	dial := k6x.Dial(vu)

	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		var unsuitable *net.AddrError
		if errors.As(err, &unsuitable) {
			err = fmt.Errorf("k6 resolves the name to %s, which is not an IPv6 address; see its option dns: { policy: 'preferIPv6' }",
				unsuitable.Addr)
		}

		return conn, err
	}
}

func (c *targetConfig) open(o wire.Options) (wire.Target, error) {
	if c.Cluster {
		return wire.NewCluster(c.Address, o)
	}

	return wire.NewPool(c.Address, o)
}
