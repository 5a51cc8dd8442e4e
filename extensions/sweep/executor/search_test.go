package executor

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/witness"
)

// searchStep is a step with this p99, to be compared with 5 ms.
func searchStep(p99 float64) []report.Step {
	return []report.Step{{Complete: true, Operations: 1000, Latency: report.LatencyMs{P99: p99}}}
}

func readFind(t *testing.T, options string) *Find {
	t.Helper()
	find := &Find{}
	require.NoError(t, json.Unmarshal([]byte(options), find))

	return find
}

// runSearch runs a search in which p99 returns the figure of a number's step. It returns the result
// and the numbers in order of their first try, and fails if there are more steps than announced to
// k6.
func runSearch(t *testing.T, find string, repeats int, p99 func(number float64) float64) (result *report.Search, tried []float64, steps int) {
	t.Helper()
	options := readFind(t, find)
	s := newSearch(options, repeats, false)
	tries := map[float64]int{}
	for {
		number, try, more := s.Next()
		if !more {
			return s.Result(), tried, steps
		}
		if tries[number]++; tries[number] == 1 {
			tried = append(tried, number)
		}
		require.Equal(t, tries[number], try, "each step of a number is a repeat of its own")
		steps++
		require.LessOrEqual(t, steps, options.MostSteps(repeats), "more steps than k6 was told")
		s.Tried(number, searchStep(p99(number)))
	}
}

func weight(s *search, steps []report.Step) int {
	met, _, _ := s.weigh(steps)

	return met
}

// upTo is noise-free: numbers up to answer meet the bound.
func upTo(answer float64) func(float64) float64 {
	return func(number float64) float64 {
		if number > answer {
			return 5.1
		}

		return 5
	}
}

func TestSearch(t *testing.T) {
	for answer := range 65 {
		result, _, _ := runSearch(t, `{"p99": "5ms", "max": 50}`, 1, upTo(float64(answer)))
		found := min(float64(answer), 50)
		require.InDelta(t, found, result.Found, 0, "exact up to 50")
		require.InDelta(t, found, result.Bracket.Low, 0)
		if found < 50 {
			require.InDelta(t, found+1, result.Bracket.High, 0)
		} else {
			require.Zero(t, result.Bracket.High)
		}
	}
	for _, answer := range []float64{1, 77, 511, 512, 4321, 99_999, 100_000} {
		result, tried, _ := runSearch(t, `{"p99": "5ms", "max": 100000}`, 1, upTo(answer))
		require.LessOrEqual(t, result.Found, answer)
		require.GreaterOrEqual(t, result.Found*1.02+1, answer, "tried %v", tried)
	}
	result, tried, _ := runSearch(t, `{"of": "rate", "p99": "5ms", "max": 1280}`, 1, upTo(25))
	require.Equal(t, []float64{10, 20, 40, 30, 25, 27, 26}, tried)
	require.Equal(t, &report.Search{Of: "rate", Bound: "p99 <= 5ms", Max: 1280, Found: 25, Bracket: &report.Bracket{Low: 25, High: 26}}, result)
	_, tried, steps := runSearch(t, `{"p99": "5ms", "min": 8, "max": 512}`, 1, upTo(4))
	require.Equal(t, []float64{8}, tried, "not even the first")
	require.Equal(t, 4, steps)
	_, _, steps = runSearch(t, `{"p99": "5ms", "min": 8, "max": 8}`, 5, upTo(8))
	require.Equal(t, 5, steps, "repeats are at least as many as asked for")
}

func TestSearchWithOneDisturbedStep(t *testing.T) {
	_, _, steps := runSearch(t, `{"p99": "5ms", "max": 64}`, 1, upTo(20))
	for disturbed := 1; disturbed <= steps; disturbed++ {
		n := 0
		result, _, _ := runSearch(t, `{"p99": "5ms", "max": 64}`, 1, func(number float64) float64 {
			if n++; n == disturbed {
				return 50
			}

			return upTo(20)(number)
		})
		require.InDelta(t, 20, result.Found, 0, "step %d", disturbed)
		require.LessOrEqual(t, result.Bracket.Low, 20.0)
		require.Greater(t, result.Bracket.High, 20.0)
	}
}

// With one wrong step in five, the documented error rates and the number of steps hold.
func TestSearchInNoise(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	const searches = 2000
	exact, held := 0, 0
	for range searches {
		answer := float64(1 + random.IntN(40))
		result, _, _ := runSearch(t, `{"p99": "5ms", "max": 64}`, 1, func(number float64) float64 {
			if random.Float64() < 0.2 {
				return 10 - upTo(answer)(number) + 0.05 // moves p99 to the other side of the bound
			}

			return upTo(answer)(number)
		})
		if result.Found == answer {
			exact++
		}
		if result.Bracket.Low <= answer && (result.Bracket.High == 0 || answer < result.Bracket.High) {
			held++
		}
	}
	require.Greater(t, exact, searches*80/100, "of %d searches", searches)
	require.Greater(t, held, searches*95/100, "of %d searches", searches)
}

func TestSearchEnds(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	for i := range 300 {
		broken := random.Float64()
		runSearch(t, `{"p99": "5ms", "max": 100000}`, 1+i%12, func(float64) float64 {
			if random.Float64() < broken {
				return 6
			}

			return 5
		})
	}
}

func TestWhatAStepSaysOfABound(t *testing.T) {
	find := readFind(t, `{"p50": "1ms", "p99": "5ms", "max": 8}`)
	good := report.Step{Op: "get", Operations: 1000, Complete: true, Latency: report.LatencyMs{P50: 1, P99: 5}}
	bad := good
	bad.Latency.P99 = 5.001
	failed, incomplete, empty, other := good, good, good, bad
	failed.Failed, incomplete.Complete, empty.Operations, other.Op = 1, false, 0, "set"
	for name, c := range map[string]struct {
		steps  []report.Step
		weight int
	}{
		"on the bound":         {[]report.Step{good}, 1},
		"above":                {[]report.Step{bad}, -1},
		"one kind of several":  {[]report.Step{good, other}, -1},
		"a failed operation":   {[]report.Step{good, failed}, -2},
		"a failed one, slowly": {[]report.Step{bad, failed}, -2},
		"an incomplete step":   {[]report.Step{incomplete}, -2},
		"nothing succeeded":    {[]report.Step{empty}, -2},
		"nothing was measured": {nil, -2},
	} {
		require.Equal(t, c.weight, weight(newSearch(find, 1, false), c.steps), name)
	}
}

// A step far within the bound counts twice: 5 of 1,000 operations above it, with 10 allowed.
func TestClearSteps(t *testing.T) {
	made := func(operations, slow int) []report.Step {
		var durations measure.Distribution
		for i := range operations {
			d := time.Millisecond
			if i < slow {
				d = 20 * time.Millisecond
			}
			durations.Record(d)
		}
		reading := measure.Reading{Complete: true, Elapsed: time.Second, Ops: []measure.Totals{{Op: "get", Durations: durations}}}
		steps := report.NewSteps(&reading, report.Step{Clients: 1, Repeat: 1}, "", report.CPUSeconds{})

		return steps
	}
	for _, tt := range []struct{ operations, slow, weight int }{
		{1000, 0, 2}, {1000, 5, 2}, {1000, 6, 1}, {1000, 10, 1}, {1000, 11, -1}, {999, 0, 1}, {10_000, 50, 2}, {10_000, 51, 1},
	} {
		got := weight(newSearch(readFind(t, `{"p99": "5ms", "max": 8}`), 1, false), made(tt.operations, tt.slow))
		require.Equal(t, tt.weight, got, "%d of %d", tt.slow, tt.operations)
	}
	for bound, want := range map[string]int{"1ms": 1, "2ms": 2, "1.9ms": 1, "0.9ms": -1} {
		require.Equal(t, want, weight(newSearch(readFind(t, `{"mean": "`+bound+`", "max": 8}`), 1, false), made(100, 0)), bound)
	}
}

// within is a step whose p99 has an interval.
func within(low, p99, high float64) []report.Step {
	steps := searchStep(p99)
	steps[0].Intervals = &report.Intervals{Coverage: 0.95, Latency: map[string]report.Range{"p99": {Low: low, High: high}}}

	return steps
}

// A step whose interval contains the bound is undecided. A step with a precision is not slow if its
// time ran out.
func TestIntervalsDecideAStep(t *testing.T) {
	find := readFind(t, `{"p99": "5ms", "max": 8}`)
	for name, c := range map[string]struct {
		steps  []report.Step
		weight int
	}{
		"around, and below": {within(4, 4.9, 5.5), 0},
		"around, and above": {within(4, 5.1, 5.5), 0},
		"below":             {within(4, 4.5, 5), 1},
		"above":             {within(5.01, 5.5, 6), -1},
		"one kind around":   {append(within(4, 4.5, 4.9), within(4, 4.9, 5.5)...), 0},
		"one kind above":    {append(within(4, 4.9, 5.5), within(5.1, 5.5, 6)...), -1},
	} {
		require.Equal(t, c.weight, weight(newSearch(find, 1, false), c.steps), name)
	}
	cut := within(4, 4.5, 4.9)
	cut[0].Complete = false
	require.Equal(t, -2, weight(newSearch(find, 1, false), cut))
	require.Equal(t, 1, weight(newSearch(find, 1, true), cut))
	cut[0].Intervals = nil
	require.Equal(t, -2, weight(newSearch(find, 1, true), cut), "nothing is known of it")
}

// A number close to the bound is undecided: it is reported, and is not the result. The numbers on
// both sides stay decided.
func TestSearchSaysWhatIsUndecided(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	for range 100 {
		s := newSearch(readFind(t, `{"p99": "5ms", "max": 64}`), 1, false)
		for {
			number, _, more := s.Next()
			if !more {
				break
			}
			p99 := 5 + (number-20)/10 + random.NormFloat64()/10 // 20 clients are exactly at the bound
			s.Tried(number, within(p99-0.3, p99, p99+0.3))
		}
		result := s.Result()
		require.Contains(t, result.Undecided, 20.0)
		require.Less(t, result.Found, 20.0, "not shown to keep it")
		require.Greater(t, result.Found, 12.0)
		require.LessOrEqual(t, result.Bracket.Low, result.Found)
		require.Greater(t, result.Bracket.High, 20.0)
		for _, n := range result.Undecided {
			require.Greater(t, n, result.Found)
		}
	}
}

// limited is a step with that p99 and a neighbour that used half of the machine.
func limited(p99 float64) []report.Step {
	steps := searchStep(p99)
	steps[0].Witness = &report.Witness{LimitedBy: witness.Neighbour, Why: "Others used 1 of 2 processors.", Evidence: witness.Evidence{
		witness.Processors: 2, witness.Others: 1,
	}}

	return steps
}

// A missed bound is undecided with a neighbour, unless the neighbour cannot explain it, as for
// gates.
func TestSearchBesideANeighbour(t *testing.T) {
	find := readFind(t, `{"p99": "5ms", "max": 8}`)
	late, still := searchStep(500), searchStep(1)
	late[0].OpenLoop = &report.OpenLoop{LateByK6: 0.02}
	still[0].Standstill = &report.Standstill{LongestMs: 300, Part: 0.3}
	for name, c := range map[string]struct {
		steps       []report.Step
		met, missed int
		why         string
	}{
		"kept":                {limited(4), 1, -1, ""},
		"broken":              {limited(30), -1, 0, "30.0ms with 1 client, limited by neighbour"},
		"broken ever so much": {limited(500), -1, 1, ""},
		"late itself":         {late, -1, 0, "500ms with 1 client, and k6 itself started 2 % of the operations late"},
		"stood still":         {still, -1, 1, ""},
	} {
		c.steps[0].Clients = 1
		met, missed, why := newSearch(find, 1, false).weigh(c.steps)
		require.Equal(t, c.met, met, name)
		require.Equal(t, c.missed, missed, name)
		require.Equal(t, c.why, why, name)
	}
}

// On a host with neighbours, a search obeys what gates obey: a step that a neighbour may have made
// slow shows nothing, and there is no result unless both of its sides are sure.
func TestSearchOfDisturbedHosts(t *testing.T) {
	for name, c := range map[string]struct {
		// step is the try of a number, from 1.
		step       func(number float64, try int) []report.Step
		found      float64
		low, high  float64
		undecided  []float64
		neighbours bool
	}{
		"calm": {
			step:  func(number float64, _ int) []report.Step { return searchStep(upTo(5)(number)) },
			found: 5, low: 5, high: 6,
		},
		"a neighbour, and far too slow from 6 on": {
			step: func(number float64, _ int) []report.Step {
				if number > 5 {
					return limited(500)
				}

				return limited(4)
			},
			found: 5, low: 5, high: 6,
		},
		"a neighbour, and slow from 6 on": {
			step: func(number float64, _ int) []report.Step {
				if number > 5 {
					return limited(9)
				}

				return limited(4)
			},
			low: 5, undecided: []float64{6, 8}, neighbours: true,
		},
		"a neighbour in every second step of 5, far too slow from 6 on": {
			step: func(number float64, try int) []report.Step {
				switch {
				case number > 5:
					return limited(500)
				case number == 5 && try%2 == 0:
					return limited(9)
				}

				return limited(4)
			},
			low: 4, high: 6, undecided: []float64{5}, neighbours: true,
		},
		"11 of 16 steps of 5 miss it": {
			step: func(number float64, try int) []report.Step {
				switch {
				case number > 5:
					return limited(500)
				case number == 5 && try%3 != 1:
					return limited(9)
				}

				return limited(1)
			},
			low: 4, high: 6, undecided: []float64{5}, neighbours: true,
		},
		"nearly half of the steps of 5 miss it": {
			step: func(number float64, try int) []report.Step {
				switch {
				case number > 5:
					return limited(500)
				case number == 5 && try > 2 && try%2 == 0:
					return limited(9)
				}

				return limited(4)
			},
			low: 4, high: 6, undecided: []float64{5}, neighbours: true,
		},
		"a neighbour in every step": {
			step:      func(float64, int) []report.Step { return limited(9) },
			undecided: []float64{1}, neighbours: true,
		},
		"a neighbour, and quick enough up to the maximum": {
			step:  func(float64, int) []report.Step { return limited(4) },
			found: 8, low: 8,
		},
		"a neighbour in some steps of a calm host": {
			step: func(number float64, try int) []report.Step {
				if try%3 == 0 {
					return limited(9)
				}

				return searchStep(upTo(5)(number))
			},
			found: 5, low: 5, high: 6,
		},
	} {
		s, tries := newSearch(readFind(t, `{"p99": "5ms", "max": 8}`), 1, false), map[float64][]float64{}
		for {
			number, try, more := s.Next()
			if !more {
				break
			}
			steps := c.step(number, try)
			tries[number] = append(tries[number], steps[0].Latency.P99)
			s.Tried(number, steps)
		}
		result := s.Result()
		require.Equal(t, c.found, result.Found, name)
		require.Equal(t, &report.Bracket{Low: c.low, High: c.high}, result.Bracket, name)
		require.Equal(t, c.undecided, result.Undecided, name)
		require.Equal(t, c.neighbours, strings.Contains(result.Why, "limited by neighbour"), name)
		if result.Found > 0 {
			require.LessOrEqual(t, report.Median(tries[result.Found]), 5.0, name)
		}
	}
}

func TestSearchOfShortSteps(t *testing.T) {
	short := func(operations int64) (*report.Search, int) {
		s := newSearch(readFind(t, `{"p99": "5ms", "min": 4, "max": 4}`), 1, false)
		for tries := 0; ; tries++ {
			number, _, more := s.Next()
			if !more {
				return s.Result(), tries
			}
			steps := searchStep(1)
			steps[0].Operations = operations
			s.Tried(number, steps)
		}
	}
	enough, tries := short(300)
	require.InDelta(t, 4, enough.Found, 0)
	require.Equal(t, 4, tries)
	few, _ := short(10)
	require.Zero(t, few.Found)
	require.Equal(t, []float64{4}, few.Undecided)
	require.Contains(t, few.Why, "p99 of ")
}
