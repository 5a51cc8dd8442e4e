package generate

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

type row struct {
	name  string
	at    int64
	value float64
}

func rows(tb testing.TB, s *Source, err error) []row {
	tb.Helper()
	require.NoError(tb, err)
	var all []row
	require.NoError(tb, s.Batches(func(columns ...any) error {
		names, times, values := columns[0].([]string), columns[1].([]int64), columns[2].([]float64)
		require.Len(tb, columns, 3)
		require.NotEmpty(tb, names, "no batch is empty")
		require.LessOrEqual(tb, len(names), BatchRows)
		require.Len(tb, times, len(names))
		require.Len(tb, values, len(names))
		for i, name := range names {
			all = append(all, row{name, times[i], values[i]})
		}

		return nil
	}))

	return all
}

func TestSeriesAreGolden(t *testing.T) {
	var b strings.Builder
	o := Options{Tags: 3, Prefix: "sensor-", From: noon, Rows: 7, Interval: 250 * time.Millisecond}
	write := func(name string, all []row) {
		for _, r := range all {
			fmt.Fprintln(&b, name, r.name, r.at, r.value)
		}
	}
	sine, err := Sine(o, time.Second, 2, 10)
	write("sine", rows(t, sine, err))
	sequence, err := Sequence(o, 100)
	write("sequence", rows(t, sequence, err))

	path := filepath.Join("testdata", "series.txt")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), b.String())
}

func TestRowsOfARange(t *testing.T) {
	for name, c := range map[string]struct {
		options Options
		want    int
	}{
		"one row":                    {Options{Tags: 1, Rows: 1, Interval: time.Second}, 1},
		"a round that ends amid":     {Options{Tags: 3, Rows: 5, Interval: time.Second}, 5},
		"more than a batch":          {Options{Tags: 7, Rows: 3*BatchRows + 1, Interval: 1}, 3*BatchRows + 1},
		"to a full interval":         {Options{Tags: 2, To: noon.Add(3 * time.Second), Interval: time.Second}, 6},
		"to a bit more":              {Options{Tags: 2, To: noon.Add(3*time.Second + 1), Interval: time.Second}, 8},
		"to less than an interval":   {Options{Tags: 2, To: noon.Add(1), Interval: time.Second}, 2},
		"nothing":                    {Options{Tags: 2, To: noon, Interval: time.Second}, 0},
		"a batch exactly":            {Options{Tags: 1, Rows: BatchRows, Interval: time.Second}, BatchRows},
		"an interval beyond a range": {Options{Tags: 5, To: noon.Add(time.Hour), Interval: 24 * time.Hour}, 5},
	} {
		t.Run(name, func(t *testing.T) {
			c.options.From, c.options.Prefix = noon, "t"
			s, err := Sequence(c.options, 0)
			all := rows(t, s, err)
			require.Len(t, all, c.want)
			for i, r := range all {
				step := i / c.options.Tags
				require.Equal(t, row{fmt.Sprintf("t%d", i%c.options.Tags), noon.Add(time.Duration(step) * c.options.Interval).UnixNano(),
					float64(step)}, r)
			}
		})
	}
}

func TestAdjacentRangesAreContinuous(t *testing.T) {
	sines := func(o Options) []row {
		s, err := Sine(o, 10*time.Second, 3, 5)

		return rows(t, s, err)
	}
	o := Options{Tags: 5, Prefix: "t", From: noon.AddDate(-60, 0, 0), To: noon.AddDate(-60, 0, 0).Add(time.Minute), Interval: 100 * time.Millisecond}
	whole := sines(o)
	middle := o.From.Add(17 * time.Second)
	first, second := o, o
	first.To, second.From = middle, middle
	require.Equal(t, whole, append(sines(first), sines(second)...))
	again := o
	again.To, again.Rows = time.Time{}, int64(len(whole))
	require.Equal(t, whole, sines(again), "asked for by count")
}

func TestSineIsASine(t *testing.T) {
	o := Options{Tags: 4, Prefix: "t", From: noon, Rows: 4 * 9, Interval: time.Second}
	s, err := Sine(o, 8*time.Second, 2, 10)
	for i, r := range rows(t, s, err) {
		turn := float64(i/4)/8 + float64(i%4)/4 // noon is a multiple of 8 s since 1970
		require.InDelta(t, 10+2*math.Sin(2*math.Pi*turn), r.value, 1e-9)
	}
}

func TestRefused(t *testing.T) {
	good := Options{Tags: 1, From: noon, Rows: 1, Interval: time.Second}
	with := func(change func(*Options)) Options {
		o := good
		change(&o)

		return o
	}
	for says, o := range map[string]Options{
		"tags must be from 1 to 1000000, not 0":       with(func(o *Options) { o.Tags = 0 }),
		"tags must be from 1 to 1000000, not 1000001": with(func(o *Options) { o.Tags = MaxTags + 1 }),
		"interval must be more than 0, not 0s":        with(func(o *Options) { o.Interval = 0 }),
		"interval must be more than 0, not -1s":       with(func(o *Options) { o.Interval = -time.Second }),
		"rows must be at least 1, not -1":             with(func(o *Options) { o.Rows = -1 }),
		"from is missing":                             with(func(o *Options) { o.From = time.Time{} }),
		"from is 1600-01-01T00:00:00Z":                with(func(o *Options) { o.From = time.Date(1600, 1, 1, 0, 0, 0, 0, time.UTC) }),
		"from is 2300-01-01T00:00:00Z":                with(func(o *Options) { o.From = time.Date(2300, 1, 1, 0, 0, 0, 0, time.UTC) }),
		"set either to (the time":                     with(func(o *Options) { o.To = noon.Add(time.Hour) }),
		"set either to":                               with(func(o *Options) { o.Rows = 0 }),
		"to is 2026-02-23T11:00:00Z, before from":     with(func(o *Options) { o.Rows, o.To = 0, noon.Add(-time.Hour) }),
		"to is 2300-01-01T00:00:00Z, after":           with(func(o *Options) { o.Rows, o.To = 0, time.Date(2300, 1, 1, 0, 0, 0, 0, time.UTC) }),
		"rows every 8760h0m0s end after the year":     with(func(o *Options) { o.Rows, o.Interval = 300, 365*24*time.Hour }),
		"are more rows than can be counted": with(func(o *Options) {
			o.Tags, o.Rows, o.Interval, o.To = 1000, 0, 1, noon.AddDate(100, 0, 0)
		}),
	} {
		for _, source := range []func() (*Source, error){
			func() (*Source, error) { return Sine(o, time.Second, 1, 0) },
			func() (*Source, error) { return Sequence(o, 0) },
		} {
			s, err := source()
			require.ErrorContains(t, err, says)
			require.Nil(t, s)
		}
	}

	nan, inf := math.NaN(), math.Inf(1)
	_, err := Sine(good, 0, 1, 0)
	require.ErrorContains(t, err, "period must be more than 0, not 0s")
	_, err = Sine(good, 1, nan, 0)
	require.ErrorContains(t, err, "amplitude and offset must be numbers")
	_, err = Sequence(good, inf)
	require.ErrorContains(t, err, "offset must be a number")
}

func TestTheEndOfTime(t *testing.T) {
	s, err := Sequence(Options{Tags: 2, From: time.Unix(0, math.MaxInt64-1), Rows: 4, Interval: 1}, 0)
	all := rows(t, s, err)
	require.Equal(t, int64(math.MaxInt64), all[3].at)
	_, err = Sequence(Options{Tags: 2, From: time.Unix(0, math.MaxInt64-1), Rows: 5, Interval: 1}, 0)
	require.Error(t, err)
	s, err = Sequence(Options{Tags: 1, From: time.Unix(0, math.MinInt64), Rows: 2, Interval: math.MaxInt64}, 0)
	require.Len(t, rows(t, s, err), 2)
}

func TestSendStops(t *testing.T) {
	s, err := Sequence(Options{Tags: 1, From: noon, Rows: 10 * BatchRows, Interval: 1}, 0)
	require.NoError(t, err)
	calls := 0
	require.ErrorIs(t, s.Batches(func(...any) error {
		if calls++; calls == 3 {
			return os.ErrClosed
		}

		return nil
	}), os.ErrClosed)
	require.Equal(t, 3, calls)
}

func TestNothingIsAllocatedPerRow(t *testing.T) {
	allocated := func(batches int64) float64 {
		s, err := Sine(Options{Tags: 1, From: noon, Rows: batches * BatchRows, Interval: 1}, time.Second, 1, 0)
		require.NoError(t, err)

		return testing.AllocsPerRun(5, func() { _ = s.Batches(func(...any) error { return nil }) })
	}
	require.LessOrEqual(t, allocated(101)-allocated(1), 100*4.0)
}
