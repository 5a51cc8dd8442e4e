package umemtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Certificate returns a self-signed certificate for ::1, for servers and clients, and its key, as
// PEM.
func Certificate(tb testing.TB) (certificate, key string) {
	tb.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(tb, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "umemtest"}, IPAddresses: []net.IP{net.IPv6loopback},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	require.NoError(tb, err)
	rawKey, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(tb, err)

	return encode("CERTIFICATE", raw), encode("PRIVATE KEY", rawKey)
}

func encode(kind string, raw []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: raw}))
}

// TLS returns the configuration of a server with this certificate. Like the real server, it
// requires a client certificate, signed by the same.
func TLS(tb testing.TB, certificate, key string) *tls.Config {
	tb.Helper()
	pair, err := tls.X509KeyPair([]byte(certificate), []byte(key))
	require.NoError(tb, err)
	pool := x509.NewCertPool()
	require.True(tb, pool.AppendCertsFromPEM([]byte(certificate)))

	return &tls.Config{
		MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{pair},
		ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool,
	}
}
