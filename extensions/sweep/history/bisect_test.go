package history

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/paired"
)

// emulated measures commits whose figure is level(commit), with so much noise of a ratio.
func emulated(seed uint64, noise float64, level func(int) float64) MeasurePair {
	random := rand.New(rand.NewPCG(seed, 1))

	return func(_ context.Context, commit int) (paired.Pair, error) {
		machine := 1000 * math.Exp(0.3*random.NormFloat64()) // both of a pair have it
		if random.IntN(25) == 0 {
			return paired.Pair{Base: machine, Change: 500 * machine}, nil // somebody has used it meanwhile
		}

		return paired.Pair{Base: machine, Change: machine * level(commit) * math.Exp(noise*random.NormFloat64())}, nil
	}
}

func TestBisectFindsTheGuiltyCommit(t *testing.T) {
	right := 0
	for try := range 100 {
		guilty := 1 + try%63
		b, err := Bisect(t.Context(), 64, emulated(uint64(try), 0.02, func(c int) float64 {
			if c >= guilty {
				return 0.95
			}

			return 1
		}), BisectOptions{Alpha: 0.05, Most: 200})
		require.NoError(t, err)
		if b.GaveUp == "" && b.Bad == guilty {
			require.Equal(t, guilty-1, b.Good)
			right++
		}
	}
	require.GreaterOrEqual(t, right, 95)
}

func TestBisectGivesUp(t *testing.T) {
	options := BisectOptions{Alpha: 0.05, Most: 60}
	b, err := Bisect(t.Context(), 64, emulated(1, 0.02, func(int) float64 { return 1 }), options)
	require.NoError(t, err)
	require.Regexp(t, `^the two ends cannot be told apart: the ratio is \d\.\d+ \(0\.\d+ to 1\.\d+\) after 60 pairs$`, b.GaveUp)
	require.Equal(t, 0, b.Good)
	require.Equal(t, 63, b.Bad)

	// Two commits have made half of it each: the commit in the middle is at the half.
	b, err = Bisect(t.Context(), 64, emulated(2, 0.02, func(c int) float64 {
		return []float64{1, 0.95, 0.9025}[min(c/20, 2)]
	}), options)
	require.NoError(t, err)
	require.Contains(t, b.GaveUp, "several commits may have made it")

	// Commits that cannot be built are gone around, and told where the answer is among them.
	broken := func(from, to int) MeasurePair {
		measure := emulated(3, 0.01, func(c int) float64 { return 1 + 0.1*float64(min(c/30, 1)) })

		return func(ctx context.Context, commit int) (paired.Pair, error) {
			if commit >= from && commit < to {
				return paired.Pair{}, fmt.Errorf("%d: %w", commit, ErrUnusable)
			}

			return measure(ctx, commit)
		}
	}
	b, err = Bisect(t.Context(), 64, broken(31, 40), options)
	require.NoError(t, err)
	require.Empty(t, b.GaveUp)
	require.Equal(t, 30, b.Bad)
	b, err = Bisect(t.Context(), 64, broken(25, 35), options)
	require.NoError(t, err)
	require.Equal(t, "none of the 10 commits in between can be measured", b.GaveUp)
	require.Equal(t, []int{24, 35}, []int{b.Good, b.Bad})
	require.Len(t, b.Unusable, 10)

	failed := errors.New("no server")
	_, err = Bisect(t.Context(), 64, func(context.Context, int) (paired.Pair, error) { return paired.Pair{}, failed }, options)
	require.ErrorIs(t, err, failed)
	_, err = Bisect(t.Context(), 1, nil, options)
	require.Error(t, err)
}
