package nats

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nkeys"
	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/lib/fsext"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

var bothConnections = []string{`.connect()`, `.connect({ runs: true })`}

func logsIn(t *testing.T, v *vu, s *server, options string, wrong ...string) {
	t.Helper()
	require.NoError(t, v.JS.Set("own", s.URL))
	for _, connect := range bothConnections {
		v.Run(`new nats.Client(own, ` + options + `)` + connect)
		for _, o := range append(wrong, `{}`) {
			e := v.fail(`new nats.Client(own, ` + o + `)` + connect)
			require.Equal(t, k6x.KindAuth, e.Kind, o)
			require.Equal(t, "cannot connect to "+s.Addr+": Authorization Violation", e.Message)
		}
	}
}

func TestUserAndToken(t *testing.T) {
	v := newVU(t)
	s := startServer(t, `authorization { user: "me", password: "sec-ret" }`)
	logsIn(t, v, s, `{ user: 'me', password: 'sec-ret' }`, `{ user: 'me', password: 'sec-other' }`, `{ token: 'sec-other' }`)
	for _, connect := range bothConnections {
		v.Run(`new nats.Client(own.replace('//', '//me:sec-ret@'))` + connect)
		require.NotContains(t, v.fail(`new nats.Client(own.replace('//', '//me:sec-other@'))`+connect).Message, "sec-")
	}
	logsIn(t, v, startServer(t, `authorization { token: "sec-ret" }`), `{ token: 'sec-ret' }`, `{ token: 'sec-other' }`)
	v.Run(`new nats.Client(own.replace('//', '//sec-ret@')).connect({ runs: true })`)
}

func TestPermissions(t *testing.T) {
	v := newVU(t)
	s := startServer(t, `authorization { users: [ { user: "me", password: "x", permissions: { publish: [ "open", "_INBOX.>" ], subscribe: "_INBOX.>" } } ] }`)
	require.NoError(t, v.JS.Set("own", s.URL))
	v.Run(`var client = new nats.Client(own, { user: 'me', password: 'x', timeout: 300 }); client.publish('open', 'x'); client.publish('closed', 'x')`)
	require.Eventually(t, func() bool {
		v.Run(`client.flush()`)

		return v.Counted(metricErrors, "kind", k6x.KindAuth) == 1
	}, 10*time.Second, time.Millisecond)

	// The server refuses a call by a message, not by an answer. The error at the timeout has the
	// reason.
	for call, subject := range map[string]string{
		`client.request('closed.request', 'x', { timeout: 200 })`:            "closed.request",
		`client.jetStream().publish('closed.stream', 'x', { timeout: 200 })`: "closed.stream",
		`client.jetStream().keyValue('closed').get('k')`:                     "$JS.API.STREAM.INFO.KV_closed",
	} {
		e := v.fail(call)
		for end := time.Now().Add(30 * time.Second); e.Kind == k6x.KindTimeout && time.Now().Before(end); {
			e = v.fail(call)
		}
		require.Equal(t, k6x.KindAuth, e.Kind, e.Message)
		v.Run(`client.flush()`)
		require.Contains(t, e.Message, `Permissions Violation for Publish to "`+subject+`"`)
	}
	refused := v.Counted(metricOps, "op", opRequest, "outcome", k6x.KindAuth)
	require.JSONEq(t, `2`, v.JSON(`client.requestBatch('closed.batch', 'x', { iterations: 2, timeout: '1h' }).failed`), "of runs, it is known at once")
	require.Equal(t, 2.0, v.Counted(metricOps, "op", opRequest, "outcome", k6x.KindAuth)-refused)
	require.Equal(t, k6x.KindTimeout, v.fail(`client.subscribe('_INBOX.silent'); client.request('_INBOX.silent', 'x', { timeout: 100 })`).Kind,
		"what was refused before is no reason")
}

func TestNKey(t *testing.T) {
	pair, err := nkeys.CreateUser()
	require.NoError(t, err)
	public, err := pair.PublicKey()
	require.NoError(t, err)
	v := newVU(t)
	s := startServer(t, `authorization { users: [ { nkey: "`+public+`" } ] }`)
	other, err := nkeys.CreateUser()
	require.NoError(t, err)
	logsIn(t, v, s, `{ nkey: '`+seedOf(t, pair)+`' }`, `{ nkey: '`+seedOf(t, other)+`' }`)
}

func seedOf(t *testing.T, pair nkeys.KeyPair) string {
	t.Helper()
	seed, err := pair.Seed()
	require.NoError(t, err)

	return string(seed)
}

func TestJWTAndCredentials(t *testing.T) {
	operator, err := nkeys.CreateOperator()
	require.NoError(t, err)
	account, err := nkeys.CreateAccount()
	require.NoError(t, err)
	user, err := nkeys.CreateUser()
	require.NoError(t, err)
	accountKey, err := account.PublicKey()
	require.NoError(t, err)
	system, err := nkeys.CreateAccount()
	require.NoError(t, err)
	systemKey, err := system.PublicKey()
	require.NoError(t, err)
	unlimited := map[string]any{"subs": -1, "data": -1, "payload": -1}
	accountJWT := func(pair nkeys.KeyPair) string {
		return token(t, operator, pair, "account", map[string]any{"limits": map[string]any{
			"subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true, "conn": -1, "leaf": -1,
		}})
	}
	jwt := token(t, account, user, "user", unlimited)
	s := startServer(t, fmt.Sprintf("operator: %q\nresolver: MEMORY\nsystem_account: %s\nresolver_preload: { %s: %q, %s: %q }",
		token(t, operator, operator, "operator", map[string]any{}), systemKey, systemKey, accountJWT(system), accountKey, accountJWT(account)))

	seed := seedOf(t, user)
	credentials := "-----BEGIN NATS USER JWT-----\n" + jwt + "\n------END NATS USER JWT------\n\n" +
		"-----BEGIN USER NKEY SEED-----\n" + seed + "\n------END USER NKEY SEED------\n"
	file := filepath.Join(t.TempDir(), "user.creds")
	require.NoError(t, os.WriteFile(file, []byte(credentials), 0o600))
	v := newVU(t)
	for name, value := range map[string]string{"jwt": jwt, "seed": seed, "credentials": credentials, "file": file} {
		require.NoError(t, v.JS.Set(name, value))
	}
	logsIn(t, v, s, `{ jwt, nkey: seed }`)
	logsIn(t, v, s, `{ credentials }`)
	logsIn(t, v, s, `{ credentialsFile: file }`)
	for _, connect := range bothConnections {
		e := v.fail(`new nats.Client(own, { credentialsFile: file + '.not' })` + connect)
		require.Equal(t, k6x.KindUsage, e.Kind)
		require.Contains(t, e.Message, "credentialsFile cannot be read")
	}
}

func token(t *testing.T, issuer, subject nkeys.KeyPair, kind string, claims map[string]any) string {
	t.Helper()
	from, err := issuer.PublicKey()
	require.NoError(t, err)
	to, err := subject.PublicKey()
	require.NoError(t, err)
	claims["type"], claims["version"] = kind, 2
	part := func(value any) string {
		raw, err := json.Marshal(value)
		require.NoError(t, err)

		return base64.RawURLEncoding.EncodeToString(raw)
	}
	text := part(map[string]any{"typ": "JWT", "alg": "ed25519-nkey"}) + "." +
		part(map[string]any{"jti": "1", "iat": time.Now().Unix(), "iss": from, "sub": to, "name": kind, "nats": claims})
	signature, err := issuer.Sign([]byte(text))
	require.NoError(t, err)

	return text + "." + base64.RawURLEncoding.EncodeToString(signature)
}

func TestTLS(t *testing.T) {
	certificate, key := selfSigned(t)
	folder := t.TempDir()
	for name, content := range map[string]string{"cert": certificate, "key": key} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600))
	}
	v := newVU(t)
	require.NoError(t, v.JS.Set("ca", certificate))
	require.NoError(t, v.JS.Set("key", key))
	files := fmt.Sprintf("cert_file: %q, key_file: %q", filepath.Join(folder, "cert"), filepath.Join(folder, "key"))

	s := startServer(t, "tls { "+files+" }")
	require.NoError(t, v.JS.Set("own", s.URL))
	for _, good := range []string{
		`Client(own, { tls: { ca } })`, `Client([own], { tls: { cacerts: [ca], serverName: 'nats.test' } })`,
		`Client({ url: own, tls: { insecureSkipTLSVerify: true } })`, `Nats({ servers: [own], unsafe: true })`,
	} {
		require.JSONEq(t, `["x", true]`, v.JSON(`(() => {
			const client = new nats.`+good+`, sub = client.subscribe('a');
			client.publish('a', 'x');
			return [sub.next().data, client.info().tls];
		})()`), good)
		require.Equal(t, int64(3), v.Run(`(() => {
			const client = new nats.`+good+`, service = client.respond('b');
			client.connect({ runs: true });
			return client.requestBatch('b', 'x'.repeat(100000), { iterations: 3 }).succeeded;
		})()`), good)
	}
	for _, bad := range []string{`{}`, `{ tls: true }`, `{ tls: {} }`, `{ tls: { ca, serverName: 'other.test' } }`} {
		for _, connect := range bothConnections {
			e := v.fail(`new nats.Client(own, ` + bad + `)` + connect)
			require.Equal(t, k6x.KindConnect, e.Kind, bad)
			require.Contains(t, e.Message, "certificate", bad)
		}
	}

	s = startServer(t, "tls { "+files+fmt.Sprintf(", ca_file: %q, verify: true, handshake_first: true }", filepath.Join(folder, "cert")))
	require.NoError(t, v.JS.Set("own", s.URL))
	for _, connect := range bothConnections {
		v.Run(`new nats.Client(own, { tls: { ca, cert: ca, key, first: true } })` + connect)
	}
	require.Equal(t, k6x.KindConnect, v.fail(`new nats.Client(own, { tls: { ca, first: true }, connectTimeout: '5s' }).request('a', 'x')`).Kind)
}

func selfSigned(t *testing.T) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		DNSNames: []string{"nats.test"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	require.NoError(t, err)
	raw, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)

	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
		string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw}))
}

func TestServerThatIsFull(t *testing.T) {
	s := startServer(t, `max_connections: 1`)
	v := newVU(t)
	v.Set("own", s.URL)
	require.Eventually(t, func() bool {
		_, err := v.VU.Runtime().RunString(`new nats.Client(own).connect()`)

		return err == nil
	}, 10*time.Second, 10*time.Millisecond)
	for _, connect := range bothConnections {
		for range 10 {
			e := v.fail(`new nats.Client(own)` + connect)
			require.Equal(t, k6x.KindBusy, e.Kind, e.Message)
			require.Contains(t, e.Message, "maximum connections exceeded")
		}
	}
}

func TestCredentialsFileRelativeToScript(t *testing.T) {
	v := newInitVU(t, New())
	env := v.VU.InitEnv()
	env.CWD = &url.URL{Scheme: "file", Path: "/scripts"}
	files := fsext.NewMemMapFs()
	require.NoError(t, fsext.WriteFile(files, "/scripts/user.creds", []byte("none"), 0o600))
	env.FileSystems = map[string]fsext.Fs{"file": files}
	require.Contains(t, v.fail(`new nats.Client({ credentialsFile: './user.creds' })`).Message, "credentials must be the text of a credentials file")
	require.Contains(t, v.fail(`new nats.Client({ credentialsFile: 'other.creds' })`).Message, "credentialsFile cannot be read")
}
