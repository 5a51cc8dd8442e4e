package k6x

import (
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/asn1"
	"encoding/pem"
	"net/http/httptest"
	"os"
	"strconv"
	"testing"

	"github.com/grafana/sobek"
	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/js/modulestest"
	"go.k6.io/k6/v2/lib"
)

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
	options := &TLSOptions{CACerts: PEM(certificate), Cert: certificate, Key: key, ServerName: "name", InsecureSkipTLSVerify: true}
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

func TestInvalidTLSOptions(t *testing.T) {
	certificate, key := pair(t)
	for want, options := range map[string]TLSOptions{
		"tls.cacerts must hold certificates in PEM, as open() reads them from a file":  {CACerts: "x"},
		"tls.cacerts must hold certificates in PEM, as open() reads them from a file ": {CA: "x"},
		"tls.cacerts and tls.ca are the same option: use one of them":                  {CA: "x", CACerts: "y"},
		"tls.password needs tls.key":                   {Password: "s3cret"},
		"tls.cert and tls.key must be given together":  {Key: key},
		"tls.cert and tls.key must be given together ": {Cert: certificate},
		"tls.cert and tls.key cannot be read":          {Cert: certificate, Key: "s3cret"},
	} {
		_, err := options.Read()
		require.Error(t, err)
		require.Contains(t, err.Error()+" ", want)
		require.NotContains(t, err.Error(), "s3cret")
	}
}

// Names are those in k6/net/grpc and k6/x/redis.
func TestTLSOptionsOfAScript(t *testing.T) {
	read := func(js string) (*TLSOptions, error) {
		value, err := sobek.New().RunString(js)
		require.NoError(t, err)
		var into struct {
			TLS *TLSOptions `json:"tls"`
		}

		err = ReadOptions(value, &into)

		return into.TLS, err
	}
	for js, want := range map[string]TLSOptions{
		`({ tls: true })`: {}, `({ tls: {} })`: {}, `({ tls: false })`: {off: true},
		`({ tls: { cacerts: 'a' } })`:        {CACerts: "a"},
		`({ tls: { cacerts: ['a', 'b'] } })`: {CACerts: "a\nb"},
		`({ tls: { ca: ['a'], cert: 'c', key: 'k', password: 'p', serverName: 's', insecureSkipTLSVerify: true } })`: {
			CA: "a", Cert: "c", Key: "k", Password: "p", ServerName: "s", InsecureSkipTLSVerify: true,
		},
	} {
		got, err := read(js)
		require.NoError(t, err, js)
		require.Equal(t, want, *got, js)
		require.Equal(t, !want.off, got.Given(), js)
	}
	got, err := read(`({ tls: null })`)
	require.NoError(t, err)
	require.False(t, got.Given())
	for js, want := range map[string]string{
		`({ tls: 'yes' })`:                        `option tls must be true, false or an object`,
		`({ tls: { insecureSkipVerify: true } })`: `unknown option "tls.insecureSkipVerify"; known are cacerts, ca, cert, key, password, serverName, insecureSkipTLSVerify`,
		`({ tls: { caFile: 'x' } })`:              `unknown option "tls.caFile"; known are cacerts, ca, cert, key, password, serverName, insecureSkipTLSVerify`,
		`({ tls: { cert: 5 } })`:                  `option tls.cert must be a string, not a number`,
		`({ tls: { cacerts: 5 } })`:               `option tls.cacerts must be a string or an array of strings, in PEM`,
	} {
		_, err := read(js)
		require.EqualError(t, err, want, js)
	}
}

func TestTLSOptionsOfOneModule(t *testing.T) {
	var o TLSOptions
	own := struct {
		*TLSFields

		First bool `json:"first"`
	}{TLSFields: (*TLSFields)(&o)}
	require.NoError(t, o.UnmarshalWith([]byte(`{ "first": true, "serverName": "s" }`), &own))
	require.True(t, own.First)
	require.Equal(t, "s", o.ServerName)
	require.EqualError(t, o.UnmarshalWith([]byte(`{ "first": 5 }`), &own), "option tls.first must be true or false, not a number")
	require.ErrorContains(t, o.UnmarshalWith([]byte(`{ "last": true }`), &own), `unknown option "tls.last"; known are cacerts, ca, cert, key, password, serverName, insecureSkipTLSVerify, first`)
}

func TestTLSKeyWithPassword(t *testing.T) {
	certificate, key := pair(t)
	block, _ := pem.Decode([]byte(key))
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	require.NoError(t, err)
	var kind string
	var raw []byte
	switch k := parsed.(type) {
	case *rsa.PrivateKey:
		kind, raw = "RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(k)
	case *ecdsa.PrivateKey:
		kind = "EC PRIVATE KEY"
		raw, err = x509.MarshalECPrivateKey(k)
		require.NoError(t, err)
	default:
		t.Fatalf("%T", k)
	}
	locked, err := x509.EncryptPEMBlock(rand.Reader, kind, raw, []byte("s3cret"), x509.PEMCipherAES256) //nolint:staticcheck // as k6's
	require.NoError(t, err)
	o := TLSOptions{Cert: certificate, Key: string(pem.EncodeToMemory(locked)), Password: "s3cret"}
	read, err := o.Read()
	require.NoError(t, err)
	require.Len(t, read.certificates, 1)
	const wrong = "tls.key cannot be read with tls.password"
	for password, want := range map[string]string{
		"": "tls.key is encrypted: tls.password must be given", "wr0ng": wrong, padded(t, locked): wrong,
	} {
		o.Password = password
		_, err := o.Read()
		require.EqualError(t, err, want)
	}
}

// openssl wrote these keys; its default is PKCS #8.
func TestTLSKeyInPKCS8WithPassword(t *testing.T) {
	file := func(name string) string {
		text, err := os.ReadFile("testdata/" + name)
		require.NoError(t, err)

		return string(text)
	}
	o := TLSOptions{Cert: file("cert.pem")}
	for _, name := range []string{"aes256", "3des", "scrypt"} {
		o.Key, o.Password = file(name+".key.pem"), "s3cret"
		read, err := o.Read()
		require.NoError(t, err, name)
		require.Len(t, read.certificates, 1)
		for password, want := range map[string]string{
			"": "tls.key is encrypted: tls.password must be given", "wr0ng": "tls.key cannot be read with tls.password",
		} {
			o.Password = password
			_, err := o.Read()
			require.EqualError(t, err, want, name)
		}
	}
	o.Key, o.Password = file("pbes1.key.pem"), "s3cret"
	_, err := o.Read()
	require.EqualError(t, err, "tls.key is encrypted in a way that k6 cannot read (pkcs8: only PBES2 supported): "+
		"encrypt it with `openssl pkcs8 -topk8 -v2 aes-256-cbc`")

	whole, _ := pem.Decode([]byte(file("aes256.key.pem")))
	var parts struct {
		Algorithm asn1.RawValue
		Data      []byte
	}
	_, err = asn1.Unmarshal(whole.Bytes, &parts)
	require.NoError(t, err)
	parts.Data = parts.Data[1:]
	cut, err := asn1.Marshal(parts)
	require.NoError(t, err)
	o.Key = string(pem.EncodeToMemory(&pem.Block{Type: whole.Type, Bytes: cut}))
	_, err = o.Read()
	require.EqualError(t, err, "tls.key cannot be read with tls.password", "the key is cut off")
}

// padded returns a wrong password that yields valid padding.
func padded(t *testing.T, locked *pem.Block) string {
	t.Helper()
	for i := range 100_000 {
		password := strconv.Itoa(i)
		if _, err := x509.DecryptPEMBlock(locked, []byte(password)); err == nil { //nolint:staticcheck // as k6's
			return password
		}
	}
	t.Fatal("no password of 100,000 is taken for right")

	return ""
}
