package k6glue

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/js/modulestest"
	"go.k6.io/k6/v2/lib"
)

// pair returns a certificate and its key, in PEM.
func pair(t *testing.T) (certificate, key string) {
	t.Helper()
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	made := server.TLS.Certificates[0]
	raw, err := x509.MarshalPKCS8PrivateKey(made.PrivateKey)
	require.NoError(t, err)
	encode := func(kind string, bytes []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: bytes}))
	}

	return encode("CERTIFICATE", made.Certificate[0]), encode("PRIVATE KEY", raw)
}

func withTLS(base *tls.Config) *modulestest.VU {
	return &modulestest.VU{StateField: &lib.State{TLSConfig: base}}
}

// What the options do not say is as k6's options have it.
func TestTLSOfK6(t *testing.T) {
	var none TLS
	c := none.Config(withTLS(nil), "host:1", tls.VersionTLS13)
	require.Equal(t, "host", c.ServerName)
	require.EqualValues(t, tls.VersionTLS13, c.MinVersion)
	require.False(t, c.InsecureSkipVerify)

	base := &tls.Config{InsecureSkipVerify: true, Certificates: make([]tls.Certificate, 1), NextProtos: []string{"h2"}}
	c = none.Config(withTLS(base), "", tls.VersionTLS12)
	require.Empty(t, c.ServerName)
	require.EqualValues(t, tls.VersionTLS12, c.MinVersion)
	require.True(t, c.InsecureSkipVerify)
	require.Len(t, c.Certificates, 1)
	require.Empty(t, c.NextProtos, "those are for HTTP")
	require.Equal(t, []string{"h2"}, base.NextProtos, "of which k6 does more")
	require.Empty(t, base.ServerName)

	c = none.Config(withTLS(&tls.Config{MinVersion: tls.VersionTLS11}), "[::1]:1", tls.VersionTLS12)
	require.EqualValues(t, tls.VersionTLS11, c.MinVersion, "the test says so")
	require.Equal(t, "::1", c.ServerName)
}

func TestTLSOfTheOptions(t *testing.T) {
	certificate, key := pair(t)
	options := &TLSOptions{CA: certificate, Cert: certificate, Key: key, ServerName: "name", InsecureSkipVerify: true}
	read, err := options.Read()
	require.NoError(t, err)
	require.Equal(t, *options, read.Options())
	base := &tls.Config{Certificates: make([]tls.Certificate, 3)}
	first, second := read.Config(withTLS(base), "host:1", tls.VersionTLS12), read.Config(withTLS(nil), "host:1", tls.VersionTLS12)
	require.NotSame(t, first, second)
	require.Same(t, first.RootCAs, second.RootCAs, "PEM is read once, and not at each connection")
	require.NotNil(t, first.RootCAs)
	require.Len(t, first.Certificates, 1)
	require.Same(t, &first.Certificates[0], &second.Certificates[0])
	require.Equal(t, "name", first.ServerName)
	require.True(t, first.InsecureSkipVerify)
}

func TestTLSOptionsThatCannotBe(t *testing.T) {
	certificate, key := pair(t)
	for want, options := range map[string]TLSOptions{
		"tls.ca must hold certificates in PEM, as open() reads them from a file": {CA: "x"},
		"tls.cert and tls.key must be given together":                            {Key: key},
		"tls.cert and tls.key must be given together ":                           {Cert: certificate},
		"tls.cert and tls.key cannot be read":                                    {Cert: certificate, Key: "s3cret"},
	} {
		_, err := options.Read()
		require.Error(t, err)
		require.Contains(t, err.Error()+" ", want)
		require.NotContains(t, err.Error(), "s3cret")
	}
}
