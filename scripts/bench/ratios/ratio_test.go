package main

import (
	"math"
	"testing"
)

func roundsOf(values ...float64) figures {
	runs := make([]figures, 0, len(values))
	for _, v := range values {
		runs = append(runs, figures{OpsPerSecond: 100 * v, CPUMicros: v})
	}

	return median(runs)
}

// Each round is a pair: what slows both programs down is in no ratio.
func TestRatioIsOfPairs(t *testing.T) {
	k6, other := roundsOf(1.1, 11, 2.2, 110, 5.5), roundsOf(1, 10, 2, 100, 5)
	for name, figure := range map[string]func(figures) float64{"rate": rate, "processor": processor} {
		if r := k6.over(other, figure); math.Abs(r.middle-1.1) > 1e-9 || math.Abs(r.high-r.low) > 1e-9 {
			t.Errorf("%s: %+v, want 1.1", name, r)
		}
	}
}

// The intervals are those of order statistics: the binomial distribution says how many may be left
// out at either end.
func TestIntervalOfRounds(t *testing.T) {
	for n, want := range map[int][2]float64{5: {1, 5}, 7: {1, 7}, 8: {2, 7}, 11: {3, 9}, 20: {6, 15}} {
		rounds := make([]float64, 0, n)
		for i := range n {
			rounds = append(rounds, float64(n-i))
		}
		if r := ratioOf(rounds); r.low != want[0] || r.high != want[1] {
			t.Errorf("%d rounds: %v to %v, want %v", n, r.low, r.high, want)
		}
	}
	for _, few := range [][]float64{{1}, {1, 1}, {1, 1, 1, 1}} {
		if r := ratioOf(few); r.low != 0 || !math.IsInf(r.high, 1) {
			t.Errorf("%d rounds are certain: %+v", len(few), r)
		}
	}
}

func TestOutcomes(t *testing.T) {
	for _, c := range []struct {
		rounds []float64
		bound  bound
		want   outcome
		text   string
	}{
		{[]float64{1, 1.1, 1.2, 1.1, 1}, atMost(1.2), held, "1.10 [1.00, 1.20] (<= 1.20)"},
		{[]float64{1, 1.1, 1.3, 1.1, 1}, atMost(1.2), undecided, "1.10 [1.00, 1.30] (<= 1.20: undecided)"},
		{[]float64{1.3, 1.3, 1.4, 1.3, 1.3}, atMost(1.2), crossed, "1.30 [1.30, 1.40] (<= 1.20: crossed)"},
		{[]float64{0.9, 1, 1, 1, 1}, atLeast(0.9), held, "1.00 [0.90, 1.00] (>= 0.90)"},
		{[]float64{0.8, 1, 1, 1, 1}, atLeast(0.9), undecided, "1.00 [0.80, 1.00] (>= 0.90: undecided)"},
		{[]float64{0.8, 0.8, 0.8, 0.8, 0.8}, atLeast(0.9), crossed, "0.80 (>= 0.90: crossed)"},
		{[]float64{1, 1, 1}, atLeast(0.9), undecided, "1.00, of too few rounds (>= 0.90: undecided)"},
		{[]float64{0, 0, 0, 0, 0}, atMost(1), crossed, "0.00 (<= 1.00: crossed)"},
	} {
		j := bounded{ratioOf(c.rounds), c.bound}
		if j.outcome() != c.want || j.String() != c.text {
			t.Errorf("%v: %s, %q, want %s, %q", c.rounds, j.outcome(), j, c.want, c.text)
		}
		if told := j.judged("row", "figure"); told != (judgement{row: "row", figure: "figure", shown: c.text, outcome: c.want}) {
			t.Errorf("%v: judged as %+v", c.rounds, told)
		}
	}
	if j := (bounded{figures{}.over(figures{}, rate), atLeast(1)}); j.outcome() != crossed {
		t.Errorf("nothing over nothing is %s", j.outcome())
	}
}
