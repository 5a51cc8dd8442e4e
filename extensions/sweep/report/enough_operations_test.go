package report

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatAPercentileRestsOn(t *testing.T) {
	for p, needs := range map[Percentile]int64{P50: 20, P90: 100, P95: 200, P99: 1000, P999: 10_000} {
		require.Equal(t, needs, p.Needs())
		require.Equal(t, int64(10), p.Beyond(needs), p)
		require.False(t, p.RestsOnFew(needs), p)
		require.True(t, p.RestsOnFew(needs-1), p)
		require.Equal(t, int64(0), p.Beyond(0))
		require.Positive(t, p.Beyond(1<<53), "the most that JSON counts")
	}
	require.Equal(t, "p99.9", P999.String())
	require.Equal(t, "p50", P50.String())
	require.Equal(t, int64(5), P99.Beyond(500))
	require.Equal(t, "-", P99.Show("0.000ms", 0), "of no operations")
	require.Equal(t, "(1.2ms)", P99.Show("1.2ms", 999))
	require.Equal(t, "1.2ms", P99.Show("1.2ms", 1000))
}

func few(s *Step) { s.Operations, s.OpsPerSecond = 500, 500/s.Seconds }

// A median of repeats rests on the operations of all of them.
func TestFewOperationsAreShown(t *testing.T) {
	text := madeUp(func(r *Report) { r.Steps = []Step{step(1, 1, "get", few), step(1, 2, "get", few)} }).Markdown()
	require.Contains(t, text, "| 0.178ms | (0.900ms) |")
	require.Contains(t, text, "\nIn parentheses: percentiles with fewer than 10 operations beyond them (p99 needs 1,000 operations).\n")
	require.Contains(t, text, "|   ? | 0.178ms | 0.900ms |   ? |", "1,000 operations in both repeats")
	require.NotContains(t, madeUp(nil).Markdown(), "In parentheses")
	require.NotContains(t, madeUp(func(r *Report) { r.Steps = []Step{step(8, 1, "get", nothingDone)} }).Markdown(), "In parentheses")
}

func TestTooFewAndTooShort(t *testing.T) {
	g := Group{Steps: []*Step{{Operations: 250, Seconds: 0.04}, {Operations: 250, Seconds: 0.05}}}
	require.Equal(t, "p99 of 500 operations rests on 5 of them, 10 are needed: 1,000 operations or more", g.TooFew(P99))
	require.Empty(t, g.TooFew(P95))
	require.Equal(t, "ops/s of 500 operations in 0.090s: at least 10 operations and 0.1s are needed", g.TooShort())
	g.Steps[0].Seconds = 0.05
	require.Empty(t, g.TooShort())
	g = Group{Steps: []*Step{{Operations: 9, Seconds: 60}}}
	require.Equal(t, "ops/s of 9 operations in 1m 0s: at least 10 operations and 0.1s are needed", g.TooShort())
	g = Group{Steps: []*Step{{Operations: 500, Seconds: 2, Window: &Window{Seconds: 1, Ops: 9}}}}
	require.Equal(t, "ops/s of 9 operations in 1.000s: at least 10 operations and 0.1s are needed", g.TooShort(), "of the window alone")
	g.Steps[0].Operations = 1
	require.Equal(t, "p50 of 1 operation rests on 0 of them, 10 are needed: 20 operations or more", g.TooFew(P50))
}

// A figure with few operations is never "same", but may be worse.
func TestCompareOfFewOperations(t *testing.T) {
	fewer := func(part float64, operations int64) *Report {
		return compareChanged(compareSteady(part), func(r *Report) {
			for i := range r.Steps {
				r.Steps[i].Operations = operations
			}
		})
	}
	verdicts := func(before, after *Report) (found map[string]string, c *Comparison) {
		c, err := Compare(before, after, CompareOptions{Tolerance: 0.05})
		require.NoError(t, err)
		found = map[string]string{}
		for i := range c.Rows {
			found[c.Rows[i].Figure] = c.Rows[i].Verdict
		}

		return found, c
	}
	found, c := verdicts(fewer(1, 150), fewer(1, 150))
	require.Equal(t, map[string]string{"ops/s": Same, "p50": Same, "p99": Undecided}, found)
	require.True(t, c.Undecided)
	require.Contains(t, c.Text(), "undecided: p99 of 900 operations rests on 9 of them, 10 are needed: 1,000 operations or more\n")

	found, _ = verdicts(fewer(1, 150), fewer(2, 167))
	require.Equal(t, map[string]string{"ops/s": Better, "p50": Better, "p99": Undecided}, found, "the old run has too few")
	found, c = verdicts(fewer(1, 1), fewer(0.5, 1))
	require.Equal(t, map[string]string{"ops/s": Worse, "p50": Worse, "p99": Worse}, found)
	require.True(t, c.Regressed)
	require.Contains(t, c.Text(), "REGRESSION, although p50 of 6 operations rests on 3 of them")
	found, _ = verdicts(fewer(1, 167), fewer(1, 167))
	require.Equal(t, map[string]string{"ops/s": Same, "p50": Same, "p99": Same}, found)
}
