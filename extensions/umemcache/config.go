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

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
	"github.com/xk6-sweep/xk6-sweep/extensions/umemcache/wire"
)

const (
	defaultURL = "[::1]:10047"

	valuesString = "string"
	valuesBinary = "binary"
)

// Config is how to reach a server, and how to use it.
type Config struct {
	Target targetConfig
	TLS    *k6glue.TLS // what Target.TLS says; nil: without TLS

	Timeout time.Duration // of an operation
	Binary  bool          // values come out as ArrayBuffers
}

// targetConfig is what clients must have in common to share connections.
type targetConfig struct {
	Address              string
	Cluster              bool // the address is one of a cluster's node
	Generation           wire.Generation
	Threads              int
	ConnectionsPerThread int
	ConnectTimeout       time.Duration
	MaxValue             int // bytes
	UseTLS               bool
	TLS                  k6glue.TLSOptions
}

// options are a Config as scripts write it.
type options struct {
	k6mod.Target

	Generation           string `json:"generation"`
	Threads              int    `json:"threads"`
	ConnectionsPerThread int    `json:"connectionsPerThread"`
	k6mod.Timeouts
	TLS      *k6glue.TLSOptions `json:"tls"`
	Cluster  bool               `json:"cluster"`
	MaxValue int                `json:"maxValue"`
	Values   string             `json:"values"`
}

// config completes the options with the defaults.
func (o *options) config(urls []string) (*Config, error) {
	address := defaultURL
	switch len(urls) {
	case 0:
	case 1:
		address = urls[0]
	default:
		return nil, fmt.Errorf("the url must be one server, or one node of a cluster, not %d", len(urls))
	}
	defaults := wire.DefaultOptions()
	c := &Config{
		Target: targetConfig{
			Address: address, Cluster: o.Cluster, Generation: defaults.Generation, Threads: defaults.Threads,
			ConnectionsPerThread: defaults.ConnectionsPerThread, ConnectTimeout: defaults.ConnectTimeout, MaxValue: defaults.MaxValue,
		},
		Timeout: k6mod.DefaultTimeout, Binary: o.Values == valuesBinary,
	}
	k6glue.Override(&c.Target.Threads, o.Threads)
	k6glue.Override(&c.Target.ConnectionsPerThread, o.ConnectionsPerThread)
	k6glue.Override(&c.Target.MaxValue, o.MaxValue)
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
		o.Override(&c.Timeout, &c.Target.ConnectTimeout), k6mod.OneOf("values", o.Values, valuesString, valuesBinary),
	); err != nil {
		return nil, err
	}
	target, err := c.Target.open(c.Target.options()) // which connects to nothing, and finds what cannot be
	if err != nil {
		return nil, err
	}
	target.Close()

	return c, nil
}

// open returns the target, without a connection so far. It connects as k6 does for this VU: with
// the test's hosts, DNS, blocked addresses and options of TLS.
func (c *Config) open(vu modules.VU) (wire.Target, error) {
	o := c.Target.options()
	o.Dial = dialer(vu)
	if c.TLS != nil {
		o.TLS = c.TLS.Config(vu, "", tls.VersionTLS13)
	}

	return c.Target.open(o)
}

// dialer connects over IPv6, the only one on which a server listens.
func dialer(vu modules.VU) func(ctx context.Context, address string) (net.Conn, error) {
	dial := k6glue.Dial(vu)

	return func(ctx context.Context, address string) (net.Conn, error) {
		conn, err := dial(ctx, "tcp6", address)
		var unsuitable *net.AddrError
		if errors.As(err, &unsuitable) {
			err = fmt.Errorf("k6 resolves the name to %s, which is no address of IPv6; see its option dns: { policy: 'preferIPv6' }",
				unsuitable.Addr)
		}

		return conn, err
	}
}

func (c *targetConfig) options() wire.Options {
	return wire.Options{
		Generation: c.Generation, Threads: c.Threads, ConnectionsPerThread: c.ConnectionsPerThread,
		ConnectTimeout: c.ConnectTimeout, MaxValue: c.MaxValue,
	}
}

func (c *targetConfig) open(o wire.Options) (wire.Target, error) {
	if c.Cluster {
		return wire.NewCluster(c.Address, o)
	}

	return wire.NewPool(c.Address, o)
}
