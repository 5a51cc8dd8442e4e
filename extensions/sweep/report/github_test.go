package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGitHubSummaryBeginsWithTheVerdict(t *testing.T) {
	held := madeUp(func(r *Report) {
		r.Gates = []Verdict{{Gate: "p99 <= 5ms", Held: true, Detail: "p99 4ms", Outcome: "held"}}
	})
	crossed := madeUp(func(r *Report) {
		r.Gates = []Verdict{{Gate: "p99 <= 5ms", Held: true, Outcome: "held"}, {Gate: "ops/s >= 10", Detail: "ops/s 9/s | @somebody *now*", Outcome: "crossed"}}
	})
	flawed := madeUp(func(r *Report) { r.Gates, r.Steps[0].Failed = held.Gates, 3 })
	interrupted := madeUp(func(r *Report) { r.Interrupted = true })
	for want, r := range map[string]*Report{
		"### :white_check_mark: stock-rollup: 1 gate held\n":                                                             held,
		"### :x: stock-rollup: 1 of 2 gates crossed\n\n- **crossed** `ops/s >= 10`: ops/s 9/s \\| @somebody \\*now\\*\n": crossed,
		"### :information_source: stock-rollup: 1 gate held, 1 row with failed operations\n":                             flawed,
		"### :x: stock-rollup: no gates, the run was interrupted\n":                                                      interrupted,
		"### :information_source: stock-rollup: no gates\n":                                                              madeUp(nil),
		"### :information_source: stock-rollup: no gates, 1 row with failed operations\n":                                reports()["failed"],
		"### :x: stock-rollup: no gates, 1 row incomplete\n":                                                             reports()["incomplete"],
	} {
		require.True(t, strings.HasPrefix(r.GitHub(), want), "%s\n%s", want, r.GitHub())
	}
	named := madeUp(func(r *Report) { r.Scenario = "@somebody *now*" })
	require.True(t, strings.HasPrefix(named.GitHub(), "### :information_source: @somebody \\*now\\*: no gates\n"), named.GitHub())
	empty := madeUp(func(r *Report) { r.Steps = nil })
	require.True(t, strings.HasPrefix(empty.GitHub(), "### :x: stock-rollup: no gates, no step was measured\n"))
	require.NotContains(t, empty.GitHub(), "<details>")
}

func TestGitHubSummaryIsShort(t *testing.T) {
	r := madeUp(func(r *Report) {
		r.Steps = nil
		for op := range 20 {
			for _, clients := range []int{1, 8, 64, 512} {
				r.Steps = append(r.Steps, step(clients, 1, fmt.Sprintf("op%d", op)))
			}
		}
		for i := range 100 {
			r.Gates = append(r.Gates, Verdict{Gate: fmt.Sprint("gate ", i), Detail: "too slow", Outcome: "crossed"})
		}
	})
	text := r.GitHub()
	require.LessOrEqual(t, strings.Count(text, "\n"), 60)
	require.Contains(t, text, "- and 88 more\n")
	require.Contains(t, text, "<summary>Table, 24 of 80 rows</summary>")
	require.Equal(t, 6, strings.Count(text, "ops/s ▁"))
}

func TestGitHubPlots(t *testing.T) {
	text := reports()["operations"].GitHub()
	require.Regexp(t, "(?m)^```text\nops/s [▁-█]{2} up to [0-9,]+/s, p99 [▁-█]{2} up to [0-9.]+ms: get, 1 to 8 clients$", text)
	require.NotContains(t, text, ": cache, ", "one value is no plot")

	fence := madeUp(func(r *Report) {
		r.Steps = []Step{step(1, 1, "```\n# big"), step(8, 1, "```\n# big")}
	}).GitHub()
	require.Equal(t, 2, strings.Count(fence, "\n```"), "the block ends where it should")
	require.NotContains(t, fence, "\n# big", "a name stays in its line")

	require.Equal(t, "▁▅█", blocks([]float64{0, 50, 100}))
	require.Equal(t, "▁▁", blocks([]float64{0, 0}))
}

func TestGitHubPlotsAreInOrder(t *testing.T) {
	byClients := madeUp(func(r *Report) {
		r.Steps = []Step{step(8, 1, "get"), step(64, 1, "get"), step(1, 1, "get")}
		for i, rate := range []float64{500, 1000, 100} {
			r.Steps[i].OpsPerSecond = rate
		}
	}).GitHub()
	require.Contains(t, byClients, "ops/s ▁▅█ up to 1,000/s")
	require.Contains(t, byClients, ": get, 1 to 64 clients\n")

	byRate := madeUp(func(r *Report) {
		r.Steps = []Step{step(64, 1, "get"), step(64, 1, "get"), step(64, 1, "get")}
		for i, rate := range []float64{0.75, 1, 0.25} {
			r.Steps[i].Rate, r.Steps[i].OpsPerSecond = rate, rate
		}
	}).GitHub()
	require.Contains(t, byRate, "ops/s ▃▇█ up to 1")
	require.Regexp(t, `: get, 0\.25\S* to 1\S*`, byRate)
}

func TestGitHubTableIsTheReports(t *testing.T) {
	for name, r := range reports() {
		found := tables(r.GitHub())
		if len(r.Steps) == 0 {
			require.Empty(t, found, name)

			continue
		}
		require.Len(t, found, 1, name)
		require.Equal(t, tables(r.Markdown())[0], found[0], name)
	}
}
