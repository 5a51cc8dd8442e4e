package options

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6test"
)

func TestOrderOfRepeats(t *testing.T) {
	for order, want := range map[string][]Step{
		"grouped":     {{1, 0, 1, ""}, {1, 0, 2, ""}, {8, 0, 1, ""}, {8, 0, 2, ""}},
		"interleaved": {{1, 0, 1, ""}, {8, 0, 1, ""}, {1, 0, 2, ""}, {8, 0, 2, ""}},
	} {
		c := read(t, `{"clients": [1, 8], "iterations": 1, "repeats": 2, "repeatOrder": "`+order+`"}`)
		require.Equal(t, want, c.Steps(), order)
	}
}

// A random order has each step and repeat once, depends on the seed, and differs between rounds of
// interleaved repeats. The variants of a step stay together.
func TestRandomOrder(t *testing.T) {
	const steps = `"clients": [1, 2, 4, 8, 16, 32, 64, 128], "iterations": 1, "order": "random", `
	c := read(t, `{`+steps+`"orderSeed": 7, "repeats": 2, "repeatOrder": "interleaved"}`)
	require.Empty(t, c.Validate())
	got := c.Steps()
	require.Equal(t, got, c.Steps(), "the same at each call")
	listed := read(t, `{"clients": [1, 2, 4, 8, 16, 32, 64, 128], "iterations": 1, "repeats": 2, "repeatOrder": "interleaved"}`).Steps()
	require.ElementsMatch(t, listed, got)
	require.ElementsMatch(t, listed[:8], got[:8], "a round has every step")
	once := func(steps []Step) (clients []int64) {
		for _, s := range steps {
			clients = append(clients, s.Clients)
		}

		return clients
	}
	require.NotEqual(t, once(listed[:8]), once(got[:8]))
	require.NotEqual(t, once(got[:8]), once(got[8:]), "the second round has an order of its own")
	require.NotEqual(t, got, read(t, `{`+steps+`"orderSeed": 8, "repeats": 2, "repeatOrder": "interleaved"}`).Steps())

	grouped := read(t, `{`+steps+`"orderSeed": 7, "repeats": 2, "variants": ["a", "b"]}`).Steps()
	require.Len(t, grouped, 32)
	for i, s := range grouped {
		require.Equal(t, grouped[i/4*4].Clients, s.Clients, "repeats and variants of a step follow each other")
	}

	tuple := k6test.Tuple(t, "", "")
	params := c.Params(tuple)
	require.Equal(t, "random", params["order"])
	require.EqualValues(t, 7, params["orderSeed"])
	require.Contains(t, c.GetDescription(tuple), "clients in random order, 1 operations each")
	drawn, again := read(t, `{`+steps+`"repeats": 1}`), read(t, `{`+steps+`"repeats": 1}`)
	require.Equal(t, drawn.OrderSeed.Int64, drawn.Params(tuple)["orderSeed"])
	require.NotEqual(t, drawn.OrderSeed.Int64, again.OrderSeed.Int64)
	require.NotContains(t, read(t, `{"clients": [1], "iterations": 1}`).Params(tuple), "orderSeed")
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
	require.Equal(t, Step{Clients: 1, Repeat: 4, Variant: "b"}, c.Steps()[11], "grouped: all repeats of a step")
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
	c = read(t, `{"clients": [1, 8], "iterations": 1, "repeats": 2, "repeatOrder": "interleaved", "variants": ["a", "b"]}`)
	require.Equal(t, []Step{
		{1, 0, 1, "a"}, {1, 0, 1, "b"}, {8, 0, 1, "a"}, {8, 0, 1, "b"}, {1, 0, 2, "b"}, {1, 0, 2, "a"}, {8, 0, 2, "b"}, {8, 0, 2, "a"},
	}, c.Steps())
}

func TestWhatSegmentsCannotShare(t *testing.T) {
	for config, want := range map[string]string{
		`{"rate": [5], "preAllocatedVUs": 1, "duration": "1s"}`: "preAllocatedVUs (1) must be at least the number of execution segments",
		`{"find": {"p99": "1s", "max": 64}, "iterations": 1}`:   "find cannot be shared by execution segments",
		`{"clients": [64], "iterations": 1, "order": "random"}`: "order 'random' needs orderSeed where execution segments share the steps",
	} {
		c := read(t, config)
		require.Empty(t, c.Validate())
		require.ErrorContains(t, c.Fits(k6test.Tuple(t, "1/2:1", "0,1/2,1")), want)
		require.NoError(t, c.Fits(k6test.Tuple(t, "", "")))
	}
}
