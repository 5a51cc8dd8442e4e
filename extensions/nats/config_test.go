package nats

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

func configOf(urls []string) (*Config, error) {
	o := new(module).defaults()

	return o.config(urls)
}

func TestServers(t *testing.T) {
	for text, want := range map[string][]string{
		"":                               {"nats://127.0.0.1:4222"},
		"nats.test":                      {"nats://nats.test:4222"},
		"nats.test:":                     {"nats://nats.test:4222"},
		"::1,::ffff:127.0.0.1":           {"nats://[::1]:4222", "nats://[::ffff:127.0.0.1]:4222"},
		"a:1, tls://b":                   {"nats://a:1", "tls://b:4222"},
		"nats://me:pass@a:1/":            {"nats://me:pass@a:1"},
		"wss://a/path/,ws://b:1/x/y":     {"wss://a:443/path", "ws://b:1/x/y"},
		"ws://a,wss://b,wss://c:1,[::1]": {"ws://a:80", "wss://b:443", "wss://c:1", "nats://[::1]:4222"},
	} {
		c, err := configOf(k6x.SplitURLs(text))
		require.NoError(t, err, text)
		require.Equal(t, want, c.Servers, text)
	}
	for _, text := range []string{"http://a", "nats://", "nats://secret@a:port", "nats://a?secret", "nats://a/secret", "tls://a/secret", "nats://secret#@a", ","} {
		_, err := configOf(k6x.SplitURLs(text))
		require.Equal(t, errURL, err, text)
	}
	c, err := configOf([]string{"nats://me:secret@a:1", "b"})
	require.NoError(t, err)
	require.Equal(t, "a:1, b:4222", c.hosts())
}

func TestDefaults(t *testing.T) {
	c, err := configOf(nil)
	require.NoError(t, err)
	require.Equal(t, time.Minute, c.timeout, "as k6/http")
	require.Equal(t, 5*time.Second, c.connectTimeout)
	require.Equal(t, 60, c.MaxReconnects)
	require.Equal(t, k6x.ConnectionVU, c.Connection)
}

func TestOptionsThatAreWrong(t *testing.T) {
	v := newInitVU(t, New())
	for given, message := range map[string]string{
		`'a', { url: 'b' }`:                            `new Client: the url is given twice`,
		`{ url: 5 }`:                                   `new Client: the url must be a string or an array of strings`,
		`{}, {}`:                                       `new Client takes a url and options, or options alone`,
		`{ timeout: 0 }`:                               `new Client: timeout must be more than 0, not 0s`,
		`{ connectTimeout: -1 }`:                       `new Client: connectTimeout must be more than 0`,
		`{ connection: 'all' }`:                        `new Client: connection must be 'vu' or 'shared', not "all"`,
		`{ timeout: 5 }`:                               `new Client: timeout 5 could be seconds or milliseconds: write '5s' or '5ms'`,
		`{ tls: { frist: true } }`:                     `new Client: unknown option "tls.frist"; known are`,
		`{ inboxPrefix: 'a.*' }`:                       `new Client: inboxPrefix must be a subject without wildcards`,
		`{ reconnectBuffer: -1 }`:                      `new Client: reconnectBuffer must be a number of bytes, or 0 for none, not -1`,
		`{ reconnectWait: -1 }`:                        `new Client: reconnectWait and reconnectJitter must not be below 0`,
		`{ pingInterval: 0 }`:                          `new Client: pingInterval must be more than 0, not 0s`,
		`{ password: 'sec-ret' }`:                      `new Client: password needs user`,
		`{ user: 'u', token: 'sec-ret' }`:              `new Client: only one of user, token, credentials, credentialsFile and nkey can be given`,
		`{ nkey: 'SU-sec-ret' }`:                       `new Client: nkey must be the seed of a user's key, which begins with SU`,
		`{ jwt: 'sec-ret' }`:                           `new Client: jwt needs nkey, the user's seed`,
		`{ credentials: 'sec-ret' }`:                   `new Client: credentials must be the text of a credentials file`,
		`{ tls: { ca: 'sec-ret' } }`:                   `new Client: tls.cacerts must hold certificates in PEM`,
		`{ tls: { cert: 'sec-ret' } }`:                 `new Client: tls.cert and tls.key must be given together`,
		`{ tls: { cert: 'sec-ret', key: 'sec-ret' } }`: `new Client: tls.cert and tls.key cannot be read`,
		`'nats://u:sec-ret@host:port'`:                 `new Client: a server must look like nats://user:password@host:4222`,
	} {
		e := v.fail(`new nats.Client(` + given + `)`)
		require.Equal(t, k6x.KindUsage, e.Kind, given)
		require.Contains(t, e.Message, message, given)
		require.NotContains(t, e.Message, "sec-ret", given)
	}
}

func TestNamesOfTheAPI(t *testing.T) {
	for name, api := range map[string]string{"maxMsgsPerSubject": "max_msgs_per_subject", "max_age": "max_age", "name": "name"} {
		require.Equal(t, api, snake(name))
	}
	require.Equal(t, "maxMsgsPerSubject", camel("max_msgs_per_subject"))
	require.Equal(t, "allowMsgTtl", camel("allow_msg_ttl"))
	require.Equal(t, "allow_msg_ttl", snake("allowMsgTtl"))
}
