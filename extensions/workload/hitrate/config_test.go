package hitrate_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/workload/hitrate"
)

func TestPublishedNames(t *testing.T) {
	_, err := hitrate.Published("2g")
	require.EqualError(t, err,
		`there is no published configuration "2g"; there are 2g-513k, 100m-512b, random-2g-1m, random-100m-1k`)
}

func TestBadConfig(t *testing.T) {
	for _, test := range []struct {
		spoil func(*hitrate.Config)
		want  string
	}{
		{func(c *hitrate.Config) { c.Memory = 0 }, "option memory must be from 1 to 1125899906842624 bytes, not 0"},
		{func(c *hitrate.Config) { c.Memory = 1 << 60 }, "option memory must be from 1 to 1125899906842624 bytes, not 1152921504606846976"},
		{func(c *hitrate.Config) { c.Item = 11 }, "option item must be from 12 to 1073741824 bytes, not 11"},
		{func(c *hitrate.Config) { c.Item = 1<<30 + 1 }, "option item must be from 12 to 1073741824 bytes, not 1073741825"},
		{func(c *hitrate.Config) { c.Hot = 0 }, "option hot must be from 1 to 99 percent of the cases, not 0"},
		{func(c *hitrate.Config) { c.Hot = 100 }, "option hot must be from 1 to 99 percent of the cases, not 100"},
		{func(c *hitrate.Config) { c.Access = -1 }, "option access must be from 0 to 100 percent of the accesses, not -1"},
		{func(c *hitrate.Config) { c.Access = 101 }, "option access must be from 0 to 100 percent of the accesses, not 101"},
		{func(c *hitrate.Config) { c.HotMemory = 0 }, "option hotMemory must be from 1 to 1000 percent of the memory, not 0"},
		{
			func(c *hitrate.Config) { c.Memory = 512 },
			"options memory (512) and item (512) make 4 cases, none of them hot; more memory or smaller items are needed",
		},
		{
			func(c *hitrate.Config) { c.Memory = 1 << 40 },
			"options memory (1099511627776) and item (512) make 8589934592 cases, and at most 16777216 can be; larger items are needed",
		},
	} {
		config, err := hitrate.Published("100m-512b")
		require.NoError(t, err)
		test.spoil(&config)
		_, err = hitrate.New(config)
		require.EqualError(t, err, test.want)
	}
}

func TestCornersOfConfig(t *testing.T) {
	for _, config := range []hitrate.Config{
		{Memory: 1 << 10, Item: 12, Hot: 1, Access: 100, HotMemory: 100},
		{Memory: 1 << 10, Item: 12, Hot: 99, Access: 0, HotMemory: 100, Random: true},
		{Memory: 1 << 10, Item: 13, Hot: 50, Access: 50, HotMemory: 1000, Random: true},
		{Memory: 24, Item: 12, Hot: 50, Access: 50, HotMemory: 50},
	} {
		b, err := hitrate.New(config)
		require.NoError(t, err)
		hot := hotAccesses(b, b.Timed())
		switch config.Access {
		case 100:
			require.EqualValues(t, config.Accesses(), hot)
		case 0:
			require.Zero(t, hot)
		}
		for i := range int(config.Cases()) {
			size := len(b.AppendKey(nil, i)) + len(b.Value(i))
			require.GreaterOrEqual(t, size, 12)
			require.LessOrEqual(t, size, int(config.Item))
		}
	}
}
