//go:build servers

package memcached

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/memcached/wire"
)

func TestOptionErrors(t *testing.T) {
	const server = "a server must be host:port, host, or the path of a unix socket that starts with a slash"
	const url = "the url must look like memcached://user:password@host:port?timeout=5s"
	v := newVU(t)
	for arguments, want := range map[string]string{
		`'a:b'`:                                 server,
		`'a:0'`:                                 server,
		`'a:1,,b'`:                              server,
		`'u:p@a:1'`:                             server,
		`'http://a'`:                            url,
		`'memcached://u:pa?ss@a'`:               url,
		`'memcached://a:1/path'`:                url,
		`'memcached://a?pool=shared'`:           `unknown option "pool" in the url; known are connectTimeout, timeout`,
		`'memcached://a?timeout=soon'`:          `option timeout in the url cannot be "soon"`,
		`{ server: 'a' }`:                       `unknown option "server"; known are servers, protocol, user`,
		`{ servers: 'a' }`:                      "option servers must be an array, not a string",
		`'a', { servers: ['b'] }`:               "the servers are given twice: as the address and as the option servers",
		`{ protocol: 'binary' }`:                `protocol must be 'text' or 'meta', not "binary"`,
		`{ values: 'json' }`:                    `values must be 'string' or 'binary', not "json"`,
		`{ hashing: 'modulo' }`:                 `hashing must be 'ketama' or 'jump', not "modulo"`,
		`{ pool: 'all' }`:                       `pool must be 'vu' or 'shared', not "all"`,
		`{ poolSize: -1 }`:                      "poolSize must be at least 1, not -1",
		`{ maxValue: -1 }`:                      "maxValue must be at least 1, not -1",
		`{ maxValue: 0, poolSize: 0 }`:          "",
		`{ timeout: 0 }`:                        "timeout must be more than 0, not 0s",
		`{ connectTimeout: '-1s' }`:             "connectTimeout must be more than 0, not -1s",
		`{ password: 's3cret' }`:                "there is a password, but no user",
		`{ user: 'a b' }`:                       "user must have no space, user and password no line end: memcached cannot take them",
		`{ tls: true }`:                         "option tls must be an object, not a bool",
		`{ tls: { ca: 'x' } }`:                  "tls.ca must hold certificates in PEM, as open() reads them from a file",
		`{ tls: { key: 'x' } }`:                 "tls.cert and tls.key must be given together",
		`{ tls: { cert: 'x', key: 's3cret' } }`: "tls.cert and tls.key cannot be read",
		`addr, {}, 5`:                           "",
		`{}, {}`:                                "new Client takes an address and options, or options alone",
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
