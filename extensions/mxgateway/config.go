package mxgateway

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
)

const (
	defaultAddress        = "127.0.0.1:50051"
	defaultTimeout        = 60 * time.Second // that of k6/http
	defaultConnectTimeout = 5 * time.Second
)

// Whose a connection is.
const (
	ofVU  = "vu"     // each Client of each VU has one of its own
	ofAll = "shared" // all Clients of the process with the same options have one together
)

// Config is how to reach a gateway.
type Config struct {
	target

	Timeout    time.Duration // of a call
	Shared     bool
	Proto      string // path of the .proto; "" for reflection
	ProtoPaths []string
	TLS        *k6glue.TLS // nil: none
}

// target is what clients must have in common to share a connection.
type target struct {
	Address        string
	Key            string
	Service        string // full name; "" for the only one that has the published name
	ConnectTimeout time.Duration
	Secured        bool
	TLSOptions     k6glue.TLSOptions
}

// options are a Config as scripts write it.
type options struct {
	k6mod.Target
	k6mod.Timeouts

	Address     string             `json:"address"`
	APIKey      string             `json:"apiKey"`
	TLS         *k6glue.TLSOptions `json:"tls"`
	Connection  string             `json:"connection"`
	Proto       string             `json:"proto"`
	ImportPaths []string           `json:"importPaths"`
	Reflection  bool               `json:"reflection"`
	Service     string             `json:"service"`
}

// config works out the options. Its errors never show the key.
func (o *options) config(urls []string) (*Config, error) {
	c := &Config{
		target:  target{Address: defaultAddress, Key: o.APIKey, Service: o.Service, ConnectTimeout: defaultConnectTimeout},
		Timeout: defaultTimeout, Shared: o.Connection == ofAll, Proto: o.Proto, ProtoPaths: o.ImportPaths,
	}
	k6glue.Override(&c.Address, cmp.Or(strings.Join(urls, ","), o.Address))
	if err := o.Override(&c.Timeout, &c.ConnectTimeout); err != nil {
		return nil, err
	}
	if err := k6mod.OneOf("connection", o.Connection, ofVU, ofAll); err != nil {
		return nil, err
	}
	if o.TLS.Given() {
		c.Secured, c.TLSOptions = true, *o.TLS
		var err error
		if c.TLS, err = o.TLS.Read(); err != nil {
			return nil, err
		}
	}

	return c, o.validate(c)
}

func (o *options) validate(c *Config) error {
	host, port, err := net.SplitHostPort(c.Address)
	switch {
	case err != nil || host == "" || port == "" || strings.ContainsAny(c.Address, "/@ "):
		return fmt.Errorf("address must be host:port, such as %s", defaultAddress)
	case strings.ContainsFunc(o.APIKey, func(r rune) bool { return r <= ' ' || r > '~' }):
		return errors.New("apiKey must be printable ASCII without spaces, such as mxgw_<keyId>_<secret>")
	case (o.Proto == "") != o.Reflection:
		return errors.New("either proto, the path of the gateway's .proto file, or reflection: true must be given")
	case o.Reflection && len(o.ImportPaths) > 0:
		return errors.New("importPaths are of proto, and there is none with reflection")
	}

	return nil
}
