package report

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestIntervals(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	s := measuredSteps(t, 1, 5000, func(int, int) time.Duration {
		return time.Millisecond + time.Duration(random.ExpFloat64()*float64(time.Millisecond))
	})[0]
	require.NotNil(t, s.Intervals)
	require.InDelta(t, 0.95, s.Intervals.Coverage, 1e-12)
	row := csvRows(t, &Report{Steps: []Step{s}})[0]
	seen := 0
	for i := range Figures {
		f := &Figures[i]
		r, known := s.Interval(f)
		require.Equal(t, !f.Chance && f.Percentile != P999, known, "%s: five operations are no interval of p99.9", f.Name)
		if !known {
			continue
		}
		seen++
		require.Less(t, r.Low, f.Of(&s), f.Name)
		require.Greater(t, r.High, f.Of(&s), f.Name)
		require.Less(t, r.High/r.Low, 1.4, f.Name)
		require.Equal(t, strconv.FormatFloat(r.Low, 'f', -1, 64), row[f.Column()+"_low"])
		require.Equal(t, strconv.FormatFloat(r.High, 'f', -1, 64), row[f.Column()+"_high"])
	}
	require.Equal(t, 6, seen)
	// The standard deviation is half of the mean, so 5,000 operations give 1.4 %.
	half := (s.Intervals.OpsPerSecond.High - s.Intervals.OpsPerSecond.Low) / 2 / s.OpsPerSecond
	require.InDelta(t, 0.014, half, 0.006)
	require.NoError(t, s.validate())

	plain, shown := &Report{Steps: []Step{s}}, &Report{Steps: []Step{s}, Params: map[string]any{"intervals": true}}
	require.NotContains(t, plain.Markdown(), "±", "the published columns, and no others")
	require.Equal(t, append(slices.Clone(header(plain)), "ops/s ±", "p50 ±", "p99 ±"), header(shown))
	require.Contains(t, shown.Markdown(), " "+s.PlusMinus(FigureOf("p99"))+" |")
	require.Contains(t, shown.Markdown(), "±: the true figure of the step is within it in 95 of 100 cases")
	require.Regexp(t, `^1\.\d %$`, s.PlusMinus(FigureOf("ops_per_second")))

	few := measuredSteps(t, 1, 50, func(int, int) time.Duration { return time.Millisecond })[0]
	require.Nil(t, few.Intervals, "too few operations")
	require.Equal(t, "-", few.PlusMinus(FigureOf("p50")))
	none := Report{Steps: []Step{few}, Params: map[string]any{"intervals": true}}
	require.Contains(t, none.Markdown(), "±: no step has done enough")
	require.Empty(t, csvRows(t, &Report{Steps: []Step{few}})[0]["p99_ms_low"])
}

func TestPlusMinusOfAStep(t *testing.T) {
	for want, r := range map[string]Range{
		"5.0 %": {95, 105}, "0.25 %": {99.75, 100.25}, "12 %": {88, 112}, "-2.0 +9.0 %": {98, 109}, "-10 +5.0 %": {90, 105},
	} {
		s := Step{OpsPerSecond: 100, Intervals: &Intervals{Coverage: 0.95, OpsPerSecond: r}}
		require.Equal(t, want, s.PlusMinus(FigureOf("ops_per_second")))
	}
	require.Equal(t, "-", (&Step{Intervals: &Intervals{}}).PlusMinus(FigureOf("ops_per_second")), "nothing succeeded")
}
