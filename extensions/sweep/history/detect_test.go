package history

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// noisy makes n values with 2 % of noise and outliers in one of twenty. From each index in steps
// on, the level is multiplied.
func noisy(random *rand.Rand, n int, steps map[int]float64) (values []float64, commits []string) {
	level := 100.0
	for i := range n {
		if ratio, there := steps[i]; there {
			level *= ratio
		}
		v := level * math.Exp(0.02*random.NormFloat64())
		if random.IntN(20) == 0 {
			v *= 1 + random.Float64()
		}
		values, commits = append(values, v), append(commits, strconv.Itoa(i))
	}

	return values, commits
}

func found(values []float64, commits []string, o Options) []Change {
	changes, _ := detect(values, commits, o)

	return changes
}

func TestChangesAreFoundWithTheirSizeAndPlace(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	inside, sized, all, alarms := 0, 0, 0, 0
	for range 60 {
		values, commits := noisy(random, 200, map[int]float64{60: 1.05, 130: 0.94})
		changes := found(values, commits, Options{Least: 0.02})
		require.GreaterOrEqual(t, len(changes), 2)
		alarms += len(changes) - 2
		if len(changes) > 2 {
			continue
		}
		for i, want := range []struct {
			at    int
			ratio float64
		}{{60, 1.05}, {130, 0.94}} {
			c := changes[i]
			require.InDelta(t, want.at, c.At, 15)
			require.LessOrEqual(t, c.From, c.At)
			require.GreaterOrEqual(t, c.To, c.At)
			require.LessOrEqual(t, c.P, DefaultAlpha)
			all++
			if c.From <= want.at && want.at <= c.To {
				inside++
			}
			if c.Low <= want.ratio && want.ratio <= c.High {
				sized++
			}
		}
	}
	require.LessOrEqual(t, alarms, 2, "in 12,000 commits")
	require.GreaterOrEqual(t, float64(inside)/float64(all), 0.85, "places")
	require.GreaterOrEqual(t, float64(sized)/float64(all), 0.88, "sizes, which the choice of the place makes a little larger")
}

func TestNothingIsFoundWhereNothingChanged(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	alarms := 0
	for range 100 {
		values, commits := noisy(random, 200, nil)
		alarms += len(found(values, commits, Options{}))
	}
	require.LessOrEqual(t, alarms, 1, "in 20,000 commits")

	// Correlated values drift without a change.
	for range 100 {
		values, commits := noisy(random, 200, nil)
		wander := 0.0
		for i := range values {
			wander = 0.6*wander + 0.02*random.NormFloat64()
			values[i] *= math.Exp(wander)
		}
		alarms += len(found(values, commits, Options{}))
	}
	require.LessOrEqual(t, alarms, 20, "in 40,000 commits")
}

func TestFewValues(t *testing.T) {
	for n := range 2 * FewestRuns {
		values, commits := noisy(rand.New(rand.NewPCG(1, 1)), n, map[int]float64{n / 2: 2})
		require.Empty(t, found(values, commits, Options{}))
	}
	require.Empty(t, found([]float64{5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5}, make([]string, 12), Options{}))
	values, commits := []float64{}, []string{}
	for i := range 12 {
		values, commits = append(values, 5+float64(i/6)), append(commits, strconv.Itoa(i))
	}
	require.Equal(t, 6, found(values, commits, Options{})[0].At, "without any noise")
}

func TestRunsOfOneCommitStayTogether(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		values, commits := noisy(random, 90, map[int]float64{40: 1.1})
		for i := range commits {
			commits[i] = strconv.Itoa(i / 3)
		}
		for _, c := range found(values, commits, Options{}) {
			require.Zero(t, c.At%3)
			require.InDelta(t, 39, c.At, 6)
		}
	}
}

func TestWanderingMachineIsNoChange(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	const histories = 20
	alarms := 0
	for range histories {
		values, commits := noisy(random, 400, nil)
		for _, hours := range []float64{2, 8, 32, 128} {
			keeps, now := math.Exp(-1/hours), 0.0
			for i := range values {
				now = keeps*now + math.Sqrt(1-keeps*keeps)*random.NormFloat64()
				values[i] *= math.Exp(0.05 * now)
			}
		}
		alarms += len(found(values, commits, Options{Least: 0.02}))
	}
	require.LessOrEqual(t, alarms, histories/4, "in %d histories of 400 commits", histories)
}

// A change of the size Visible is found in about four of five cases.
func TestVisibleIsWhatIsFound(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 14))
	const histories = 100
	values, commits := noisy(random, 200, nil)
	_, visible := detect(values, commits, Options{})
	require.InDelta(t, 0.03, visible, 0.02)
	found := func(size float64) (n int) {
		for range histories {
			values, commits := noisy(random, 200, map[int]float64{90: 1 + size, 90 + shownIn: 1 + size})
			n += min(len(found(values, commits, Options{})), 2)
		}

		return n
	}
	require.Greater(t, found(visible), 2*histories*8/10)
	require.Less(t, found(visible/8), 2*histories*3/10)

	few, commits := noisy(random, 2*FewestRuns-1, nil)
	_, visible = detect(few, commits, Options{})
	require.True(t, math.IsInf(visible, 1), "too few runs show nothing")
}

// A change that was found with 20 runs after it stays, or moves within its interval, when runs are
// added.
func TestChangesStayWhenMoreRunsCome(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	moved, looks := 0, 0
	for range 10 {
		values, commits := noisy(random, 240, map[int]float64{50: 1.06, 110: 0.95, 170: 1.08})
		var before []Change
		for n := 60; n <= len(values); n += 3 {
			now := found(values[:n], commits[:n], Options{Least: 0.02})
			for _, c := range before {
				looks++
				if !slices.ContainsFunc(now, func(o Change) bool { return c.From <= o.At && o.At <= c.To }) {
					moved++
				}
			}
			before = slices.DeleteFunc(now, func(c Change) bool { return c.At > n-20 })
		}
	}
	require.Greater(t, looks, 800)
	require.LessOrEqual(t, float64(moved)/float64(looks), 0.01, "%d of %d", moved, looks)
}

func TestHistoryOfRuns(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	var records []Record
	for i := range 60 {
		rate := 1000 * math.Exp(0.01*random.NormFloat64())
		kernel := "6.1"
		if i >= 30 {
			rate, kernel = rate*0.92, "6.8"
		}
		r, err := NewRecord(run(rate, func(r *report.Report) {
			r.Started = r.Started.AddDate(0, 0, -i) // measured in reverse order
			r.Fingerprint = &report.Fingerprint{Kernel: kernel}
			if i%7 == 0 {
				r.Steps[0].Failed = 1
			}
		}), commit(i), "")
		require.NoError(t, err)
		records = append(records, *r)
	}
	random.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
	h := New(records, Options{})
	require.Len(t, h.Setups, 1)
	s := h.Setups[0]
	require.Len(t, s.Commits, 60)
	require.Equal(t, commit(0).ID, s.Commits[0].ID)
	seen := map[string]bool{}
	for _, one := range s.Series {
		seen[one.Name()] = true
		if one.Key.Clients == 8 {
			require.Len(t, one.Points, 60)
		} else {
			require.Less(t, len(one.Points), 60, "a step with a flaw has no figure")
		}
		if one.Figure.Key == "mean" {
			require.Empty(t, one.Changes)

			continue
		}
		require.Len(t, one.Changes, 1, one.Name())
		c := one.Changes[0]
		require.Equal(t, commit(30).ID, c.First.ID)
		require.Equal(t, commit(29).Short(), c.Last.Short())
		require.True(t, c.Worse)
		require.Equal(t, []string{"fingerprint.kernel: 6.1, then 6.8"}, c.Also)
		require.Regexp(t, `^\d\.\d{3}x \(\d\.\d{3} to \d\.\d{3}\)$`, c.Text())
	}
	require.True(t, seen["ops/s of get, 8 clients"], seen)
}
