package k6glue

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"

	"go.k6.io/k6/v2/js/modules"
)

// TLSOptions are the option tls of a module. Equal ones are equal by ==.
type TLSOptions struct {
	CA                 string `json:"ca"`   // PEM: who may have signed the server's certificate; default: as k6 is told
	Cert               string `json:"cert"` // PEM: the client's own; default: k6's option tlsAuth
	Key                string `json:"key"`  // PEM
	ServerName         string `json:"serverName"`
	InsecureSkipVerify bool   `json:"insecureSkipVerify"`
}

// TLS is TLSOptions that were read. The zero value has none: all is as k6's own options have it.
type TLS struct {
	options      TLSOptions
	roots        *x509.CertPool
	certificates []tls.Certificate
}

// Read reads what is PEM. Its errors name the option, and show nothing of the key.
func (o *TLSOptions) Read() (*TLS, error) {
	t := &TLS{options: *o}
	if o.CA != "" {
		t.roots = x509.NewCertPool()
		if !t.roots.AppendCertsFromPEM([]byte(o.CA)) {
			return nil, errors.New("tls.ca must hold certificates in PEM, as open() reads them from a file")
		}
	}
	if (o.Cert == "") != (o.Key == "") {
		return nil, errors.New("tls.cert and tls.key must be given together")
	}
	if o.Cert != "" {
		pair, err := tls.X509KeyPair([]byte(o.Cert), []byte(o.Key))
		if err != nil {
			return nil, fmt.Errorf("tls.cert and tls.key cannot be read: %w", err)
		}
		t.certificates = []tls.Certificate{pair}
	}

	return t, nil
}

// Options are those that were read.
func (t *TLS) Options() TLSOptions { return t.options }

// Config is what Go needs to connect to host:port. What the options leave open is as k6's own
// options have it for the VU (insecureSkipTLSVerify, tlsAuth, tlsVersion, tlsCipherSuites); least
// is the oldest version where these name none. The name to verify is the option's or else the host;
// none for the address "".
func (t *TLS) Config(vu modules.VU, address string, least uint16) *tls.Config {
	c := &tls.Config{MinVersion: least}
	if base := vu.State().TLSConfig; base != nil {
		c = base.Clone()
		c.NextProtos = nil // those of HTTP
		if c.MinVersion == 0 {
			c.MinVersion = least
		}
	}
	c.InsecureSkipVerify = c.InsecureSkipVerify || t.options.InsecureSkipVerify
	c.ServerName = t.options.ServerName
	if host, _, err := net.SplitHostPort(address); err == nil && c.ServerName == "" {
		c.ServerName = host
	}
	if t.roots != nil {
		c.RootCAs = t.roots
	}
	if t.certificates != nil {
		c.Certificates = t.certificates
	}

	return c
}
