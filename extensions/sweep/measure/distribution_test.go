package measure

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"
)

// quantiles are fractions, so that expected ranks do not depend on float64.
var quantiles = []struct{ num, den int64 }{{0, 1}, {1, 2}, {9, 10}, {19, 20}, {99, 100}, {999, 1000}, {1, 1}}

func distribution(durations []time.Duration) *Distribution {
	var h histogram
	for _, d := range durations {
		h.record(d)
	}
	d := &Distribution{}
	d.add(&h)

	return d
}

func shapes(n int) map[string][]time.Duration {
	r := rand.New(rand.NewPCG(5, 6))
	fill := func(next func() float64) []time.Duration {
		out := make([]time.Duration, n)
		for i := range out {
			out[i] = time.Duration(next())
		}

		return out
	}

	return map[string][]time.Duration{
		"constant":    fill(func() float64 { return 1_234_567 }),
		"uniform":     fill(func() float64 { return r.Float64() * 1e9 }),
		"skewed":      fill(func() float64 { return 50_000 * math.Exp(r.NormFloat64()*1.5) }),
		"exponential": fill(func() float64 { return r.ExpFloat64() * 2e6 }),
		"bimodal": fill(func() float64 {
			if r.IntN(100) == 0 {
				return 2e9 + r.Float64()*1e8
			}

			return 1e5 + r.Float64()*1e4
		}),
		"tiny":      fill(func() float64 { return r.Float64() * 3000 }),
		"whole":     fill(func() float64 { return math.Pow(10, r.Float64()*12.5) }),
		"two apart": fill(func() float64 { return float64(1 + r.IntN(2)*int(time.Hour-1)) }),
	}
}

func TestQuantileAgainstSortedSamples(t *testing.T) {
	for _, n := range []int{1, 2, 3, 10, 999, 20_000} {
		for name, durations := range shapes(n) {
			d := distribution(durations)
			slices.Sort(durations)
			for _, q := range quantiles {
				rank := max((q.num*int64(n)+q.den-1)/q.den, 1)
				exact := durations[rank-1]
				got := d.Quantile(float64(q.num) / float64(q.den))
				require.GreaterOrEqual(t, got, exact, "%s, n=%d, q=%d/%d", name, n, q.num, q.den)
				require.LessOrEqual(t, float64(got), float64(exact)*1.001, "%s, n=%d, q=%d/%d", name, n, q.num, q.den)
			}
		}
	}
}

// Ranks are exact for any number of operations.
func TestQuantileRank(t *testing.T) {
	var h histogram
	for n := int64(1); n <= 2000; n++ {
		h.record(time.Duration(n)) // values below 2048 ns have separate counters
		d := &Distribution{}
		d.add(&h)
		for _, q := range quantiles {
			rank := max((q.num*n+q.den-1)/q.den, 1)
			require.Equal(t, time.Duration(rank), d.Quantile(float64(q.num)/float64(q.den)), "n=%d, q=%d/%d", n, q.num, q.den)
		}
	}
}

func TestQuantileIsMonotonic(t *testing.T) {
	for name, durations := range shapes(5000) {
		d := distribution(durations)
		last := d.Min
		for i := range 201 {
			q := d.Quantile(float64(i) / 200)
			require.GreaterOrEqual(t, q, last, "%s at %d/200", name, i)
			last = q
		}
		require.Equal(t, d.Max, last, name)
	}
}

func TestEmptyDistribution(t *testing.T) {
	for name, d := range map[string]*Distribution{"zero value": {}, "nothing recorded": distribution(nil)} {
		t.Run(name, func(t *testing.T) {
			require.Zero(t, d.Count)
			require.Zero(t, d.Quantile(0.99))
			require.Zero(t, d.Mean())
			require.Zero(t, d.Since(&Distribution{}).Count)
			d.Merge(&Distribution{})
			require.Zero(t, d.Count)
			require.Zero(t, decode(t, d).TotalCount())
		})
	}
}

func TestAboveTheHighest(t *testing.T) {
	d := distribution([]time.Duration{3 * time.Hour})
	require.Equal(t, 3*time.Hour, d.Max)
	require.Equal(t, 3*time.Hour, d.Mean(), "the mean is exact")
	require.Equal(t, int64(1), d.Count)
	require.Equal(t, 3*time.Hour, d.Quantile(0.5), "the one operation that there is took 3 h")

	d = distribution([]time.Duration{3 * time.Hour, time.Second})
	require.InEpsilon(t, int64(time.Second), int64(d.Quantile(0.5)), 0.001)
	require.GreaterOrEqual(t, d.Quantile(1), time.Hour)
	require.Equal(t, int64(2), decode(t, d).TotalCount())
}

func TestMean(t *testing.T) {
	require.Equal(t, 2*time.Nanosecond, distribution([]time.Duration{1, 2}).Mean(), "1.5 is rounded")
	for name, durations := range shapes(3000) {
		var sum time.Duration
		for _, d := range durations {
			sum += d
		}
		require.InDelta(t, float64(sum)/3000, float64(distribution(durations).Mean()), 1, name)
	}
}

func TestAgainstHDR(t *testing.T) {
	const n = 10_000 // a whole rank for each quantile, because hdrhistogram-go rounds ranks
	for name, durations := range shapes(n) {
		t.Run(name, func(t *testing.T) {
			oracle := hdrhistogram.New(1, int64(Highest), 3)
			for _, d := range durations {
				require.NoError(t, oracle.RecordValue(int64(d)))
			}
			d := distribution(durations)

			require.Equal(t, oracle.TotalCount(), d.Count)
			requireSameCounts(t, oracle, d)
			for _, q := range []float64{0.5, 0.9, 0.95, 0.99, 0.999} {
				want := min(oracle.ValueAtQuantile(q*100), int64(d.Max))
				require.Equal(t, want, int64(d.Quantile(q)), "q=%g", q)
			}
			require.InEpsilon(t, oracle.Mean(), float64(d.Mean()), 0.001)
		})
	}
}

func TestEncodeDecodesToTheSameCounts(t *testing.T) {
	for name, durations := range shapes(3000) {
		t.Run(name, func(t *testing.T) {
			durations = append(durations, 0, -1, 5*time.Hour)
			d := distribution(durations)
			decoded := decode(t, d)
			require.Equal(t, d.Count, decoded.TotalCount())
			requireSameCounts(t, decoded, d)
		})
	}
}

func decode(t *testing.T, d *Distribution) *hdrhistogram.Histogram {
	t.Helper()
	encoded := d.Encode()
	h, err := hdrhistogram.Decode([]byte(encoded))
	require.NoError(t, err)
	require.Equal(t, int64(3), h.SignificantFigures())
	require.Equal(t, int64(Highest), h.HighestTrackableValue())

	return h
}

func requireSameCounts(t *testing.T, want *hdrhistogram.Histogram, d *Distribution) {
	t.Helper()
	type bar struct{ from, count int64 }
	var expected, got []bar
	for _, b := range want.Distribution() {
		if b.Count != 0 {
			expected = append(expected, bar{b.From, b.Count})
		}
	}
	for i, c := range d.counts {
		if c != 0 {
			lowest, _ := valueRange(i)
			got = append(got, bar{lowest, int64(c)})
		}
	}
	require.Equal(t, expected, got)
}

func TestMerge(t *testing.T) {
	for name, durations := range shapes(2000) {
		t.Run(name, func(t *testing.T) {
			whole := distribution(durations)
			for _, cut := range []int{0, 700, 2000} {
				a, b := distribution(durations[:cut]), distribution(durations[cut:])
				ab, ba := &Distribution{}, &Distribution{}
				ab.Merge(a)
				ab.Merge(b)
				ba.Merge(b)
				ba.Merge(a)
				require.Equal(t, whole, ab, "cut at %d", cut)
				require.Equal(t, whole, ba, "cut at %d, the other way round", cut)
			}
		})
	}
}

func TestMergeLeavesTheOtherAlone(t *testing.T) {
	a, b := distribution([]time.Duration{1, 2}), distribution([]time.Duration{3})
	before := distribution([]time.Duration{3})
	a.Merge(b)
	a.Merge(b)
	require.Equal(t, before, b)
	require.Equal(t, int64(4), a.Count)
}

func TestSince(t *testing.T) {
	for name, durations := range shapes(2000) {
		t.Run(name, func(t *testing.T) {
			for _, cut := range []int{0, 1, 700, 1999, 2000} {
				var h histogram
				earlier, later := &Distribution{}, &Distribution{}
				for _, d := range durations[:cut] {
					h.record(d)
				}
				earlier.add(&h)
				for _, d := range durations[cut:] {
					h.record(d)
				}
				later.add(&h)

				want := distribution(durations[cut:])
				got := later.Since(earlier)
				require.Equal(t, want.Count, got.Count)
				require.Equal(t, want.Sum, got.Sum)
				require.Equal(t, want.counts, got.counts)
				require.Equal(t, want.Mean(), got.Mean())
				if want.Count == 0 {
					continue
				}
				require.LessOrEqual(t, got.Min, want.Min)
				require.InDelta(t, float64(want.Min), float64(got.Min), float64(want.Min)/1024)
				require.GreaterOrEqual(t, got.Max, want.Max)
				require.InDelta(t, float64(want.Max), float64(got.Max), float64(want.Max)/1024)
				require.InDelta(t, float64(want.Quantile(0.5)), float64(got.Quantile(0.5)), float64(want.Quantile(0.5))/1024)
			}
		})
	}
}

func TestTotalsSince(t *testing.T) {
	s := NewStep(1, Plan{Operations: 1}, nil)
	c := s.Client(0)
	c.measuring = true
	r := c.Recorder("get")
	read := func() *Totals {
		reading := s.Read()

		return reading.Op("get")
	}

	r.Ok(10)
	r.Fail(errServer)
	r.Rows(5)
	r.Bytes(7, 8)
	first := read()
	r.Ok(20)
	r.Ok(20)
	r.Fail(errServer)
	r.Rows(50)
	r.Bytes(70, 80)

	span := read().Since(first)
	require.Equal(t, "get", span.Op)
	require.Equal(t, int64(2), span.Durations.Count)
	require.Equal(t, 20*time.Nanosecond, span.Durations.Quantile(0.5))
	require.Equal(t, []uint64{1, 50, 70, 80}, []uint64{span.Failed, span.Rows, span.BytesSent, span.BytesReceived})

	all := read().Since(nil)
	require.Equal(t, int64(3), all.Durations.Count)
	require.Equal(t, []uint64{2, 55, 77, 88}, []uint64{all.Failed, all.Rows, all.BytesSent, all.BytesReceived})
}

func TestAbove(t *testing.T) {
	var d Distribution
	require.Zero(t, d.Above(0))
	for i := range 1000 {
		d.Record(time.Duration(i+1) * time.Millisecond)
	}
	require.Equal(t, int64(1000), d.Above(0))
	require.Equal(t, int64(500), d.Above(500*time.Millisecond))
	require.Equal(t, int64(10), d.Above(990*time.Millisecond))
	require.Zero(t, d.Above(time.Second))
	require.Zero(t, d.Above(2*Highest))
	require.Equal(t, int64(1000), d.Above(-1))
}

func TestQuantileWithout(t *testing.T) {
	var d Distribution
	require.Zero(t, d.QuantileWithout(0.5, time.Second))
	for range 90 {
		d.Record(10 * time.Millisecond)
	}
	for range 10 {
		d.Record(100 * time.Millisecond)
	}
	for _, tt := range []struct {
		q            float64
		excess, want time.Duration
	}{
		{0.5, 0, 10 * time.Millisecond},
		{0.5, 100 * time.Millisecond, 8 * time.Millisecond}, // from 50 operations
		{0.5, 500 * time.Millisecond, 0},
		{0.99, 0, 100 * time.Millisecond},
		{0.99, 450 * time.Millisecond, 50 * time.Millisecond}, // from 9 slow operations
		{0.99, 810 * time.Millisecond, 10 * time.Millisecond}, // until they are like the others
		{0.99, 909 * time.Millisecond, 9 * time.Millisecond},  // and from all of these
		{0.95, 450 * time.Millisecond, 10 * time.Millisecond}, // from 5 of them
		{1, 900 * time.Millisecond, 10 * time.Millisecond},    // from all 10
		{0.99, 10 * time.Second, 0},
	} {
		require.InEpsilon(t, float64(tt.want)+1, float64(d.QuantileWithout(tt.q, tt.excess))+1, 0.02, "%+v", tt)
	}
}
