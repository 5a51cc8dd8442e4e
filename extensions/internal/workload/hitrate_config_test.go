package workload_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/workload"
)

func TestHitRateBadConfig(t *testing.T) {
	for _, test := range []struct {
		spoil func(*workload.RateConfig)
		want  string
	}{
		{func(c *workload.RateConfig) { c.Memory = 0 }, "option config.memory must be from 1 to 1125899906842624, not 0"},
		{func(c *workload.RateConfig) { c.Memory = 1 << 60 }, "option config.memory must be from 1 to 1125899906842624, not 1152921504606846976"},
		{func(c *workload.RateConfig) { c.Item = 11 }, "option config.item must be from 12 to 1073741824, not 11"},
		{func(c *workload.RateConfig) { c.Item = 1<<30 + 1 }, "option config.item must be from 12 to 1073741824, not 1073741825"},
		{func(c *workload.RateConfig) { c.Hot = 0 }, "option config.hot must be from 1 to 99, not 0"},
		{func(c *workload.RateConfig) { c.Hot = 100 }, "option config.hot must be from 1 to 99, not 100"},
		{func(c *workload.RateConfig) { c.Access = -1 }, "option config.access must be from 0 to 100, not -1"},
		{func(c *workload.RateConfig) { c.Access = 101 }, "option config.access must be from 0 to 100, not 101"},
		{func(c *workload.RateConfig) { c.HotMemory = 0 }, "option config.hotMemory must be from 1 to 1000, not 0"},
		{
			func(c *workload.RateConfig) { c.Memory = 512 },
			"options config.memory (512) and config.item (512) make 4 cases, none of them hot; more memory or smaller items are needed",
		},
		{
			func(c *workload.RateConfig) { c.Memory = 1 << 40 },
			"options config.memory (1099511627776) and config.item (512) make 8589934592 cases, and at most 16777216 can be; larger items are needed",
		},
	} {
		config := workload.RateConfig{Memory: 100 << 20, Item: 512, Hot: 20, Access: 80, HotMemory: 80}
		test.spoil(&config)
		_, err := workload.NewBenchmark(config)
		require.EqualError(t, err, test.want)
	}
}

func TestHitRateCornersOfConfig(t *testing.T) {
	for _, config := range []workload.RateConfig{
		{Memory: 1 << 10, Item: 12, Hot: 1, Access: 100, HotMemory: 100},
		{Memory: 1 << 10, Item: 12, Hot: 99, Access: 0, HotMemory: 100, Random: true},
		{Memory: 1 << 10, Item: 13, Hot: 50, Access: 50, HotMemory: 1000, Random: true},
		{Memory: 24, Item: 12, Hot: 50, Access: 50, HotMemory: 50},
	} {
		b, err := workload.NewBenchmark(config)
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
