package executor

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/testutil"
)

func TestOrderOfRepeats(t *testing.T) {
	c := read(t, `{"clients": [1, 8], "iterations": 1, "repeats": 2}`)
	require.Equal(t, []Step{{1, 0, 1, ""}, {8, 0, 1, ""}, {1, 0, 2, ""}, {8, 0, 2, ""}}, c.Steps())
}

// Variants have each place in the order equally often, so that a linear drift adds the same to all.
func TestVariantsTakeFairTurns(t *testing.T) {
	turns := func(c *Config, clients int64) (order [][]string) {
		order = make([][]string, c.Repeats.Int64)
		for _, s := range c.Steps() {
			if s.Clients == clients {
				order[s.Repeat-1] = append(order[s.Repeat-1], s.Variant)
			}
		}

		return order
	}
	c := read(t, `{"clients": [1, 8], "iterations": 1, "repeats": 4, "variants": ["a", "b", "c"]}`)
	require.Equal(t, [][]string{{"a", "b", "c"}, {"c", "b", "a"}, {"b", "c", "a"}, {"a", "c", "b"}}, turns(c, 8))
	require.Equal(t, Step{Clients: 8, Repeat: 2, Variant: "a"}, c.Steps()[11], "in rounds")
	require.Equal(t, 24, c.MostSteps())
	for _, repeats := range []string{"2", "4", "6"} {
		c := read(t, `{"clients": [1], "iterations": 1, "repeats": `+repeats+`, "variants": ["a", "b", "c"]}`)
		places := map[string]int{}
		for i, s := range c.Steps() {
			places[s.Variant] += i
		}
		require.Equal(t, places["a"], places["b"], "%s repeats", repeats)
		require.Equal(t, places["a"], places["c"], "%s repeats", repeats)
	}
	c = read(t, `{"clients": [1, 8], "iterations": 1, "repeats": 2, "variants": ["a", "b"]}`)
	require.Equal(t, []Step{
		{1, 0, 1, "a"}, {1, 0, 1, "b"}, {8, 0, 1, "a"}, {8, 0, 1, "b"}, {1, 0, 2, "b"}, {1, 0, 2, "a"}, {8, 0, 2, "b"}, {8, 0, 2, "a"},
	}, c.Steps())
}

func TestWhatSegmentsCannotShare(t *testing.T) {
	for config, want := range map[string]string{
		`{"rate": [5], "preAllocatedVUs": 1, "duration": "1s"}`: "preAllocatedVUs (1) must be at least the number of execution segments",
		`{"find": {"p99": "1s", "max": 64}, "iterations": 1}`:   "find cannot be shared by execution segments",
	} {
		c := read(t, config)
		require.Empty(t, c.Validate())
		require.ErrorContains(t, c.fits(testutil.Tuple(t, "1/2:1", "0,1/2,1")), want)
		require.NoError(t, c.fits(testutil.Tuple(t, "", "")))
	}
}
