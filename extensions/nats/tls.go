package nats

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
)

// tlsOptions are the option tls.
type tlsOptions struct {
	CA                 string `json:"ca"`   // PEM: who may have signed the server's certificate; default: as k6 is told
	Cert               string `json:"cert"` // PEM: the client's own
	Key                string `json:"key"`  // PEM
	ServerName         string `json:"serverName"`
	InsecureSkipVerify bool   `json:"insecureSkipVerify"`
	First              bool   `json:"first"` // before the server has said anything
}

func (o *tlsOptions) validate() error {
	_, err := o.config(nil)

	return err
}

// config is what Go needs. What the options leave open is as in base, k6's own configuration of the VU.
func (o *tlsOptions) config(base *tls.Config) (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if base != nil {
		c = base.Clone()
		c.NextProtos = nil
	}
	if o == nil {
		return c, nil
	}
	c.InsecureSkipVerify = c.InsecureSkipVerify || o.InsecureSkipVerify
	c.ServerName = o.ServerName
	if o.CA != "" {
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM([]byte(o.CA)) {
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
		c.Certificates = []tls.Certificate{pair}
	}

	return c, nil
}
