package k6mod

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/lib/types"
)

func TestParseClient(t *testing.T) {
	v, c := newCacheVU(t, true)
	for script, want := range map[string]cacheConfig{
		`new cache.Client()`:                       {},
		`new cache.Client(null, undefined)`:        {},
		`new cache.Client('h')`:                    {address: "h"},
		`new cache.Client({ size: 3 })`:            {size: 3},
		`new cache.Client('h', { size: 3 })`:       {"h", 3},
		`new cache.Client(null, { size: 3 })`:      {size: 3},
		`new cache.Client({ size: 3 }, null)`:      {size: 3},
		`new cache.Client('h', { timeout: '1s' })`: {address: "h"},
	} {
		v.Run(script)
		require.Equal(t, want, *c.config, script)
	}
	for script, want := range map[string]string{
		`new cache.Client({}, {})`:           `new Client takes an address and options, or options alone`,
		`new cache.Client(5, {})`:            `new Client takes an address and options, or options alone`,
		`new cache.Client(5)`:                `new Client: options must be an object, not 5`,
		`new cache.Client('h', { port: 1 })`: `new Client: unknown option "port"; known are timeout, connectTimeout, size`,
		`new cache.Client({ size: -1 })`:     `new Client: size must be at least 0`,
	} {
		requireThrown(t, KindUsage, want, v.Fail(script))
	}
	require.Equal(t, int64(3), v.Run(`'use strict'; const sized = new cache.Client({ size: 3 });
		try { sized.size = 4 } catch {}
		sized.size`), "what the module says of a Client stays")
}

func TestTimeouts(t *testing.T) {
	timeout, connect := time.Second, time.Minute
	given := Timeouts{Timeout: types.NullDurationFrom(2 * time.Second)}
	require.NoError(t, given.Override(&timeout, &connect))
	require.Equal(t, []time.Duration{2 * time.Second, time.Minute}, []time.Duration{timeout, connect})
	given.ConnectTimeout = types.NullDurationFrom(0)
	require.EqualError(t, given.Override(&timeout, &connect), "connectTimeout must be more than 0, not 0s")
	given.Timeout = types.NullDurationFrom(-time.Second)
	require.EqualError(t, given.Override(&timeout, &connect), "timeout must be more than 0, not -1s")
}

func TestOneOf(t *testing.T) {
	require.NoError(t, OneOf("pool", "", "vu"))
	require.NoError(t, OneOf("pool", "shared", "vu", "shared"))
	require.EqualError(t, OneOf("pool", "x", "vu"), `pool must be 'vu', not "x"`)
	require.EqualError(t, OneOf("pool", "x", "a", "b", "c"), `pool must be 'a', 'b' or 'c', not "x"`)
}
