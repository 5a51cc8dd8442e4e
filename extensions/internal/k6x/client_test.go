package k6x_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/lib/types"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

func TestParseClient(t *testing.T) {
	v, c := newCacheVU(t, true)
	for script, want := range map[string]cacheConfig{
		`new cache.Client()`:                                  {},
		`new cache.Client('')`:                                {},
		`new cache.Client(null, undefined)`:                   {},
		`new cache.Client('h')`:                               {urls: []string{"h"}},
		`new cache.Client('h:1, g')`:                          {urls: []string{"h:1", "g"}},
		`new cache.Client(['h', 'g'])`:                        {urls: []string{"h", "g"}},
		`new cache.Client('c://h?of=a,b,c://g')`:              {urls: []string{"c://h?of=a,b", "c://g"}},
		`new cache.Client({ size: 3 })`:                       {size: 3},
		`new cache.Client('h', { size: 3 })`:                  {[]string{"h"}, 3},
		`new cache.Client(['h'], { size: 3 })`:                {[]string{"h"}, 3},
		`new cache.Client({ url: 'h,g', size: 3 })`:           {[]string{"h", "g"}, 3},
		`new cache.Client(undefined, { url: ['h', 'g,i'] })`:  {urls: []string{"h", "g,i"}},
		`new cache.Client(null, { size: 3 })`:                 {size: 3},
		`new cache.Client({ size: 3 }, null)`:                 {size: 3},
		`new cache.Client('h', { timeout: '1s', url: null })`: {urls: []string{"h"}},
	} {
		v.Run(script)
		require.Equal(t, want, *c.config, script)
	}
	for script, want := range map[string]string{
		`new cache.Client({}, {})`:              `new Client takes a url and options, or options alone`,
		`new cache.Client(5, {})`:               `new Client takes a url and options, or options alone`,
		`new cache.Client(5)`:                   `new Client: options must be an object, not 5`,
		`new cache.Client('h', { key: 1 })`:     `new Client: unknown option "key"; known are url, timeout, connectTimeout, size`,
		`new cache.Client('h', { sise: 1 })`:    `new Client: unknown option "sise"; known are url, timeout, connectTimeout, size; did you mean size?`,
		`new cache.Client({ size: -1 })`:        `new Client: size must be at least 0`,
		`new cache.Client('h', { url: 'h' })`:   `new Client: the url is given twice: as the first argument and as option url`,
		`new cache.Client([])`:                  `new Client: the url must name a server: there is an empty string or an empty array`,
		`new cache.Client(['h', ''])`:           `new Client: the url must name a server: there is an empty string or an empty array`,
		`new cache.Client(['h', 5])`:            `new Client: the url must be a string or an array of strings`,
		`new cache.Client({ url: 5 })`:          `new Client: the url must be a string or an array of strings`,
		`new cache.Client({ timeout: 5 })`:      `new Client: timeout 5 could be seconds or milliseconds: write '5s' or '5ms'`,
		`new cache.Client({ timeout: '5' })`:    `new Client: timeout 5 could be seconds or milliseconds: write '5s' or '5ms'`,
		`new cache.Client({ timeout: 'soon' })`: `new Client: option timeout must be a time such as '5s', or a number of milliseconds from 100, not soon`,
	} {
		requireThrown(t, k6x.KindUsage, want, v.Fail(script))
	}
	require.Equal(t, int64(3), v.Run(`'use strict'; const sized = new cache.Client({ size: 3 });
		try { sized.size = 4 } catch {}
		sized.size`), "what the module says of a Client stays")
}

func TestTimeouts(t *testing.T) {
	timeout, connect := time.Second, time.Minute
	given := k6x.Timeouts{Timeout: types.NullDurationFrom(2 * time.Second)}
	require.NoError(t, given.Override(&timeout, &connect))
	require.Equal(t, []time.Duration{2 * time.Second, time.Minute}, []time.Duration{timeout, connect})
	given.ConnectTimeout = types.NullDurationFrom(0)
	require.EqualError(t, given.Override(&timeout, &connect), "connectTimeout must be more than 0, not 0s")
	given.Timeout = types.NullDurationFrom(-time.Second)
	require.EqualError(t, given.Override(&timeout, &connect), "timeout must be more than 0, not -1s")
}

func TestOneOf(t *testing.T) {
	require.NoError(t, k6x.OneOf("connection", "", "vu"))
	require.NoError(t, k6x.OneOf("connection", "shared", "vu", "shared"))
	require.EqualError(t, k6x.OneOf("connection", "x", "vu"), `connection must be 'vu', not "x"`)
	require.EqualError(t, k6x.OneOf("connection", "x", "a", "b", "c"), `connection must be 'a', 'b' or 'c', not "x"`)
}
