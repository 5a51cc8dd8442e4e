package mxgateway

import (
	"errors"
	"strings"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

// Config describes a gateway and how to connect to it.
type Config struct {
	target

	Timeout    time.Duration // limit for one call
	Shared     bool
	Proto      string // path of the .proto; "": reflection
	ProtoPaths []string
	TLS        *k6x.TLS // nil: plain text
}

// target holds the settings that must be equal for clients to share a connection.
type target struct {
	Address        string
	Key            string
	Service        string // full name; "": the only service with the published name
	ConnectTimeout time.Duration
	Secured        bool
	TLSOptions     k6x.TLSOptions
}

type options struct {
	k6x.Target
	k6x.Timeouts

	APIKey      string          `json:"apiKey"`
	TLS         *k6x.TLSOptions `json:"tls"`
	Connection  string          `json:"connection"`
	Proto       string          `json:"proto"`
	ImportPaths []string        `json:"importPaths"`
	Reflection  bool            `json:"reflection"`
	Service     string          `json:"service"`
}

// The errors of config never show the key.
func (o *options) config(urls []string) (*Config, error) {
	c := &Config{
		target:  target{Key: o.APIKey, Service: o.Service, ConnectTimeout: k6x.DefaultConnectTimeout},
		Timeout: k6x.DefaultTimeout, Shared: o.Connection == k6x.ConnectionShared, Proto: o.Proto, ProtoPaths: o.ImportPaths,
	}
	var err error
	if c.Address, c.Secured, err = parseURLs(urls); err != nil {
		return nil, err
	}
	if err := o.Override(&c.Timeout, &c.ConnectTimeout); err != nil {
		return nil, err
	}
	if err := k6x.OneOf("connection", o.Connection, k6x.ConnectionVU, k6x.ConnectionShared); err != nil {
		return nil, err
	}
	if c.Secured && o.TLS != nil && !o.TLS.Given() {
		return nil, errors.New("the url is for TLS, but tls is false")
	}
	if c.Secured = c.Secured || o.TLS.Given(); c.Secured {
		if o.TLS != nil {
			c.TLSOptions = *o.TLS
		}
		if c.TLS, err = c.TLSOptions.Read(); err != nil {
			return nil, err
		}
	}

	return c, o.validate()
}

func (o *options) validate() error {
	switch {
	case strings.ContainsFunc(o.APIKey, func(r rune) bool { return r <= ' ' || r > '~' }):
		return errors.New("apiKey must be printable ASCII without spaces, such as mxgw_<keyId>_<secret>")
	case (o.Proto == "") != o.Reflection:
		return errors.New("either proto, the path of the gateway's .proto file, or reflection: true must be given")
	case o.Reflection && len(o.ImportPaths) > 0:
		return errors.New("importPaths needs proto; it does not work with reflection")
	}

	return nil
}
