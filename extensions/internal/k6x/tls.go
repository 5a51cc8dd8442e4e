package k6x

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/asn1"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/youmark/pkcs8"
	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/input"
)

// TLSOptions are a module's option tls: true, or an object. They are comparable.
type TLSOptions struct {
	// CACerts are certificate authorities. The default is k6's configuration.
	CACerts PEM `json:"cacerts"`
	// CA is the name of CACerts in k6/x/redis.
	CA PEM `json:"ca"`
	// Cert is the client's certificate. The default is k6's option tlsAuth.
	Cert string `json:"cert"`
	Key  string `json:"key"`
	// Password decrypts Key.
	Password              string `json:"password"`
	ServerName            string `json:"serverName"`
	InsecureSkipTLSVerify bool   `json:"insecureSkipTLSVerify"`
	// off is set by `tls: false`.
	off bool
}

// TLSFields are the fields of TLSOptions, for UnmarshalWith.
type TLSFields TLSOptions

// PEM is a PEM string, or an array of them, as in k6/net/grpc.
type PEM string

// UnmarshalJSON reads a string or an array.
func (p *PEM) UnmarshalJSON(raw []byte) error {
	var all []string
	if json.Unmarshal(raw, &all) != nil {
		all = make([]string, 1)
		if json.Unmarshal(raw, &all[0]) != nil {
			return errors.New("option tls.cacerts must be a string or an array of strings, in PEM")
		}
	}
	*p = PEM(strings.Join(all, "\n"))

	return nil
}

// Given reports whether the options, which may be nil, enable TLS.
func (o *TLSOptions) Given() bool { return o != nil && !o.off }

// UnmarshalJSON reads a boolean or an object.
func (o *TLSOptions) UnmarshalJSON(raw []byte) error { return o.UnmarshalWith(raw, (*TLSFields)(o)) }

// UnmarshalWith reads a boolean or an object; fields points to the TLSFields and those of a module.
func (o *TLSOptions) UnmarshalWith(raw []byte, fields any) error {
	if on := false; json.Unmarshal(raw, &on) == nil {
		o.off = !on

		return nil
	}
	if given := map[string]json.RawMessage(nil); json.Unmarshal(raw, &given) != nil {
		return errors.New("option tls must be true, false or an object")
	}

	return input.Decode("tls.", raw, fields)
}

// TLS holds parsed TLSOptions. The zero value uses k6's own options.
type TLS struct {
	options      TLSOptions
	roots        *x509.CertPool
	certificates []tls.Certificate
}

// Read parses the PEM data. Errors name the option and contain nothing of the key.
func (o *TLSOptions) Read() (*TLS, error) {
	t := &TLS{options: *o}
	if o.CA != "" && o.CACerts != "" {
		return nil, errors.New("tls.cacerts and tls.ca are the same option: use one of them")
	}
	if certificates := o.CACerts + o.CA; certificates != "" {
		t.roots = x509.NewCertPool()
		if !t.roots.AppendCertsFromPEM([]byte(certificates)) {
			return nil, errors.New("tls.cacerts must hold certificates in PEM, as open() reads them from a file")
		}
	}
	switch {
	case (o.Cert == "") != (o.Key == ""):
		return nil, errors.New("tls.cert and tls.key must be given together")
	case o.Key == "" && o.Password != "":
		return nil, errors.New("tls.password needs tls.key")
	case o.Cert == "":
		return t, nil
	}
	key, err := o.key()
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair([]byte(o.Cert), key)
	if err != nil {
		return nil, fmt.Errorf("tls.cert and tls.key cannot be read: %w", err)
	}
	t.certificates = []tls.Certificate{pair}

	return t, nil
}

var errPassword = errors.New("tls.key cannot be read with tls.password")

// key returns the private key as unencrypted PEM. It reads PKCS #8 (PBES2) and the legacy PEM
// encryption of tlsAuth.
func (o *TLSOptions) key() ([]byte, error) {
	key := []byte(o.Key)
	block, _ := pem.Decode(key)
	if block == nil {
		return key, nil // package tls reports the error
	}
	older := x509.IsEncryptedPEMBlock(block) //nolint:staticcheck // as k6's option tlsAuth
	switch {
	case !older && block.Type != "ENCRYPTED PRIVATE KEY":
		return key, nil
	case o.Password == "":
		return nil, errors.New("tls.key is encrypted: tls.password must be given")
	case !older:
		plain, err := decryptPKCS8(block.Bytes, o.Password)

		return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: plain}), err
	}
	plain, err := x509.DecryptPEMBlock(block, []byte(o.Password)) //nolint:staticcheck // as k6's option tlsAuth
	if err != nil || !isSequence(plain) {
		return nil, errPassword
	}

	return bytes.TrimSpace(pem.EncodeToMemory(&pem.Block{Type: block.Type, Bytes: plain})), nil
}

func decryptPKCS8(der []byte, password string) (plain []byte, err error) {
	defer func() {
		if recover() != nil { // ciphers panic on partial blocks
			err = errPassword
		}
	}()
	key, err := pkcs8.ParsePKCS8PrivateKey(der, []byte(password))
	switch {
	case err == nil:
		return x509.MarshalPKCS8PrivateKey(key)
	case err.Error() == "pkcs8: incorrect password":
		return nil, errPassword
	default:
		return nil, fmt.Errorf("tls.key is encrypted in a way that k6 cannot read (%w): "+
			"encrypt it with `openssl pkcs8 -topk8 -v2 aes-256-cbc`", err)
	}
}

// isSequence reports whether der is exactly one ASN.1 sequence, as all private keys are. The
// padding alone accepts one of 256 wrong passwords.
func isSequence(der []byte) bool {
	var value asn1.RawValue
	rest, err := asn1.Unmarshal(der, &value)

	return err == nil && len(rest) == 0 && value.Tag == asn1.TagSequence && value.IsCompound
}

// Options returns the options as the script wrote them.
func (t *TLS) Options() TLSOptions { return t.options }

// Config returns the configuration for a connection to host:port. k6's options for the VU
// (insecureSkipTLSVerify, tlsAuth, tlsVersion, tlsCipherSuites) are the defaults; least is the
// minimum version if they set none. The server name is the option or the host, empty for the
// address "".
func (t *TLS) Config(vu modules.VU, address string, least uint16) *tls.Config {
	c := &tls.Config{MinVersion: least}
	if base := vu.State().TLSConfig; base != nil {
		c = base.Clone()
		c.NextProtos = nil // k6's are for HTTP
		if c.MinVersion == 0 {
			c.MinVersion = least
		}
	}
	c.InsecureSkipVerify = c.InsecureSkipVerify || t.options.InsecureSkipTLSVerify
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
