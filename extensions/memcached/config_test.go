package memcached

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

func TestServerAddresses(t *testing.T) {
	for address, want := range map[string][]string{
		"":                            {"127.0.0.1:11211"},
		"cache":                       {"cache:11211"},
		"cache:1":                     {"cache:1"},
		"a:1, b ,c:3":                 {"a:1", "b:11211", "c:3"},
		"::1":                         {"[::1]:11211"},
		"[::1]:5":                     {"[::1]:5"},
		"/tmp/s":                      {"/tmp/s"},
		"memcached://a":               {"a:11211"},
		"memcached://u:p@a:7":         {"a:7"},
		"memcached://a:7?timeout=1s":  {"a:7"},
		"memcached://a,memcached://b": {"a:11211", "b:11211"},
	} {
		config, err := new(options).config(k6x.SplitURLs(address))
		require.NoError(t, err, address)
		require.Equal(t, want, config.Servers, address)
	}
	for address, wrong := range map[string]string{
		"cache:0": "the port of a server must be from 1 to 65535", "memcached://a:65536": "the port of a server must be from 1 to 65535",
		"memcached:a:1": "the host of a server must be a name or an address; one of IPv6 is written in brackets, such as [::1]:1234",
	} {
		_, err := new(options).config(k6x.SplitURLs(address))
		require.EqualError(t, err, wrong, address)
	}
}
