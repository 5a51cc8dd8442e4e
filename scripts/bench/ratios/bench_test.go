package main

import (
	"slices"
	"testing"
	"time"
)

// ofRounds is a part whose rounds are ratios with a bound.
type ofRounds []float64

func (r ofRounds) String() string { return "" }

func (r ofRounds) judgements() []judgement {
	return []judgement{bounded{ratioOf(slices.Clone(r)), atMost(1)}.judged("row", "us")}
}

// A bound that five rounds have crossed is judged by ten, where there is time for them.
func TestCrossedPartsAreMeasuredAgain(t *testing.T) {
	late := time.Now().Add(-time.Second)
	for _, c := range []struct {
		name   string
		rounds []float64
		until  time.Time
		want   int
		is     outcome
	}{
		{"held", []float64{1, 0.9, 0.9, 0.9, 0.9}, time.Time{}, 5, held},
		{"crossed by chance", []float64{1.1, 1.1, 1.1, 1.1, 1.1, 0.9, 0.9, 0.9, 0.9, 0.9}, time.Time{}, 10, undecided},
		{"crossed", []float64{1.1, 1.1, 1.1, 1.1, 1.1, 1.2, 1.1, 1.1, 1.1, 0.9}, time.Time{}, 10, crossed},
		{"crossed late", []float64{1.1}, late, 1, undecided},
	} {
		done := 0
		p := part{name: "part", measure: func(*effort) (result, error) {
			done++

			return ofRounds(c.rounds[:done]), nil
		}}
		e, _ := effortIn(t, t.TempDir(), &stamp{})
		o := &order{rounds: 5}
		results, err := o.measure([]part{p}, []*effort{e}, c.until)
		if err != nil || done != c.want || results[0].judgements()[0].outcome != c.is {
			t.Errorf("%s: %d rounds, %v, error %v", c.name, done, results[0].judgements(), err)
		}
	}
}
