package workload_test

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/workload"
)

func runs(t *testing.T, options workload.Options) workload.Result {
	t.Helper()
	client, err := make1(options, &fakeStore{}, 0, 1)
	require.NoError(t, err)
	result, err := client.Run(t.Context(), &fakeObserver{})
	require.NoError(t, err)

	return result
}

func make1(options workload.Options, store workload.Store, index, clients int) (*workload.Client, error) {
	w, err := workload.New(options)
	if err != nil {
		return nil, err
	}

	return w.Client(store, index, clients)
}

func drawn(t *testing.T, keys workload.Keys, n, index, clients int) []int {
	t.Helper()
	counts, order := make([]int, keys.Count), trail(t, keys, n, index, clients)
	for _, i := range order {
		counts[i]++
	}

	return counts
}

func trail(t *testing.T, keys workload.Keys, n, index, clients int) []int {
	t.Helper()
	options := workload.Defaults()
	options.Iterations, options.Mix, options.Keys = n, workload.Mix{Delete: 1}, keys
	order := make([]int, 0, n)
	store := &fakeStore{Fault: func(_ workload.Op, key []byte) error {
		i := 0
		for _, c := range key[len(keys.Prefix):] {
			if c < '0' || c > '9' {
				return errors.New("not a key")
			}
			i = i*10 + int(c-'0')
		}
		order = append(order, i)

		return nil
	}}
	client, err := make1(options, store, index, clients)
	require.NoError(t, err)
	result, err := client.Run(t.Context(), &fakeObserver{})
	require.NoError(t, err)
	require.EqualValues(t, n, result.Succeeded)

	return order
}

func fits(t *testing.T, counts []int, p func(i int) float64) {
	t.Helper()
	require.Less(t, chiSquared(counts, p), 0.0)
}

func chiSquared(counts []int, p func(i int) float64) float64 {
	n := 0
	for _, count := range counts {
		n += count
	}
	const least = 20.0 // keys expected less often are grouped
	statistic, cells, rest, restWant := 0.0, 0.0, 0.0, 0.0
	for i, count := range counts {
		rest += float64(count)
		restWant += p(i) * float64(n)
		if restWant >= least {
			statistic += (rest - restWant) * (rest - restWant) / restWant
			cells++
			rest, restWant = 0, 0
		}
	}
	const z = 4.76
	freedom := cells - 1
	limit := freedom * math.Pow(1-2/(9*freedom)+z*math.Sqrt(2/(9*freedom)), 3) // approximation by Wilson and Hilferty

	return statistic - limit
}

func normal(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }

func zipfian(count int, exponent float64) func(int) float64 {
	total := 0.0
	for i := range count {
		total += math.Pow(float64(i+1), -exponent)
	}

	return func(i int) float64 { return math.Pow(float64(i+1), -exponent) / total }
}

func even(count int) func(int) float64 { return func(int) float64 { return 1 / float64(count) } }

func f(x float64) *float64 { return &x }

func TestDistributions(t *testing.T) {
	const n = 150_000
	bell := func(count int, mean, deviation float64) func(int) float64 {
		cumulated := func(x float64) float64 { return normal((x - mean) / deviation) }
		total := cumulated(float64(count)-0.5) - cumulated(-0.5)

		return func(i int) float64 { return (cumulated(float64(i)+0.5) - cumulated(float64(i)-0.5)) / total }
	}
	for name, test := range map[string]struct {
		keys workload.Keys
		p    func(i int) float64
	}{
		"uniform":             {workload.Keys{Distribution: workload.Uniform, Count: 1000}, even(1000)},
		"zipf, default":       {workload.Keys{Distribution: workload.Zipf, Count: 1000}, zipfian(1000, 0.99)},
		"zipf, 1":             {workload.Keys{Distribution: workload.Zipf, Count: 1000, Exponent: f(1)}, zipfian(1000, 1)},
		"zipf, almost 1":      {workload.Keys{Distribution: workload.Zipf, Count: 1000, Exponent: f(1 + 1e-12)}, zipfian(1000, 1)},
		"zipf, shallow":       {workload.Keys{Distribution: workload.Zipf, Count: 300, Exponent: f(0.1)}, zipfian(300, 0.1)},
		"zipf, steep":         {workload.Keys{Distribution: workload.Zipf, Count: 5000, Exponent: f(2.5)}, zipfian(5000, 2.5)},
		"zipf, two keys":      {workload.Keys{Distribution: workload.Zipf, Count: 2, Exponent: f(1.5)}, zipfian(2, 1.5)},
		"gaussian, default":   {workload.Keys{Distribution: workload.Gaussian, Count: 1000}, bell(1000, 499.5, 1000.0/6)},
		"gaussian, at an end": {workload.Keys{Distribution: workload.Gaussian, Count: 100, Mean: f(0), Deviation: f(40)}, bell(100, 0, 40)},
		"gaussian, flat":      {workload.Keys{Distribution: workload.Gaussian, Count: 50, Deviation: f(50)}, bell(50, 24.5, 50)},
		"hotcold, default": {workload.Keys{Distribution: workload.HotCold, Count: 1000}, func(i int) float64 {
			if i < 200 {
				return 0.8 / 200
			}

			return 0.2 / 800
		}},
		"hotcold": {
			workload.Keys{Distribution: workload.HotCold, Count: 400, HotPercent: f(0.5), HotAccess: f(12.5)},
			func(i int) float64 {
				if i < 2 {
					return 0.125 / 2
				}

				return 0.875 / 398
			},
		},
	} {
		t.Run(name, func(t *testing.T) { fits(t, drawn(t, test.keys, n, 3, 8), test.p) })
	}
}

func TestChiSquared(t *testing.T) {
	const n = 150_000
	counts := drawn(t, workload.Keys{Distribution: workload.Zipf, Count: 1000}, n, 3, 8)
	require.Positive(t, chiSquared(counts, zipfian(1000, 1.02)))
	require.Positive(t, chiSquared(counts, even(1000)))
	counts = drawn(t, workload.Keys{Distribution: workload.Uniform, Count: 1000}, n, 3, 8)
	counts[7] += 200
	require.Positive(t, chiSquared(counts, even(1000)))
}

func TestOneKey(t *testing.T) {
	for _, distribution := range []string{workload.Uniform, workload.Zipf, workload.Sequential, workload.Gaussian} {
		require.Equal(t, []int{1000}, drawn(t, workload.Keys{Distribution: distribution, Count: 1}, 1000, 0, 1), distribution)
	}
	require.Equal(t, []int{0, 1000}, drawn(t, workload.Keys{Distribution: workload.HotCold, Count: 2, HotPercent: f(50), HotAccess: f(0)}, 1000, 0, 1))
	require.Equal(t, []int{1000, 0}, drawn(t, workload.Keys{Distribution: workload.HotCold, Count: 2, HotPercent: f(50), HotAccess: f(100)}, 1000, 0, 1))
}

func TestManyKeys(t *testing.T) {
	for _, distribution := range []string{workload.Uniform, workload.Zipf, workload.Sequential, workload.Gaussian, workload.HotCold} {
		options := workload.Defaults()
		options.Iterations, options.Mix.Delete = 1000, 0
		options.Keys.Distribution, options.Keys.Count = distribution, 1_000_000_000_000
		require.EqualValues(t, 1000, runs(t, options).Succeeded, distribution)
	}
}

func TestSequential(t *testing.T) {
	for _, test := range []struct{ count, clients int }{{1, 1}, {10, 1}, {10, 3}, {512, 512}, {1000, 7}} {
		keys := workload.Keys{Distribution: workload.Sequential, Count: test.count}
		seen := make([]int, test.count)
		for index := range test.clients {
			own := test.count*(index+1)/test.clients - test.count*index/test.clients
			order := trail(t, keys, 2*own, index, test.clients)
			require.Equal(t, order[:own], order[own:], "again")
			for at, i := range order[:own] {
				require.Equal(t, order[0]+at, i, "one after the other")
				seen[i]++
			}
		}
		for i, n := range seen {
			require.Equal(t, 1, n, "key %d of %+v", i, test)
		}
	}
}

func TestStreams(t *testing.T) {
	keys := workload.Keys{Distribution: workload.Uniform, Count: 1_000_000}
	first := trail(t, keys, 1000, 0, 1)
	require.Equal(t, first, trail(t, keys, 1000, 0, 64), "whatever the number of clients")
	require.Equal(t, []int{81606, 216872, 105283, 628389, 797588}, first[:5], "in every run")
	for index := range 64 {
		same := 0
		for at, i := range trail(t, keys, 1000, index, 64) {
			if i == first[at] {
				same++
			}
		}
		if index == 0 {
			require.Equal(t, 1000, same)
		} else {
			require.Less(t, same, 5, "client %d has a stream of its own", index)
		}
	}
}

func TestStreamGoesOn(t *testing.T) {
	keys := func(ops, times int) []string {
		var order []string
		options := workload.Defaults()
		options.Iterations = ops
		client, err := make1(options, &fakeStore{Fault: func(op workload.Op, key []byte) error {
			order = append(order, op.String()+" "+string(key))

			return nil
		}}, 1, 2)
		require.NoError(t, err)
		for range times {
			_, err := client.Run(t.Context(), &fakeObserver{})
			require.NoError(t, err)
		}

		return order
	}
	require.Equal(t, keys(100, 1), keys(10, 10))
}

func TestMixShares(t *testing.T) {
	options := workload.Defaults()
	options.Iterations = 200_000
	options.Mix = workload.Mix{Get: 50, Set: 25, Delete: 12.5, Touch: 0, GetOrSet: 6.25, GetMulti: 6.25}
	observer := &fakeObserver{}
	client, err := make1(options, &fakeStore{}, 0, 1)
	require.NoError(t, err)
	_, err = client.Run(t.Context(), observer)
	require.NoError(t, err)
	shares := []float64{workload.Get: 0.5, workload.Set: 0.25, workload.Delete: 0.125, workload.Touch: 0,
		workload.GetOrSet: 0.0625, workload.GetMulti: 0.0625}
	require.Zero(t, observer.Oks[workload.Touch])
	fits(t, observer.Oks[:], func(i int) float64 { return shares[i] })
}
