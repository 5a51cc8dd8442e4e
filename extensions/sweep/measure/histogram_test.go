package measure

import (
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"
)

// Each duration has exactly one counter, with a resolution of 1/1024 or better.
func TestCountersTileTheRange(t *testing.T) {
	next := int64(0)
	for i := range counters {
		lowest, highest := valueRange(i)
		require.Equal(t, next, lowest, "counter %d does not begin where the one before ends", i)
		require.GreaterOrEqual(t, highest, lowest)
		if width := highest - lowest + 1; width > 1 {
			require.LessOrEqual(t, width*1024, lowest, "counter %d is too wide", i)
		}
		if highest <= int64(Highest) {
			require.Equal(t, i, index(lowest), "lowest value of counter %d", i)
			require.Equal(t, i, index(highest), "highest value of counter %d", i)
		}
		next = highest + 1
	}
	require.Greater(t, next, int64(Highest), "the last counter does not reach 1 h")
}

func TestIndex(t *testing.T) {
	for _, tt := range []struct {
		name    string
		value   int64
		counter int
	}{
		{"zero", 0, 0},
		{"one", 1, 1},
		{"last of width one", 2047, 2047},
		{"first of width two", 2048, 2048},
		{"second of width two", 2049, 2048},
		{"next of width two", 2050, 2049},
		{"last of width two", 4095, 3071},
		{"first of width four", 4096, 3072},
		{"1 h", int64(time.Hour), 31*half + int(int64(time.Hour)>>31)},
		{"more than 1 h", int64(time.Hour) + 1<<40, 31*half + int(int64(time.Hour)>>31)},
		{"the most", math.MaxInt64, 31*half + int(int64(time.Hour)>>31)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.counter, index(tt.value))
			require.Less(t, index(tt.value), counters)
		})
	}
}

func TestIndexIsMonotonic(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		a := r.Int64N(int64(Highest)) >> r.IntN(42)
		b := a + r.Int64N(int64(Highest))>>r.IntN(42)
		require.LessOrEqual(t, index(a), index(b), "%d and %d", a, b)
		lowest, highest := valueRange(index(a))
		require.True(t, lowest <= a && a <= highest, "%d is not in its counter's range %d-%d", a, lowest, highest)
	}
}

func TestLayoutMatchesHDR(t *testing.T) {
	h := hdrhistogram.New(1, int64(Highest), 3)
	for i := range counters {
		lowest, highest := valueRange(i)
		if highest > int64(Highest) {
			break
		}
		require.True(t, h.ValuesAreEquivalent(lowest, highest), "%d and %d", lowest, highest)
		require.False(t, h.ValuesAreEquivalent(highest, highest+1), "%d and %d", highest, highest+1)
	}
}

func TestRecordKeepsTheExactFigures(t *testing.T) {
	for _, tt := range []struct {
		name     string
		in       []time.Duration
		min, max time.Duration
		sum      time.Duration
	}{
		{"one", []time.Duration{1234567}, 1234567, 1234567, 1234567},
		{"zero", []time.Duration{0}, 0, 0, 0},
		{"falling", []time.Duration{30, 20, 10}, 10, 30, 60},
		{"rising", []time.Duration{10, 20, 30}, 10, 30, 60},
		{"zero last", []time.Duration{10, 0}, 0, 10, 10},
		{"negative counts as zero", []time.Duration{-5, 10}, 0, 10, 10},
		{"above 1 h stays exact", []time.Duration{time.Second, 2*time.Hour + 1}, time.Second, 2*time.Hour + 1, 2*time.Hour + time.Second + 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := distribution(tt.in)
			require.Equal(t, int64(len(tt.in)), d.Count)
			require.Equal(t, tt.min, d.Min)
			require.Equal(t, tt.max, d.Max)
			require.Equal(t, tt.sum, d.Sum)
		})
	}
}

func TestPagesAreAllocatedOnDemand(t *testing.T) {
	var h histogram
	pages := func() (n int) {
		h.pages(func(int, *page) { n++ })

		return n
	}
	require.Zero(t, pages())
	for range 10_000 {
		h.record(100)
	}
	require.Equal(t, 1, pages())
	h.record(time.Hour)
	require.Equal(t, 2, pages())
}

func TestRecordingAllocatesNothing(t *testing.T) {
	s := NewStep(1, Plan{Operations: 1}, nil)
	c := s.Client(0)
	c.measuring = true
	r := c.Recorder("op")
	r.Ok(123 * time.Microsecond)

	require.Zero(t, testing.AllocsPerRun(1000, func() {
		r.Ok(123 * time.Microsecond)
		r.Fail(errServer)
		r.Rows(10)
		r.Bytes(20, 30)
	}))
}

func TestOperatingAllocatesNothing(t *testing.T) {
	s := NewStep(1, Plan{Operations: 1}, nil)
	c := s.Client(0)
	c.measuring = true
	r := c.Recorder("op")
	fn := func() error { return nil }
	for i := range 2000 {
		r.Ok(time.Duration(i) * 10 * time.Microsecond) // allocates the pages for the calls below
		r.Ok(time.Duration(i))
	}

	require.Less(t, testing.AllocsPerRun(1000, func() { _, _ = c.operate(r, now(), fn) }), 1.0)
}

// Concurrent readers see consistent figures that only grow.
func TestReadingWhileRecording(t *testing.T) {
	const operations = 50_000
	var h histogram
	var done atomic.Bool
	go func() {
		defer done.Store(true)
		r := rand.New(rand.NewPCG(3, 4))
		for range operations {
			h.record(time.Duration(1000 + r.Int64N(1_000_000)))
		}
	}()

	before := &Distribution{}
	for last := false; !last; {
		last = done.Load() // one more reading after the end
		d := &Distribution{}
		d.add(&h)
		require.GreaterOrEqual(t, d.Count, before.Count)
		require.GreaterOrEqual(t, d.Sum, before.Sum)
		if d.Count > 0 {
			require.GreaterOrEqual(t, d.Min, 1000*time.Nanosecond)
			require.LessOrEqual(t, d.Max, 1001*time.Microsecond)
			require.LessOrEqual(t, d.Min, d.Quantile(0.5))
			require.LessOrEqual(t, d.Quantile(0.5), d.Max)
		}
		span := d.Since(before)
		require.GreaterOrEqual(t, span.Count, int64(0))
		require.LessOrEqual(t, span.Min, span.Max)
		var sum int64
		for _, c := range span.counts {
			sum += int64(c)
		}
		require.Equal(t, span.Count, sum)
		before = d
	}
	require.Equal(t, int64(operations), before.Count)
}
