package umemtest

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

// Certificate returns a certificate for ::1, for servers and clients, and its key, as PEM: those of
// package httptest.
func Certificate(tb testing.TB) (certificate, key string) {
	tb.Helper()
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	pair := server.TLS.Certificates[0]
	raw, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	require.NoError(tb, err)

	return encode("CERTIFICATE", pair.Certificate[0]), encode("PRIVATE KEY", raw)
}

func encode(kind string, raw []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: raw}))
}

// TLS returns the configuration of a server with this certificate. Like the real server, it
// requires a client certificate, but any will do.
func TLS(tb testing.TB, certificate, key string) *tls.Config {
	tb.Helper()
	pair, err := tls.X509KeyPair([]byte(certificate), []byte(key))
	require.NoError(tb, err)
	pool := x509.NewCertPool()
	require.True(tb, pool.AppendCertsFromPEM([]byte(certificate)))

	return &tls.Config{
		MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequireAnyClientCert, ClientCAs: pool,
	}
}
