package testutil

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// StartMemcachedTLS starts a memcached that accepts only TLS, and returns its PEM certificate for
// 127.0.0.1.
func StartMemcachedTLS(tb testing.TB) (server *Server, certificate []byte) {
	tb.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(tb, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	require.NoError(tb, err)
	raw, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(tb, err)

	certificate = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	folder := tb.TempDir()
	files := map[string][]byte{
		"certificate": certificate,
		"key":         pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw}),
	}
	for name, content := range files {
		require.NoError(tb, os.WriteFile(filepath.Join(folder, name), content, 0o600))
	}

	return StartMemcached(tb, "-Z", "-o", "ssl_chain_cert="+folder+"/certificate,ssl_key="+folder+"/key"), certificate
}
