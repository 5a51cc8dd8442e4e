package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGitHubSummaryBeginsWithTheVerdict(t *testing.T) {
	held := madeUp(func(r *Report) { r.Gates = []Verdict{{Gate: "p99 <= 5ms", Held: true, Detail: "p99 4ms"}} })
	crossed := madeUp(func(r *Report) {
		r.Gates = []Verdict{{Gate: "p99 <= 5ms", Held: true}, {Gate: "ops/s >= 10", Detail: "ops/s 9/s | @somebody *now*"}}
	})
	interrupted := madeUp(func(r *Report) { r.Interrupted = true })
	for want, r := range map[string]*Report{
		"### :white_check_mark: stock-rollup: 1 gate held\n":                                                             held,
		"### :x: stock-rollup: 1 of 2 gates crossed\n\n- **crossed** `ops/s >= 10`: ops/s 9/s \\| @somebody \\*now\\*\n": crossed,
		"### :x: stock-rollup: no gates, the run was interrupted\n":                                                      interrupted,
		"### :information_source: stock-rollup: no gates\n":                                                              madeUp(nil),
		"### :information_source: stock-rollup: no gates, 1 row with failed operations\n":                                reports()["failed"],
		"### :x: stock-rollup: no gates, 1 row incomplete\n":                                                             reports()["incomplete"],
	} {
		require.True(t, strings.HasPrefix(r.GitHub(), want), "%s\n%s", want, r.GitHub())
	}
	empty := madeUp(func(r *Report) { r.Steps = nil })
	require.True(t, strings.HasPrefix(empty.GitHub(), "### :x: stock-rollup: no gates, no step was measured\n"))
	require.NotContains(t, empty.GitHub(), "<details>")
}

// However many steps and gates there are, nobody has to scroll.
func TestGitHubSummaryIsShort(t *testing.T) {
	r := madeUp(func(r *Report) {
		r.Steps = nil
		for op := range 20 {
			for _, clients := range []int{1, 8, 64, 512} {
				r.Steps = append(r.Steps, step(clients, 1, fmt.Sprintf("op%d", op)))
			}
		}
		for i := range 100 {
			r.Gates = append(r.Gates, Verdict{Gate: fmt.Sprint("gate ", i), Detail: "too slow"})
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

	require.Equal(t, "▁▅█", blocks([]float64{0, 50, 100}))
	require.Equal(t, "▁▁", blocks([]float64{0, 0}))
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
