package report

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// compareRun makes a run of get with 1 and 64 clients. speeds are relative, one for each repeat.
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

// compareSteady has repeats that differ slightly.
func compareSteady(part float64) *Report {
	return compareRun(part, 1.01*part, 0.99*part, 1.005*part, 0.995*part, 1.015*part)
}

func compareChanged(r *Report, change func(*Report)) *Report {
	change(r)

	return r
}

// comparisons are the cases of the golden files.
func comparisons() map[string][2]*Report {
	whole := compareRun(1).Steps[1] // the only comparable step
	whole.Clients = 2

	return map[string][2]*Report{
		"same":    {compareSteady(1), compareSteady(1)},
		"better":  {compareSteady(1), compareSteady(2)},
		"worse":   {compareSteady(1), compareSteady(0.97)},
		"regress": {compareSteady(1), compareSteady(0.5)},
		"once":    {compareRun(1), compareRun(0.5)},
		"flawed": {
			compareChanged(compareSteady(1), func(r *Report) {
				r.Steps = append(r.Steps, Step{Clients: 8, Repeat: 1, Op: "set", Operations: 1, Complete: true}, whole)
				r.Steps[0].Complete = false
			}),
			compareChanged(compareSteady(1), func(r *Report) {
				r.Steps = append(r.Steps, Step{Clients: 8, Rate: 500.5, Repeat: 1, Op: "set", Operations: 1, Complete: true}, whole)
				r.Steps[7].Failed = 1234
			}),
		},
		"otherwise": {
			compareSteady(1),
			compareChanged(compareSteady(1), func(r *Report) {
				r.Host.Cores, r.Target["version"], r.Params["warmup"], r.Interrupted = 4, "1.7", "5s", true
			}),
		},
	}
}

// longNumber has last digits that depend on the processor: arm64 fuses multiply and add.
var longNumber = regexp.MustCompile(`\d+\.\d{9,}(e[-+]\d+)?`)

func TestCompareGolden(t *testing.T) {
	for name, runs := range comparisons() {
		t.Run(name, func(t *testing.T) {
			c, err := Compare(runs[0], runs[1], CompareOptions{Tolerance: 0.05})
			require.NoError(t, err)
			c.Old.Name, c.New.Name = "old.json", "new.json"
			requireGolden(t, "compare-"+name+".txt", c.Text())
			out, err := json.MarshalIndent(c, "", "  ")
			require.NoError(t, err)
			requireGolden(t, "compare-"+name+".json", longNumber.ReplaceAllStringFunc(string(out)+"\n", func(number string) string {
				v, err := strconv.ParseFloat(number, 64)
				require.NoError(t, err)

				return strconv.FormatFloat(v, 'g', 9, 64)
			}))
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
		{"too few old", compareRun(1, 1, 1), compareSteady(0.1), Undecided, false},
		{"too few new", compareSteady(1), compareRun(0.1, 0.1, 0.1), Undecided, false},
		{"half of it, once", compareRun(1), compareRun(0.5), Undecided, false},
		{"four each", compareRun(1, 1.1, 1.2, 1.3), compareRun(0.3, 0.35, 0.4, 0.45), Worse, true},
		{"one that is out of order", compareRun(1, 1.1, 1.2, 1.3), compareRun(0.1, 0.2, 0.3, 1.15), Undecided, false},
		{"the same, with repeats that differ", compareRun(1, 1.1, 1.2, 1.3), compareRun(1, 1.1, 1.2, 1.3), Undecided, false},
		{"near to the tolerance", compareSteady(1), compareSteady(0.95), Undecided, false},
	} {
		c, err := Compare(tt.before, tt.after, CompareOptions{Tolerance: 0.05})
		require.NoError(t, err)
		require.Len(t, c.Rows, 6)
		require.Equal(t, tt.regressed, c.Regressed, tt.name)
		require.Equal(t, tt.verdict == Undecided, c.Undecided, tt.name)
		for _, r := range c.Rows {
			require.Equal(t, tt.verdict, r.Verdict, "%s: %s", tt.name, r.Figure)
			require.Equal(t, tt.regressed, r.Regressed, "%s: %s", tt.name, r.Figure)
		}
	}
}

// A step that only the new run lacks is a regression. One that only the old run lacks is not
// comparable.
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
		require.True(t, c.Undecided, "%s: there is nothing to judge it by", problem)
		rows = slices.DeleteFunc(c.Rows, func(r Row) bool { return r.Clients != 64 })
		require.Len(t, rows, 3)
		for _, r := range rows {
			require.Equal(t, []any{NotComparable, problem + " in old", false}, []any{r.Verdict, r.Problem, r.Regressed})
		}
	}
}

// Percentiles hide a standstill. In the new run it is a regression, in the old one it makes
// latencies undecided. ops/s still show it.
func TestCompareOfStandstills(t *testing.T) {
	stopped := func(r *Report) { r.Steps[7].Standstill = &Standstill{LongestMs: 200, Part: 0.2} }
	steady, still := compareSteady(1), compareChanged(compareSteady(1), stopped)
	late := compareChanged(compareSteady(1), func(r *Report) {
		r.Steps[7].OpenLoop = &OpenLoop{LateByK6: 0.03}
		r.Steps[7].Latency.P99 *= 1000
	})
	const why = "it stood still for 20 % of the time: no operation ended for up to 0.200s"
	const byK6 = "k6 itself started 3 % of the operations late"
	for name, tt := range map[string]struct {
		before, after           *Report
		verdict, problem, cause string
		regressed               bool
	}{
		"new":  {steady, still, NotComparable, why + " in new", "", true},
		"old":  {still, steady, Undecided, "", why + " in old", false},
		"both": {still, still, Undecided, "", why + " in old", false},
		"k6":   {steady, late, Undecided, "", byK6 + " in new", false},
	} {
		c, err := Compare(tt.before, tt.after, CompareOptions{Tolerance: 0.05})
		require.NoError(t, err)
		require.Equal(t, []bool{tt.regressed, !tt.regressed}, []bool{c.Regressed, c.Undecided}, name)
		for _, r := range c.Rows {
			if r.Clients == 64 && r.Figure != "ops/s" {
				require.Equal(t, []any{tt.verdict, tt.problem, tt.cause, tt.regressed}, []any{r.Verdict, r.Problem, r.Reason, r.Regressed}, name)
			} else {
				require.Equal(t, []any{Same, false}, []any{r.Verdict, r.Regressed}, name)
			}
		}
	}
}

func TestCompareOfNothing(t *testing.T) {
	empty := &Report{Scenario: "cache"}
	other := compareChanged(compareRun(1), func(r *Report) { r.Scenario = "queue" })
	failed := compareChanged(compareRun(1), func(r *Report) { r.Steps[0].Failed, r.Steps[1].Failed = 3, 4 })
	elsewhere := compareChanged(compareRun(1), func(r *Report) { r.Steps[0].Clients, r.Steps[1].Clients = 2, 4 })
	for wrong, tt := range map[string]struct {
		before, after *Report
		o             CompareOptions
	}{
		"there is nothing to compare with: the old run has no steps":                                  {empty, compareRun(1), CompareOptions{}},
		"there is nothing to compare: the new run has no steps":                                       {compareRun(1), empty, CompareOptions{}},
		`the runs are of different scenarios, "cache" and "queue": only those of one can be compared`: {compareRun(1), other, CompareOptions{}},
		"no step can be compared, such as get, 1 client: 3 failed (repeat 1) in new":                  {compareRun(1), failed, CompareOptions{}},
		"no step can be compared, such as get, 1 client: 3 failed (repeat 1) in old":                  {failed, compareRun(1), CompareOptions{}},
		"no step can be compared, such as get, 1 client: missing in new":                              {compareRun(1), elsewhere, CompareOptions{}},
		"a tolerance of -0.1 is impossible: it must be from 0 and below 1, such as 0.05 for 5 %":      {compareRun(1), compareRun(1), CompareOptions{Tolerance: -0.1}},
		"a tolerance of 5 is impossible: it must be from 0 and below 1, such as 0.05 for 5 %":         {compareRun(1), compareRun(1), CompareOptions{Tolerance: 5}},
		"an alpha of 1 is impossible: it must be above 0 and below 1":                                 {compareRun(1), compareRun(1), CompareOptions{Alpha: 1}},
		"an alpha of -1 is impossible: it must be above 0 and below 1":                                {compareRun(1), compareRun(1), CompareOptions{Alpha: -1}},
	} {
		_, err := Compare(tt.before, tt.after, tt.o)
		require.EqualError(t, err, wrong)
	}
}

func TestCompareOfAnInterruptedRun(t *testing.T) {
	interrupted := compareChanged(compareSteady(1), func(r *Report) { r.Interrupted = true })
	c, err := Compare(compareSteady(1), interrupted, CompareOptions{})
	require.NoError(t, err)
	require.True(t, c.Regressed)
	require.Equal(t, []string{"the new run was interrupted, which counts as a regression"}, c.Warnings)

	c, err = Compare(interrupted, compareSteady(1), CompareOptions{})
	require.NoError(t, err)
	require.False(t, c.Regressed)
}

// searched makes a run of a search over some numbers of clients, with its result.
func searched(found float64, clients ...int) *Report {
	r := compareRun()
	r.Search = &Search{Of: "clients", Bound: "p99 <= 5ms", Max: 512, Found: found}
	for _, n := range clients {
		r.Steps = append(r.Steps, Step{Clients: n, Repeat: 1, Op: "get", Operations: 1000, Complete: true, Seconds: 1, OpsPerSecond: 1000})
	}

	return r
}

func TestCompareOfSearches(t *testing.T) {
	before := searched(48, 1, 32, 64, 48)
	for _, tt := range []struct {
		name      string
		after     *Report
		rows      int
		regressed bool
		text      string
	}{
		{"the same", searched(48, 1, 32, 64, 48), 4, false, "\nsearch: the most clients with p99 <= 5ms: old 48, new 48, 1.000x\n"},
		{"other refinements", searched(46, 1, 32, 64, 46), 3, false, "old 48, new 46, 0.958x\n"},
		{"less found", searched(40, 1, 32, 64, 40), 3, true, "old 48, new 40, 0.833x  REGRESSION\n"},
		{"nothing found", searched(0, 1), 1, true, "old 48, new 0, 0x  REGRESSION\n"},
		{
			"undecided", compareChanged(searched(0, 1, 32, 64), func(r *Report) { r.Search.Bracket = &Bracket{Low: 32, High: 64} }), 3, false,
			"old 48, new undecided (32 to 64)\n",
		},
		{"more found", searched(64, 1, 32, 64), 3, false, "old 48, new 64, 1.333x\n"},
		{"no step in common", searched(50, 2, 50), 0, false, "old 48, new 50, 1.042x\n"},
		{"a failed step", compareChanged(searched(48, 1, 32, 64, 48), func(r *Report) { r.Steps[1].Failed = 1 }), 4, true, "1 failed"},
	} {
		c, err := Compare(before, tt.after, CompareOptions{Tolerance: 0.05})
		require.NoError(t, err, tt.name)
		require.Len(t, c.Rows, 3*tt.rows, tt.name)
		require.Equal(t, tt.regressed, c.Regressed, tt.name)
		require.Contains(t, c.Text(), tt.text, tt.name)
	}

	// Overlapping brackets are not a regression.
	for _, tt := range []struct {
		name       string
		old, found float64
		oldBracket Bracket
		bracket    *Bracket
		regressed  bool
		text       string
	}{
		{"9 and then 8", 9, 8, Bracket{9, 10}, &Bracket{8, 9}, false, "old 9 (9 to 10), new 8 (8 to 9), 0.889x\n"},
		{"9 and then 7", 9, 7, Bracket{9, 10}, &Bracket{7, 8}, true, "old 9 (9 to 10), new 7 (7 to 8), 0.778x  REGRESSION\n"},
		{"an unsure answer", 9, 7, Bracket{7, 10}, &Bracket{7, 8}, false, "old 9 (7 to 10), new 7 (7 to 8)"},
		{"no number is too high", 9, 7, Bracket{9, 10}, &Bracket{7, 0}, false, "new 7 (7 or more)"},
		{"of an older build", 9, 7, Bracket{9, 10}, nil, true, "old 9 (9 to 10), new 7, 0.778x  REGRESSION\n"},
		{"within the tolerance", 100, 96, Bracket{100, 101}, &Bracket{96, 97}, false, "old 100 (100 to 101), new 96 (96 to 97), 0.960x\n"},
	} {
		withBracket := func(found float64, b *Bracket) *Report {
			return compareChanged(searched(found, 1, 2), func(r *Report) { r.Search.Bracket = b })
		}
		c, err := Compare(withBracket(tt.old, &tt.oldBracket), withBracket(tt.found, tt.bracket), CompareOptions{Tolerance: 0.05})
		require.NoError(t, err, tt.name)
		require.Equal(t, tt.regressed, c.Regressed, tt.name)
		require.False(t, c.Undecided, "%s: of its steps, one repeat each is as it has to be", tt.name)
		require.Contains(t, c.Text(), tt.text, tt.name)
	}

	fails := func(r *Report) { r.Steps[2].Failed = 1 }
	c, err := Compare(compareChanged(searched(48, 1, 32, 64, 48), fails), compareChanged(searched(48, 1, 32, 64, 48), fails), CompareOptions{})
	require.NoError(t, err)
	require.False(t, c.Regressed, "both searches end where operations fail")

	other := compareChanged(searched(40, 1, 32, 64, 40), func(r *Report) { r.Search.Bound = "p99 <= 1ms" })
	c, err = Compare(before, other, CompareOptions{})
	require.NoError(t, err)
	require.Nil(t, c.Search)
	require.False(t, c.Regressed)
	require.Equal(t, []string{`search.bound differs: "p99 <= 5ms" and "p99 <= 1ms"`}, c.Warnings)

	rates := searched(0, 1)
	rates.Search.Of = "rate"
	c, err = Compare(rates, rates, CompareOptions{})
	require.NoError(t, err)
	require.Contains(t, c.Text(), "search: the highest rate with p99 <= 5ms: old 0/s, new 0/s\n")
}

func TestCompareWithZero(t *testing.T) {
	before := compareChanged(compareSteady(1), func(r *Report) {
		for i := range r.Steps {
			r.Steps[i].Latency.P99 = 0
		}
	})
	c, err := Compare(before, compareSteady(1), CompareOptions{Tolerance: 0.05})
	require.NoError(t, err)
	require.False(t, c.Regressed)
	require.True(t, c.Undecided)
	for _, r := range c.Rows {
		if r.Figure == "p99" {
			require.Nil(t, r.Ratio)
			require.Equal(t, []string{Undecided, "a value of 0 has no ratio"}, []string{r.Verdict, r.Reason})
		}
	}
}

func TestCompareOfManyStepsRaisesNoFalseAlarm(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	const trials = 300
	alarms := 0
	for range trials {
		made := func() *Report {
			r := compareRun()
			for clients := 1; clients <= 20; clients++ {
				for repeat := 1; repeat <= 5; repeat++ {
					noise := func() float64 { return math.Exp(0.05 * random.NormFloat64()) }
					r.Steps = append(r.Steps, Step{
						Clients: clients, Repeat: repeat, Op: "get", Operations: 1000, Complete: true, Seconds: 1,
						OpsPerSecond: 1000 * noise(), Latency: LatencyMs{P50: noise(), P99: noise()},
					})
				}
			}

			return r
		}
		c, err := Compare(made(), made(), CompareOptions{Tolerance: 0})
		require.NoError(t, err)
		if c.Regressed {
			alarms++
		}
	}
	require.Less(t, float64(alarms)/trials, 0.05)
	require.Positive(t, alarms, "of no tolerance at all")
}

// A row with few operations is undecided in the JSON too, unless it is worse anyway.
func TestOutcomeOfFewOperations(t *testing.T) {
	few := func(r *Report) *Report {
		return compareChanged(r, func(r *Report) {
			for i := range r.Steps {
				r.Steps[i].Operations = 100
			}
		})
	}
	for part, want := range map[float64][]string{1: {Undecided, "undecided"}, 0.5: {Worse, "crossed"}} {
		c, err := Compare(compareSteady(1), few(compareSteady(part)), CompareOptions{Tolerance: 0.05})
		require.NoError(t, err)
		for _, r := range c.Rows {
			if r.Figure == "p99" {
				require.Equal(t, want, []string{r.Verdict, string(r.Outcome)})
				require.Contains(t, r.Reason, "p99 of 600 operations")
			}
		}
	}
}
