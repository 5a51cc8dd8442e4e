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
	"os/user"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// MemcachedAddr returns the address of the memcached that all tests share. The test fails without
// one.
func MemcachedAddr(tb testing.TB) string {
	tb.Helper()

	return sharedAddr(tb, "MEMCACHED_URL", "memcached")
}

// StartMemcached starts a memcached with additional arguments on a free port.
func StartMemcached(tb testing.TB, args ...string) *Server {
	tb.Helper()
	addr := freeAddr(tb)
	host, port, err := net.SplitHostPort(addr)
	require.NoError(tb, err)

	return startMemcached(tb, addr, append([]string{"-l", host, "-p", port}, args...))
}

// StartMemcachedAtSocket starts a memcached that listens at a unix socket.
func StartMemcachedAtSocket(tb testing.TB, path string, args ...string) *Server {
	tb.Helper()

	return startMemcached(tb, path, append([]string{"-s", path}, args...))
}

func startMemcached(tb testing.TB, addr string, args []string) *Server {
	tb.Helper()
	current, err := user.Current()
	require.NoError(tb, err)
	s := &Server{
		Addr: addr, tb: tb, program: findProgram(tb, "memcached", "MEMCACHED_PID", "memcached"),
		args: append(args, "-U", "0", "-u", current.Username),
	}
	s.ready = s.dial

	return s.start()
}

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
