package history

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/paired"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// ErrUnusable is the error of a commit that cannot be measured, such as one that cannot be built:
// Bisect takes another one beside it.
var ErrUnusable = errors.New("the commit cannot be measured")

// MeasurePair measures one more pair: a figure of the good commit, and of the one with this index.
type MeasurePair func(ctx context.Context, commit int) (paired.Pair, error)

// BisectOptions are how sure a bisection is, and how long it tries.
type BisectOptions struct {
	// Alpha is how likely it may be to name a wrong commit.
	Alpha float64
	// Most is how many pairs it measures of a commit before it gives up.
	Most int
	// Progress is told of each commit that was judged; nil for nobody.
	Progress func(Look)
}

// Look is what was found out of a commit.
type Look struct {
	// Commit is its index.
	Commit int
	// Estimate is its ratio to the good commit.
	paired.Estimate
	// Bad tells that the change is in it.
	Bad bool
}

// Bisection is what a bisection has come to.
type Bisection struct {
	// Good is the index of the newest commit that is surely without the change, and Bad that of the
	// oldest one that surely has it.
	Good, Bad int
	// Ratio is that of the bad end to the good one.
	Ratio paired.Estimate
	// GaveUp is why the guilty commit is not known; empty when it is Bad.
	GaveUp string
	// Unusable are the commits between that could not be measured.
	Unusable []int
	// Pairs is how many were measured.
	Pairs int
}

// Bisect finds the commit that has changed a figure, of commits that are numbered from 0, which is
// good, to n-1, which has the change. Each commit is judged beside the good one in as many pairs as
// it takes: until the confidence sequence of its ratio is on one side of half the change. That
// holds at all looks together, so that the right commit is named with a probability of 1 - Alpha,
// where one commit has made the whole change.
//
// Where that cannot be told it gives up, and says how far it has come: the two ends do not differ,
// a commit is between them (several commits made the change), or no commit in between can be
// measured. An error is that of a measurement.
func Bisect(ctx context.Context, n int, measure MeasurePair, o BisectOptions) (*Bisection, error) {
	b := &bisection{measure: measure, options: o, pairs: map[int][]paired.Pair{}, unusable: map[int]bool{}}
	b.confidence = 1 - o.Alpha/float64(bits.Len(uint(n))+1)
	b.Good, b.Bad = 0, n-1
	if n < 2 {
		return nil, errors.New("a bisection takes two commits: a good one and a bad one")
	}
	err := b.ends(ctx)
	for err == nil && b.GaveUp == "" && b.Bad-b.Good > 1 {
		middle, there := b.middle()
		if !there {
			b.GaveUp = fmt.Sprintf("none of the %d commits in between can be measured", b.Bad-b.Good-1)

			break
		}
		err = b.look(ctx, middle)
		if errors.Is(err, ErrUnusable) {
			b.unusable[middle] = true
			err = nil
		}
	}
	for i := b.Good + 1; i < b.Bad; i++ {
		if b.unusable[i] {
			b.Unusable = append(b.Unusable, i)
		}
	}

	return &b.Bisection, err
}

type bisection struct {
	Bisection
	measure    MeasurePair
	options    BisectOptions
	confidence float64
	pairs      map[int][]paired.Pair
	unusable   map[int]bool
}

// ends finds out how large the change is, until that is known well enough to tell its half.
func (b *bisection) ends(ctx context.Context) error {
	e, decided, err := b.until(ctx, b.Bad, func(e *paired.Estimate) bool {
		const enough = 0.5 // of the change
		change, half := math.Abs(math.Log(e.Ratio)), math.Log(e.High/e.Ratio)

		return (e.Low > 1 || e.High < 1) && half <= enough*change
	})
	b.Ratio = e
	if err == nil && !decided {
		b.GaveUp = fmt.Sprintf("the two ends cannot be told apart: the ratio is %.3f (%.3f to %.3f) after %d pairs",
			e.Ratio, e.Low, e.High, e.N)
	}

	return err
}

// look judges the commit in the middle.
func (b *bisection) look(ctx context.Context, commit int) error {
	half := math.Sqrt(b.Ratio.Ratio)
	e, decided, err := b.until(ctx, commit, func(e *paired.Estimate) bool { return e.Low > half || e.High < half })
	switch {
	case err != nil:
		return err
	case !decided:
		b.GaveUp = fmt.Sprintf("commit %d is near to half of the change after %d pairs: its ratio is %.3f (%.3f to %.3f); "+
			"several commits may have made it", commit, e.N, e.Ratio, e.Low, e.High)

		return nil
	}
	found := Look{Commit: commit, Estimate: e, Bad: e.Ratio > half == (b.Ratio.Ratio > 1)}
	if found.Bad {
		b.Bad = commit
	} else {
		b.Good = commit
	}
	if b.options.Progress != nil {
		b.options.Progress(found)
	}

	return nil
}

// until measures pairs of a commit until enough says that they tell, or there are too many of them.
func (b *bisection) until(
	ctx context.Context, commit int, enough func(*paired.Estimate) bool,
) (e paired.Estimate, decided bool, err error) {
	for len(b.pairs[commit]) < b.options.Most {
		pair, err := b.measure(ctx, commit)
		if err != nil {
			return e, false, err
		}
		b.Pairs++
		b.pairs[commit] = append(b.pairs[commit], pair)
		if len(b.pairs[commit]) < FewestPairs {
			continue
		}
		if e, err = paired.Until(tamed(b.pairs[commit]), b.confidence); err != nil {
			return e, false, err
		}
		if enough(&e) {
			return e, true, nil
		}
	}

	return e, false, nil
}

// FewestPairs is how many pairs tell what is far out.
const FewestPairs = 6

// tamed are the pairs with those whose ratio is far out brought nearer: one of a thousand, as
// somebody used the machine, would hide all others for as long as anybody measures.
func tamed(pairs []paired.Pair) []paired.Pair {
	logs := make([]float64, len(pairs))
	for i, p := range pairs {
		if !(p.Base > 0 && p.Change > 0) {
			return pairs // it is refused
		}
		logs[i] = math.Log(p.Change / p.Base)
	}
	middle, away := report.Median(logs), residuals(logs)
	for i := range away {
		away[i] = math.Abs(away[i])
	}
	const far, normal = 5, 1.4826
	most := far * normal * report.Median(away)
	if most == 0 {
		return pairs
	}
	out := make([]paired.Pair, len(pairs))
	for i, p := range pairs {
		out[i] = paired.Pair{Base: p.Base, Change: p.Base * math.Exp(min(max(logs[i], middle-most), middle+most))}
	}

	return out
}

// middle is the commit nearest to the middle that can be measured, as far as is known.
func (b *bisection) middle() (commit int, there bool) {
	middle := (b.Good + b.Bad) / 2
	for away := range b.Bad - b.Good {
		for _, at := range []int{middle - away, middle + away} {
			if at > b.Good && at < b.Bad && !b.unusable[at] {
				return at, true
			}
		}
	}

	return 0, false
}
