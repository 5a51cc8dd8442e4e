package report

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// compareRun makes up a run of get with 1 and 64 clients. The speed is the part of the usual one that each repeat came to.
func compareRun(speeds ...float64) *Report {
	r := &Report{
		Schema: Schema, Scenario: "cache", Started: time.Date(2026, 3, 1, 12, 30, 0, 0, time.UTC), K6: "v2.2.0",
		Host:   Host{CPU: "Imaginary 9000", Cores: 8, OS: "linux/amd64"},
		Target: map[string]any{"kind": "memcached", "version": "1.6.38"},
		Params: map[string]any{"warmup": "2s"},
	}
	for _, clients := range []int{1, 64} {
		for i, speed := range speeds {
			r.Steps = append(r.Steps, Step{
				Clients: clients, Repeat: i + 1, Op: "get", Operations: 1000, Complete: true, Seconds: 1,
				OpsPerSecond: 1000 * float64(clients) * speed,
				Latency:      LatencyMs{P50: 0.5 * float64(clients) / speed, P99: float64(clients) / speed},
			})
		}
	}

	return r
}

// compareSteady are repeats of which none is like another.
func compareSteady(part float64) *Report {
	return compareRun(part, 1.01*part, 0.99*part, 1.005*part, 0.995*part, 1.015*part)
}

func compareChanged(r *Report, change func(*Report)) *Report {
	change(r)

	return r
}

// comparisons are those of the golden files.
func comparisons() map[string][2]*Report {
	return map[string][2]*Report{
		"same":    {compareSteady(1), compareSteady(1)},
		"better":  {compareSteady(1), compareSteady(2)},
		"worse":   {compareSteady(1), compareSteady(0.97)},
		"regress": {compareSteady(1), compareSteady(0.5)},
		"once":    {compareRun(1), compareRun(0.5)},
		"flawed": {
			compareChanged(compareSteady(1), func(r *Report) {
				r.Steps = append(r.Steps, Step{Clients: 8, Repeat: 1, Op: "set", Operations: 1, Complete: true})
				r.Steps[0].Complete = false
			}),
			compareChanged(compareSteady(1), func(r *Report) {
				r.Steps = append(r.Steps, Step{Clients: 8, Rate: 500.5, Repeat: 1, Op: "set", Operations: 1, Complete: true})
				r.Steps[7].Failed = 1234
			}),
		},
		"otherwise": {
			compareSteady(1),
			compareChanged(compareSteady(1), func(r *Report) {
				r.Scenario, r.Host.Cores, r.Target["version"], r.Params["warmup"], r.Interrupted = "other", 4, "1.7", "5s", true
			}),
		},
	}
}

func TestCompareGolden(t *testing.T) {
	for name, runs := range comparisons() {
		t.Run(name, func(t *testing.T) {
			c, err := Compare(runs[0], runs[1], CompareOptions{Tolerance: 0.05})
			require.NoError(t, err)
			c.Old.Name, c.New.Name = "old.json", "new.json"
			requireGolden(t, "compare-"+name+".txt", c.Text())
			out, err := c.JSON()
			require.NoError(t, err)
			requireGolden(t, "compare-"+name+".json", string(out))
			require.True(t, json.Valid(out))
		})
	}
}

func TestCompareVerdicts(t *testing.T) {
	for _, tt := range []struct {
		name          string
		before, after *Report
		verdict       string
		regressed     bool
	}{
		{"the same", compareSteady(1), compareSteady(1), Same, false},
		{"better", compareSteady(1), compareSteady(1.5), Better, false},
		{"worse within the tolerance", compareSteady(1), compareSteady(0.97), Worse, false},
		{"worse", compareSteady(1), compareSteady(0.9), Worse, true},
		{"too few old", compareRun(1, 1, 1), compareSteady(0.1), Same, false},
		{"too few new", compareSteady(1), compareRun(0.1, 0.1, 0.1), Same, false},
		{"four each", compareRun(1, 1.1, 1.2, 1.3), compareRun(0.1, 0.2, 0.3, 0.4), Worse, true},
		{"one that is out of order", compareRun(1, 1.1, 1.2, 1.3), compareRun(0.1, 0.2, 0.3, 1.15), Same, false},
	} {
		c, err := Compare(tt.before, tt.after, CompareOptions{Tolerance: 0.05})
		require.NoError(t, err)
		require.Len(t, c.Rows, 6)
		require.Equal(t, tt.regressed, c.Regressed, tt.name)
		for _, r := range c.Rows {
			require.Equal(t, tt.verdict, r.Verdict, "%s: %s", tt.name, r.Figure)
			require.Equal(t, tt.regressed, r.Regressed, "%s: %s", tt.name, r.Figure)
		}
	}
}

// What the new run lacks is a regression, and never compared; what the old one lacks is only not compared.
func TestCompareOfFlawedRuns(t *testing.T) {
	for problem, change := range map[string]func(*Report){
		"missing":                            func(r *Report) { r.Steps = r.Steps[:6] },
		"incomplete (repeat 2)":              func(r *Report) { r.Steps[7].Complete = false },
		"1 failed (repeat 6)":                func(r *Report) { r.Steps[11].Failed = 1 },
		"no operation succeeded (repeat 1)":  func(r *Report) { r.Steps[6].Operations = 0 },
		"1,000,000 failed (repeat 1)":        func(r *Report) { r.Steps[6].Failed = 1_000_000 },
		"incomplete (repeat 1)":              func(r *Report) { r.Steps[6].Complete, r.Steps[6].Failed = false, 1 },
		"no operation succeeded (repeat 4)":  func(r *Report) { r.Steps[9].Operations = 0 },
		"no operation succeeded (repeat 17)": func(r *Report) { r.Steps[9].Repeat, r.Steps[9].Operations = 17, 0 },
	} {
		c, err := Compare(compareSteady(1), compareChanged(compareSteady(1), change), CompareOptions{})
		require.NoError(t, err)
		require.True(t, c.Regressed, problem)
		rows := slices.DeleteFunc(c.Rows, func(r Row) bool { return r.Clients != 64 })
		require.Len(t, rows, 3)
		for _, r := range rows {
			require.Equal(t, []any{NotComparable, problem + " in new", true}, []any{r.Verdict, r.Problem, r.Regressed})
			require.Nil(t, r.Ratio)
		}

		c, err = Compare(compareChanged(compareSteady(1), change), compareSteady(1), CompareOptions{})
		require.NoError(t, err)
		require.False(t, c.Regressed, problem)
		rows = slices.DeleteFunc(c.Rows, func(r Row) bool { return r.Clients != 64 })
		require.Len(t, rows, 3)
		for _, r := range rows {
			require.Equal(t, []any{NotComparable, problem + " in old", false}, []any{r.Verdict, r.Problem, r.Regressed})
		}
	}
}

func TestCompareOfNothing(t *testing.T) {
	empty := &Report{Scenario: "cache"}
	for wrong, tt := range map[string]struct {
		before, after *Report
		o             CompareOptions
	}{
		"there is nothing to compare with: the old run has no steps":                             {empty, compareRun(1), CompareOptions{}},
		"there is nothing to compare: the new run has no steps":                                  {compareRun(1), empty, CompareOptions{}},
		"a tolerance of -0.1 is impossible: it must be from 0 and below 1, such as 0.05 for 5 %": {compareRun(1), compareRun(1), CompareOptions{Tolerance: -0.1}},
		"a tolerance of 5 is impossible: it must be from 0 and below 1, such as 0.05 for 5 %":    {compareRun(1), compareRun(1), CompareOptions{Tolerance: 5}},
		"an alpha of 1 is impossible: it must be above 0 and below 1":                            {compareRun(1), compareRun(1), CompareOptions{Alpha: 1}},
		"an alpha of -1 is impossible: it must be above 0 and below 1":                           {compareRun(1), compareRun(1), CompareOptions{Alpha: -1}},
	} {
		_, err := Compare(tt.before, tt.after, tt.o)
		require.EqualError(t, err, wrong)
	}
}

// A median of zero has no ratio, but is no reason to miss what got worse.
func TestCompareWithZero(t *testing.T) {
	before := compareChanged(compareSteady(1), func(r *Report) {
		for i := range r.Steps {
			r.Steps[i].Latency.P99 = 0
		}
	})
	c, err := Compare(before, compareSteady(1), CompareOptions{Tolerance: 0.05})
	require.NoError(t, err)
	require.True(t, c.Regressed)
	for _, r := range c.Rows {
		if r.Figure == "p99" {
			require.Nil(t, r.Ratio)
			require.Equal(t, Worse, r.Verdict)
		}
	}
	require.Len(t, c.Geomeans, 2, "of ops/s and p50")
}
