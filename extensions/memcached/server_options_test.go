//go:build servers

package memcached

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/memcached/wire"
)

func TestOptionErrors(t *testing.T) {
	const server = "a server must be host:port, host, or a unix socket: /path or unix:///path"
	const url = "the url must look like memcached://user:password@host:port?timeout=5s"
	const tls = "TLS is an option, not a scheme of the url: new Client('memcached://host:port', { tls: true })"
	v := newVU(t)
	for arguments, want := range map[string]string{
		`'a:b'`:                                  "the port of a server must be from 1 to 65535",
		`'a:0'`:                                  "the port of a server must be from 1 to 65535",
		`'a:1,,b'`:                               server,
		`'u:p@a:1'`:                              url,
		`'memcached://u:1,s3cret@a'`:             url,
		`'http://a'`:                             url,
		`'memcacheds://u:s3cret@a:1'`:            tls,
		`'memcached+tls://a:1'`:                  tls,
		`['tls://a:1']`:                          tls,
		`'memcached://u:pa?ss@a'`:                url,
		`'memcached://a:1/path'`:                 url,
		`'memcached://a?pool=shared'`:            `unknown option "pool" in the url; known are connectTimeout, timeout`,
		`'memcached://a?timeout=soon'`:           `option timeout in the url cannot be "soon"`,
		`{ name: 'a' }`:                          `unknown option "name"; known are url, protocol, user`,
		`'a', { url: ['b'] }`:                    "the url is given twice: as the first argument and as option url",
		`'memcached://u:s3cret@a,memcached://b'`: "all urls must have the same user, password and options",
		`'memcached://a?timeout=5'`:              "option timeout in the url: 5 could be seconds or milliseconds: write '5s' or '5ms'",
		`{ protocol: 'binary' }`:                 `protocol must be 'text' or 'meta', not "binary"`,
		`{ values: 'json' }`:                     `values must be 'string' or 'binary', not "json"`,
		`{ hashing: 'modulo' }`:                  `hashing must be 'ketama' or 'jump', not "modulo"`,
		`{ connection: 'all' }`:                  `connection must be 'vu' or 'shared', not "all"`,
		`{ poolSize: -1 }`:                       "poolSize must be at least 1, not -1",
		`{ maxValue: -1 }`:                       "maxValue must be at least 1, not -1",
		`{ maxValue: 0, poolSize: 0 }`:           "",
		`{ timeout: 0 }`:                         "timeout must be more than 0, not 0s",
		`{ connectTimeout: '-1s' }`:              "connectTimeout must be more than 0, not -1s",
		`{ password: 's3cret' }`:                 "there is a password, but no user",
		`{ user: 'a b' }`:                        "user must not contain a space, user and password must not contain a line end",
		`{ tls: 'yes' }`:                         "option tls must be true, false or an object",
		`{ tls: true }`:                          "",
		`{ tls: { ca: 'x' } }`:                   "tls.cacerts must hold certificates in PEM, as open() reads them from a file",
		`{ tls: { key: 'x' } }`:                  "tls.cert and tls.key must be given together",
		`{ tls: { cert: 'x', key: 's3cret' } }`:  "tls.cert and tls.key cannot be read",
		`addr, {}, 5`:                            "",
		`{}, {}`:                                 "new Client takes a url and options, or options alone",
	} {
		if want == "" {
			v.Run(`new memcached.Client(` + arguments + `)`)

			continue
		}
		e := v.fail(`new memcached.Client(` + arguments + `)`)
		require.Equal(t, wire.KindUsage, e.Kind)
		require.Contains(t, e.Message, want, arguments)
		require.NotContains(t, e.Message, "s3cret")
		require.NotContains(t, e.Message, "pa?ss")
	}
}
