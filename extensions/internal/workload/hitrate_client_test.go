package workload_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/workload"
)

// With any number of clients, a pass does each of the original's accesses once. A store without
// limits misses each case once.
func TestHitRatePassesWithManyClients(t *testing.T) {
	b := small(t)
	accesses := int(b.Config().Accesses())
	want := tally(b.Timed())
	for _, clients := range []int{1, 3, 64} {
		t.Run(fmt.Sprint(clients, " clients"), func(t *testing.T) {
			store := &fakeStore{}
			warm, _ := drive(t, b.Warmup(), store, clients)
			require.EqualValues(t, accesses, warm.Succeeded+warm.Failed)
			require.EqualValues(t, store.Len(), warm.Misses)

			before := store.Len()
			timed, seen := drive(t, b.Timed(), store, clients)
			require.EqualValues(t, accesses, timed.Succeeded+timed.Failed)
			require.EqualValues(t, store.Len()-before, timed.Misses)
			require.EqualValues(t, hotAccesses(b, b.Timed()), timed.Hot)
			require.Equal(t, timed.Hits-timed.HotHits, timed.Succeeded-timed.Hot-(timed.Misses-(timed.Hot-timed.HotHits)))
			require.Zero(t, timed.Failed)
			require.Positive(t, timed.Took)
			require.Equal(t, want, seen, "each access once")
		})
	}
}

func drive(t *testing.T, pass *workload.Pass, store *fakeStore, clients int) (workload.Result, map[string]int) {
	t.Helper()
	seen := map[string]int{}
	store.Fault = func(_ workload.Op, key []byte) error {
		seen[string(key[:12])]++

		return nil
	}
	results := make([]workload.Result, clients)
	errs := make([]error, clients)
	var wait sync.WaitGroup
	for i := range clients {
		wait.Go(func() {
			results[i], errs[i] = workload.NewRateClient(&fakeObserver{}, true, store).Run(context.Background(), pass, 0)
		})
	}
	wait.Wait()
	require.NoError(t, errors.Join(errs...))
	require.Zero(t, pass.Left())
	total := workload.Result{}
	for i := range results {
		add(&total, &results[i])
	}

	return total, seen
}

func tally(pass *workload.Pass) map[string]int {
	seen := map[string]int{}
	b := smallBenchmark
	for i, ok := pass.Next(); ok; i, ok = pass.Next() {
		seen[string(b.AppendKey(nil, i)[:12])]++
	}

	return seen
}

func TestHitRateRunInParts(t *testing.T) {
	b := small(t)
	pass, store, o := b.Timed(), &fakeStore{}, &fakeObserver{}
	client := workload.NewRateClient(o, true, store)
	result, err := client.Run(t.Context(), pass, 100)
	require.NoError(t, err)
	require.EqualValues(t, 100, result.Succeeded+result.Failed)
	require.Equal(t, int(b.Config().Accesses())-100, pass.Left())
	result, err = client.Run(t.Context(), pass, 0)
	require.NoError(t, err)
	require.EqualValues(t, b.Config().Accesses()-100, result.Succeeded+result.Failed)
	result, err = client.Run(t.Context(), pass, 0)
	require.NoError(t, err, "over")
	require.Zero(t, result.Succeeded+result.Failed)
	require.EqualValues(t, b.Config().Accesses(), o.Oks[workload.GetOrSet])
}

func TestHitRatePlainStore(t *testing.T) {
	b := small(t)
	store := &fakeStore{}
	client := workload.NewRateClient(&fakeObserver{}, true, struct{ workload.Store }{store})
	result, err := client.Run(t.Context(), b.Timed(), 0)
	require.NoError(t, err)
	require.EqualValues(t, b.Config().Accesses(), store.Count(workload.Get))
	require.EqualValues(t, result.Misses, store.Count(workload.Set))
	require.Zero(t, store.Count(workload.GetOrSet))
}

func TestHitRateSeveralServers(t *testing.T) {
	b := small(t)
	var stores []workload.Store
	owner := map[string]int{}
	for i := range int(b.Config().Cases()) {
		owner[string(b.AppendKey(nil, i))] = i % 3
	}
	for n := range 3 {
		stores = append(stores, &fakeStore{Fault: func(_ workload.Op, key []byte) error {
			if owner[string(key)] != n {
				return errors.New("another server's key")
			}

			return nil
		}})
	}
	client := workload.NewRateClient(&fakeObserver{}, true, stores...)
	result, err := client.Run(t.Context(), b.Timed(), 0)
	require.NoError(t, err)
	require.Zero(t, result.Failed)
	for _, store := range stores {
		require.Positive(t, store.(*fakeStore).Len())
	}
}

func TestHitRateFailures(t *testing.T) {
	b := small(t)
	broken, n := errors.New("broken"), 0
	store, o := &fakeStore{Fault: func(workload.Op, []byte) error {
		if n++; n%2 == 0 {
			return broken
		}

		return nil
	}}, &fakeObserver{}
	client := workload.NewRateClient(o, true, store)
	result, err := client.Run(t.Context(), b.Timed(), 0)
	require.NoError(t, err)
	require.EqualValues(t, b.Config().Accesses()/2, result.Failed)
	require.EqualValues(t, b.Config().Accesses(), result.Succeeded+result.Failed)
	require.EqualValues(t, hotAccesses(b, b.Timed()), result.Hot)
	require.EqualValues(t, result.Failed, o.Fails[workload.GetOrSet])
	require.EqualValues(t, result.Hits+result.Misses, o.Oks[workload.GetOrSet])
	require.Equal(t, broken, o.Reasons[0])
}

func TestHitRateWrongValues(t *testing.T) {
	b := small(t)
	longer := func(_, value []byte) []byte { return append(bytes.Clone(value), 'x') }
	for name, test := range map[string]struct {
		spoil func(key, value []byte) []byte
		want  error
	}{"size": {longer, workload.ErrWrongSize}, "bytes": {flipped, workload.ErrWrongBytes}} {
		t.Run(name, func(t *testing.T) {
			o := &fakeObserver{}
			client := workload.NewRateClient(o, true, &fakeStore{Spoil: test.spoil})
			result, err := client.Run(t.Context(), b.Timed(), 0)
			require.NoError(t, err)
			require.Positive(t, result.Wrong)
			require.Zero(t, result.Hits)
			require.Equal(t, result.Wrong, result.Failed)
			require.ErrorIs(t, o.Reasons[0], test.want)
			require.ErrorIs(t, o.Reasons[0], workload.ErrWrongValue)
		})
	}
}

func flipped(_, value []byte) []byte {
	if len(value) == 0 {
		return []byte{0}
	}
	value = bytes.Clone(value)
	value[len(value)/2] ^= 1

	return value
}

func TestHitRateRefused(t *testing.T) {
	b := small(t)
	store := &fakeStore{Fault: func(op workload.Op, _ []byte) error {
		if op == workload.Set {
			return fmt.Errorf("out of memory: %w", workload.ErrRefused)
		}

		return nil
	}}
	client := workload.NewRateClient(&fakeObserver{}, true, struct{ workload.Store }{store})
	result, err := client.Run(t.Context(), b.Timed(), 0)
	require.NoError(t, err)
	require.EqualValues(t, b.Config().Accesses(), result.Misses)
	require.Equal(t, result.Misses, result.Refused)
	require.Zero(t, result.Failed)
}

func TestHitRateEnds(t *testing.T) {
	b := small(t)
	t.Run("context", func(t *testing.T) {
		over := errors.New("over")
		ctx, cancel := context.WithCancelCause(t.Context())
		n := 0
		store := &fakeStore{Fault: func(workload.Op, []byte) error {
			if n++; n == 10 {
				cancel(over)
			}

			return nil
		}}
		client := workload.NewRateClient(&fakeObserver{}, true, store)
		pass := b.Timed()
		result, err := client.Run(ctx, pass, 0)
		require.ErrorIs(t, err, over)
		require.EqualValues(t, 10, result.Succeeded+result.Failed)
		require.Equal(t, int(b.Config().Accesses())-10, pass.Left(), "what was not done is not claimed")
	})
	t.Run("closed", func(t *testing.T) {
		store := &fakeStore{Fault: func(workload.Op, []byte) error { return workload.ErrClosed }}
		client := workload.NewRateClient(&fakeObserver{}, true, store)
		result, err := client.Run(t.Context(), b.Timed(), 0)
		require.ErrorIs(t, err, workload.ErrClosed)
		require.EqualValues(t, 1, result.Failed)
	})
}

func TestHitRateAccessesDoNotAllocate(t *testing.T) {
	b := small(t)
	store := &fakeStore{}
	client := workload.NewRateClient(&fakeObserver{}, true, store)
	for _, pass := range []*workload.Pass{b.Warmup(), b.Timed()} {
		_, err := client.Run(t.Context(), pass, 0)
		require.NoError(t, err)
	}
	pass, ctx := b.Timed(), t.Context()
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if result, err := client.Run(ctx, pass, 10); err != nil || result.Hits != 10 {
			t.Fatal(result, err)
		}
	}))
}

var smallBenchmark *workload.Benchmark

func small(t *testing.T) *workload.Benchmark {
	t.Helper()
	if smallBenchmark == nil {
		b, err := workload.NewBenchmark(workload.RateConfig{Random: true, Memory: 128 << 10, Item: 1 << 10, Hot: 20, Access: 80, HotMemory: 80})
		require.NoError(t, err)
		smallBenchmark = b
	}

	return smallBenchmark
}

func BenchmarkAccess(b *testing.B) {
	bench := published(b, "100m-512b")
	pass, key := bench.Timed(), make([]byte, 0, 250)
	b.ReportAllocs()
	for b.Loop() {
		i, ok := pass.Next()
		if !ok {
			pass = bench.Timed()
		}
		key = bench.AppendKey(key[:0], i)
		if len(key)+len(bench.Value(i)) != 512 {
			b.Fatal("not a case")
		}
	}
}
