package resp

import (
	"crypto/tls"
	"encoding/pem"
	"io"
	"net"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

func secured(t *testing.T) (address, certificate string) {
	t.Helper()
	pair := httptest.NewTLSServer(nil)
	defer pair.Close()
	plain, err := url.Parse(redisURL(t))
	require.NoError(t, err)
	config := &tls.Config{Certificates: pair.TLS.Certificates, MinVersion: tls.VersionTLS12}
	address = fake(t, func(conn net.Conn) {
		server, err := net.Dial("tcp", plain.Host)
		if err != nil {
			return
		}
		defer server.Close()
		inside := tls.Server(conn, config)
		if inside.Handshake() != nil {
			return
		}
		go func() {
			_, _ = io.Copy(server, inside)
			_ = server.Close()
		}()
		_, _ = io.Copy(inside, server)
	})
	raw := pair.TLS.Certificates[0].Certificate[0]

	return address, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}))
}

func TestTLS(t *testing.T) {
	address, certificate := secured(t)
	v := newVU(t)
	v.Set("secured", address)
	v.Set("pem", certificate)
	for _, client := range []string{
		`new resp.Client(secured, { tls: { cacerts: [pem] } })`,
		`new resp.Client('rediss://' + secured, { tls: { ca: pem } })`,
		`new resp.Client({ url: 'redis://' + secured, tls: { insecureSkipTLSVerify: true } })`,
	} {
		v.Run(`var client = ` + client)
		require.Equal(t, 10, v.bench(`client.run({ iterations: 10, mix: { set: 1 } })`).Succeeded, client)
		v.Run(`client.close()`)
	}
	for client, want := range map[string]string{
		`new resp.Client(secured, { tls: true })`:                                       "certificate signed by unknown authority",
		`new resp.Client('rediss://' + secured)`:                                        "certificate signed by unknown authority",
		`new resp.Client(secured, { tls: { cacerts: pem, serverName: 'other.test' } })`: "not other.test",
	} {
		e := v.fail(client + `.connect()`)
		require.Equal(t, k6x.KindConnect, e.Kind, client)
		require.Contains(t, e.Message, want, client)
	}
}
