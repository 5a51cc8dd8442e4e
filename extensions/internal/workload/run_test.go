package workload_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/lib/types"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/workload"
)

var errBroken = errors.New("broken")

func base(ops int, mix workload.Mix) workload.Options {
	options := workload.Defaults()
	options.Iterations, options.Mix = ops, mix
	options.Keys.Count = 100

	return options
}

func filled(ctx context.Context, client *workload.Client, observer workload.Observer) (workload.Result, error) {
	if _, err := client.Prefill(ctx); err != nil {
		return workload.Result{}, err
	}

	return client.Run(ctx, observer)
}

func everything() workload.Mix {
	return workload.Mix{Get: 5, Set: 2, Delete: 1, Touch: 1, GetOrSet: 2, GetMulti: 1}
}

func TestManyClients(t *testing.T) {
	const clients, ops = 16, 500
	for name, spoil := range map[string]func(*workload.Options){
		"single":   func(o *workload.Options) { o.Mix = everything() },
		"pipeline": func(o *workload.Options) { o.Mix = workload.Mix{Get: 5, Set: 3, Delete: 1, Touch: 1}; o.Pipeline = 7 },
	} {
		t.Run(name, func(t *testing.T) {
			options := base(ops, everything())
			options.Values = workload.Sizes{{Min: 0, Max: 500, Weight: 1}}
			spoil(&options)
			w, err := workload.New(options)
			require.NoError(t, err)
			store := &fakeStore{}
			results, errs := [clients]workload.Result{}, [clients]error{}
			observers := [clients]fakeObserver{}
			var wait sync.WaitGroup
			for i := range clients {
				wait.Go(func() {
					client, err := w.Client(store, i, clients)
					if err == nil {
						results[i], err = filled(context.Background(), client, &observers[i])
					}
					errs[i] = err
				})
			}
			wait.Wait()
			require.NoError(t, errors.Join(errs[:]...))
			total, reads := workload.Result{}, 0
			for i := range results {
				add(&total, &results[i])
				reads += observers[i].Oks[workload.Get] + observers[i].Oks[workload.GetOrSet] + options.Batch*observers[i].Oks[workload.GetMulti]
				if options.Pipeline == 1 {
					require.LessOrEqual(t, observers[i].Took, results[i].Took, "no time is counted twice")
				}
			}
			require.EqualValues(t, clients*ops, total.Succeeded)
			require.Zero(t, total.Failed)
			require.Zero(t, total.Wrong)
			require.EqualValues(t, reads, total.Hits+total.Misses)
			require.Positive(t, total.Hits)
			require.Positive(t, total.Misses)
			require.Positive(t, total.BytesReceived)
			require.Positive(t, total.BytesSent)
			require.Zero(t, total.Hot, "uniform has no hot keys")
		})
	}
}

func TestCounts(t *testing.T) {
	for name, test := range map[string]struct {
		mix      workload.Mix
		pipeline int
		want     workload.Result
	}{
		"get":      {workload.Mix{Get: 1}, 1, workload.Result{Succeeded: 100, Hits: 50, Misses: 50, BytesReceived: 5000}},
		"set":      {workload.Mix{Set: 1}, 1, workload.Result{Succeeded: 100, BytesSent: 10_000}},
		"delete":   {workload.Mix{Delete: 1}, 1, workload.Result{Succeeded: 100}},
		"touch":    {workload.Mix{Touch: 1}, 1, workload.Result{Succeeded: 100}},
		"getOrSet": {workload.Mix{GetOrSet: 1}, 1, workload.Result{Succeeded: 100, Hits: 50, Misses: 50, BytesReceived: 5000, BytesSent: 5000}},
		"getMulti": {workload.Mix{GetMulti: 1}, 1, workload.Result{Succeeded: 100, Hits: 500, Misses: 500, BytesReceived: 50_000}},
		"get in pipelines": {
			workload.Mix{Get: 1}, 30, workload.Result{Succeeded: 100, Hits: 50, Misses: 50, BytesReceived: 5000},
		},
		"set in pipelines":    {workload.Mix{Set: 1}, 30, workload.Result{Succeeded: 100, BytesSent: 10_000}},
		"delete in pipelines": {workload.Mix{Delete: 1}, 100, workload.Result{Succeeded: 100}},
		"touch in pipelines":  {workload.Mix{Touch: 1}, 1000, workload.Result{Succeeded: 100}},
	} {
		t.Run(name, func(t *testing.T) {
			options := base(100, test.mix)
			options.Keys.Distribution, options.Pipeline = workload.Sequential, test.pipeline
			w, err := workload.New(options)
			require.NoError(t, err)
			store := &fakeStore{}
			for i := range 50 {
				require.NoError(t, store.Set(w.Keys().Append(nil, i), w.Values().Append(nil, i), 0))
			}
			client, err := w.Client(store, 0, 1)
			require.NoError(t, err)
			observer := &fakeObserver{}
			result, err := client.Run(t.Context(), observer)
			require.NoError(t, err)
			require.GreaterOrEqual(t, result.Took, time.Duration(0))
			result.Took = 0
			require.Equal(t, test.want, result)
			require.Empty(t, observer.Reasons)
		})
	}
}

func TestMissesOfPrefilledKeys(t *testing.T) {
	for name, test := range map[string]struct {
		mix      workload.Mix
		pipeline int
		want     workload.Result
		ops      int
	}{
		"get":              {workload.Mix{Get: 1}, 1, workload.Result{Hits: 50, Misses: 50, BytesReceived: 5000}, 50},
		"get in pipelines": {workload.Mix{Get: 1}, 30, workload.Result{Hits: 50, Misses: 50, BytesReceived: 5000}, 50},
		"getMulti":         {workload.Mix{GetMulti: 1}, 1, workload.Result{Hits: 500, Misses: 500, BytesReceived: 50_000}, 50},
		"getOrSet":         {workload.Mix{GetOrSet: 1}, 1, workload.Result{Hits: 50, Misses: 50, BytesReceived: 5000, BytesSent: 5000}, 100},
	} {
		for _, allowed := range []bool{false, true} {
			options := base(100, test.mix)
			options.Keys.Distribution, options.Pipeline, options.AllowMisses = workload.Sequential, test.pipeline, allowed
			w, err := workload.New(options)
			require.NoError(t, err)
			store := &fakeStore{}
			for i := range 50 {
				require.NoError(t, store.Set(w.Keys().Append(nil, i), w.Values().Append(nil, i), 0))
			}
			client, err := w.Client(store, 0, 1)
			require.NoError(t, err)
			client.Prefilled(true)
			observer := &fakeObserver{}
			result, err := client.Run(t.Context(), observer)
			require.NoError(t, err)
			result.Took = 0
			want := test.want
			want.Succeeded = 100
			if !allowed {
				want.Succeeded, want.Failed = uint64(test.ops), uint64(100-test.ops)
			}
			require.Equal(t, want, result, "%s, %v", name, allowed)
			require.Len(t, observer.Reasons, int(want.Failed))
			for _, reason := range observer.Reasons {
				require.Equal(t, workload.ErrMissing, reason)
			}
		}
	}
}

func TestHotHits(t *testing.T) {
	options := base(10_000, workload.Mix{Get: 1})
	options.Keys.Distribution = workload.HotCold
	w, err := workload.New(options)
	require.NoError(t, err)
	store := &fakeStore{}
	for i := range 10 {
		require.NoError(t, store.Set(w.Keys().Append(nil, i), w.Values().Append(nil, i), 0))
	}
	client, err := w.Client(store, 0, 1)
	require.NoError(t, err)
	result, err := client.Run(t.Context(), &fakeObserver{})
	require.NoError(t, err)
	require.InDelta(t, 8000, result.Hot, 300)
	require.InDelta(t, 4000, result.HotHits, 300)
	require.Equal(t, result.Hits, result.HotHits, "no cold key is there")
}

func TestFailures(t *testing.T) {
	for _, mix := range []workload.Mix{{Get: 1}, {Set: 1}, {Delete: 1}, {Touch: 1}, {GetOrSet: 1}, {GetMulti: 1}} {
		for _, pipeline := range []int{1, 8} {
			if pipeline > 1 && mix.GetOrSet+mix.GetMulti > 0 {
				continue // unsupported
			}
			options := base(40, mix)
			options.Pipeline = pipeline
			store := &fakeStore{}
			client, err := make1(options, store, 0, 1)
			require.NoError(t, err)
			_, err = client.Prefill(t.Context())
			require.NoError(t, err)
			store.Fault = func(workload.Op, []byte) error { return errBroken }
			observer := &fakeObserver{}
			result, err := filled(t.Context(), client, observer)
			require.NoError(t, err, "they do not end the run")
			require.Equal(t, workload.Result{Failed: 40, Took: result.Took}, result)
			require.Len(t, observer.Reasons, 40)
			require.Equal(t, [workload.NumOps]int{}, observer.Oks)
			for _, reason := range observer.Reasons {
				require.Equal(t, errBroken, reason)
			}
		}
	}
}

func TestWrongValuesAreFailures(t *testing.T) {
	another := func([]byte, []byte) []byte { return []byte("another") }
	for _, mix := range []workload.Mix{{Get: 1}, {GetOrSet: 1}, {GetMulti: 1}} {
		for _, pipeline := range []int{1, 8} {
			if pipeline > 1 && mix.Get == 0 {
				continue
			}
			for _, verify := range []bool{true, false} {
				options := base(40, mix)
				options.Pipeline, options.Verify = pipeline, verify
				observer := &fakeObserver{}
				client, err := make1(options, &fakeStore{Spoil: another}, 0, 1)
				require.NoError(t, err)
				result, err := filled(t.Context(), client, observer)
				require.NoError(t, err)
				if !verify {
					require.EqualValues(t, 40, result.Succeeded)
					require.Zero(t, result.Wrong)

					continue
				}
				require.Equal(t, workload.Result{Failed: 40, Wrong: 40, Took: result.Took}, result)
				require.ErrorIs(t, observer.Reasons[0], workload.ErrWrongSize)
			}
		}
	}
}

func TestMixedUpKeys(t *testing.T) {
	options := base(500, workload.Mix{Get: 1})
	w, err := workload.New(options)
	require.NoError(t, err)
	store := &fakeStore{Spoil: func(key, value []byte) []byte {
		if string(key) == "key:000000000007" {
			return w.Values().Append(nil, 8)
		}

		return value
	}}
	client, err := w.Client(store, 0, 1)
	require.NoError(t, err)
	observer := &fakeObserver{}
	result, err := filled(t.Context(), client, observer)
	require.NoError(t, err)
	require.Positive(t, result.Wrong)
	require.Equal(t, uint64(500), result.Hits+result.Wrong)
	require.ErrorIs(t, observer.Reasons[0], workload.ErrWrongKey)
}

func TestRefused(t *testing.T) {
	refuse := func(op workload.Op, _ []byte) error {
		if op == workload.Set {
			return fmt.Errorf("out of memory: %w", workload.ErrRefused)
		}

		return nil
	}
	plain := struct{ workload.Store }{&fakeStore{Fault: refuse}}
	options := base(10, workload.Mix{GetOrSet: 1})
	client, err := make1(options, plain, 0, 1)
	require.NoError(t, err)
	result, err := client.Run(t.Context(), &fakeObserver{})
	require.NoError(t, err)
	require.Equal(t, workload.Result{Succeeded: 10, Misses: 10, Refused: 10, Took: result.Took}, result, "the value was there all the same")

	options.Mix = workload.Mix{Set: 1}
	client, err = make1(options, plain, 0, 1)
	require.NoError(t, err)
	result, err = client.Run(t.Context(), &fakeObserver{})
	require.NoError(t, err)
	require.Equal(t, workload.Result{Failed: 10, Took: result.Took}, result)
}

func TestUnsupportedOperations(t *testing.T) {
	store := &fakeStore{}
	plain := struct{ workload.Store }{store}
	for _, test := range []struct {
		spoil func(*workload.Options)
		want  string
	}{
		{func(o *workload.Options) { o.Mix.Touch = 1 }, "option mix.touch: this store cannot touch"},
		{func(o *workload.Options) { o.Mix.GetMulti = 1 }, "option mix.getMulti: this store cannot read several keys at once"},
		{func(o *workload.Options) { o.Pipeline = 2 }, "option pipeline must be 1: this store has no pipelines"},
	} {
		options := base(1, workload.Mix{Get: 1})
		test.spoil(&options)
		_, err := make1(options, plain, 0, 1)
		require.EqualError(t, err, test.want)
	}
	options := base(1000, workload.Mix{GetOrSet: 1})
	client, err := make1(options, plain, 0, 1)
	require.NoError(t, err)
	result, err := client.Run(t.Context(), &fakeObserver{})
	require.NoError(t, err)
	require.EqualValues(t, 100, result.Misses)
	require.Equal(t, 1000, store.Count(workload.Get))
	require.Equal(t, 100, store.Count(workload.Set))
	require.Zero(t, store.Count(workload.GetOrSet))
}

func TestBadClients(t *testing.T) {
	options := base(1, workload.Mix{Get: 1})
	options.Keys.Distribution = workload.Sequential
	_, err := make1(options, &fakeStore{}, 0, 101)
	require.EqualError(t, err, "option keys.count (100) must be at least the number of clients (101): sequential clients share the keys")
	for _, index := range []int{-1, 1} {
		_, err = make1(options, &fakeStore{}, index, 1)
		require.EqualError(t, err, fmt.Sprintf("client %d must be from 0 and below 1", index))
	}
}

func TestPrefill(t *testing.T) {
	for _, clients := range []int{1, 7, 130} {
		store, written := &fakeStore{}, uint64(0)
		for i := range clients {
			client, err := make1(base(1, workload.Mix{Delete: 1}), store, i, clients)
			require.NoError(t, err)
			result, err := client.Prefill(t.Context())
			require.NoError(t, err)
			require.Equal(t, 100*result.Succeeded, result.BytesSent)
			written += result.Succeeded
			require.Zero(t, client.Unwritten())
			result, err = client.Prefill(t.Context())
			require.NoError(t, err)
			require.Equal(t, workload.Result{}, result, "nothing is left to write")
		}
		require.EqualValues(t, 100, written)
		require.Equal(t, 100, store.Len())
		require.Equal(t, 100, store.Count(workload.Set))
	}
}

func TestPrefillFails(t *testing.T) {
	n := 0
	store := &fakeStore{Fault: func(workload.Op, []byte) error {
		if n++; n == 31 {
			return errBroken
		}

		return nil
	}}
	client, err := make1(base(10, workload.Mix{Get: 1}), store, 0, 1)
	require.NoError(t, err)
	observer := &fakeObserver{}
	result, err := filled(t.Context(), client, observer)
	require.EqualError(t, err, "prefill of key key:000000000030: broken")
	require.ErrorIs(t, err, errBroken)
	require.Equal(t, workload.Result{}, result)
	require.Equal(t, 30, store.Len())
	result, err = filled(t.Context(), client, observer)
	require.NoError(t, err)
	require.EqualValues(t, 10, result.Hits)
	require.Equal(t, 101, store.Count(workload.Set))
	require.Equal(t, [workload.NumOps]int{workload.Get: 10}, observer.Oks)

	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errBroken)
	client, err = make1(base(10, workload.Mix{Get: 1}), &fakeStore{}, 0, 1)
	require.NoError(t, err)
	_, err = client.Prefill(ctx)
	require.ErrorIs(t, err, errBroken)
}

func TestContextEnds(t *testing.T) {
	for _, pipeline := range []int{1, 5} {
		options := base(1000, workload.Mix{Get: 1})
		options.Pipeline = pipeline
		store, observer := &fakeStore{}, &fakeObserver{}
		client, err := make1(options, store, 0, 1)
		require.NoError(t, err)
		_, err = client.Prefill(t.Context())
		require.NoError(t, err)
		over := errors.New("over")
		ctx, cancel := context.WithCancelCause(t.Context())
		n := 0
		store.Fault = func(workload.Op, []byte) error {
			if n++; n == 10 {
				cancel(over)

				return errBroken
			}

			return nil
		}
		result, err := filled(ctx, client, observer)
		require.Equal(t, over, err)
		require.EqualValues(t, 9, result.Succeeded)
		require.EqualValues(t, 1, result.Failed)
		require.Equal(t, []error{errBroken}, observer.Reasons)
	}
}

func TestClosedStore(t *testing.T) {
	for _, pipeline := range []int{1, 10} {
		options := base(1000, workload.Mix{Get: 1})
		options.Pipeline = pipeline
		store, observer := &fakeStore{}, &fakeObserver{}
		client, err := make1(options, store, 0, 1)
		require.NoError(t, err)
		_, err = client.Prefill(t.Context())
		require.NoError(t, err)
		n := 0
		store.Fault = func(workload.Op, []byte) error {
			if n++; n >= 24 {
				return workload.ErrClosed
			}

			return nil
		}
		result, err := filled(t.Context(), client, observer)
		require.Equal(t, workload.ErrClosed, err)
		require.EqualValues(t, 23, result.Succeeded)
		require.EqualValues(t, (pipeline-23%pipeline-1)%pipeline+1, result.Failed, "all of the pipeline that were not answered")
	}
}

func TestDuration(t *testing.T) {
	options := base(0, workload.Mix{Get: 1})
	options.Duration = types.NullDurationFrom(20 * time.Millisecond)
	client, err := make1(options, &fakeStore{}, 0, 1)
	require.NoError(t, err)
	result, err := filled(t.Context(), client, &fakeObserver{})
	require.NoError(t, err)
	require.GreaterOrEqual(t, result.Took, 20*time.Millisecond)
	require.Positive(t, result.Succeeded)

	options.Duration = types.NullDurationFrom(1) // one nanosecond
	client, err = make1(options, &fakeStore{}, 0, 1)
	require.NoError(t, err)
	result, err = filled(t.Context(), client, &fakeObserver{})
	require.NoError(t, err)
	require.EqualValues(t, 1, result.Succeeded)
}

type liar struct {
	fakeStore
	answer func(got func(i int, value []byte))
}

func (l *liar) GetMulti(_ [][]byte, got func(i int, value []byte)) error {
	l.answer(got)

	return nil
}

func (l *liar) Pipeline(commands []workload.Command, got func(i int, value []byte)) error {
	l.answer(got)
	for i := range commands {
		commands[i].Answered = true
	}

	return nil
}

func TestUnrequestedAnswers(t *testing.T) {
	options := base(1, workload.Mix{GetMulti: 1})
	options.Verify, options.Batch = false, 3
	piped := options
	piped.Mix, piped.Pipeline, piped.Iterations = workload.Mix{Get: 1}, 3, 3
	sets := piped
	sets.Mix = workload.Mix{Set: 1}
	for name, answer := range map[string]func(got func(int, []byte)){
		"below":  func(got func(int, []byte)) { got(-1, nil) },
		"beyond": func(got func(int, []byte)) { got(3, nil) },
		"twice":  func(got func(int, []byte)) { got(1, nil); got(1, nil) },
		"once":   func(got func(int, []byte)) { got(1, nil) },
	} {
		for kind, options := range map[string]workload.Options{"getMulti": options, "gets": piped, "sets": sets} {
			observer := &fakeObserver{}
			client, err := make1(options, &liar{answer: answer}, 0, 1)
			require.NoError(t, err)
			result, err := filled(t.Context(), client, observer)
			require.NoError(t, err)
			if name == "once" && kind != "sets" {
				require.Zero(t, result.Failed)
				require.EqualValues(t, 1, result.Hits)
				require.EqualValues(t, 2, result.Misses)

				continue
			}
			require.EqualValues(t, options.Iterations, result.Failed, "%s, %s", name, kind)
			require.Zero(t, result.Succeeded+result.Hits+result.Misses+result.BytesSent)
			require.Equal(t, workload.ErrUnasked, observer.Reasons[0])
		}
	}
}

type silent struct{ fakeStore }

func (*silent) Pipeline(commands []workload.Command, _ func(i int, value []byte)) error {
	commands[0].Answered = true

	return nil
}

func TestUnanswered(t *testing.T) {
	options := base(3, workload.Mix{Get: 1})
	options.Pipeline = 3
	observer := &fakeObserver{}
	client, err := make1(options, &silent{}, 0, 1)
	require.NoError(t, err)
	result, err := filled(t.Context(), client, observer)
	require.NoError(t, err)
	require.Equal(t, workload.Result{Succeeded: 1, Misses: 1, Failed: 2, Took: result.Took}, result)
	require.Equal(t, []error{workload.ErrUnanswered, workload.ErrUnanswered}, observer.Reasons)
}

type tallies struct{ oks, fails int }

func (*tallies) Next(ctx context.Context, _ int) error { return context.Cause(ctx) }

func (o *tallies) Ok(workload.Op, time.Duration)          { o.oks++ }
func (o *tallies) Fail(workload.Op, error, time.Duration) { o.fails++ }

func ready(tb testing.TB, options workload.Options) *workload.Client {
	tb.Helper()
	client, err := make1(options, &fakeStore{}, 0, 1)
	require.NoError(tb, err)
	for range 10 {
		_, err = filled(tb.Context(), client, &tallies{})
		require.NoError(tb, err)
	}

	return client
}

func TestRunDoesNotAllocate(t *testing.T) {
	for _, distribution := range []string{workload.Uniform, workload.Zipf, workload.HotCold, workload.Sequential, workload.Gaussian} {
		options := base(1000, workload.Mix{Get: 5, Set: 2, Touch: 1, GetOrSet: 2})
		options.Keys.Distribution = distribution
		client, observer, ctx := ready(t, options), &tallies{}, t.Context()
		require.Zero(t, testing.AllocsPerRun(20, func() {
			if result, err := filled(ctx, client, observer); err != nil || result.Succeeded != 1000 {
				t.Fatal(result, err)
			}
		}), distribution)
	}
}

type quiet struct{ fakeStore }

var quietValue [100]byte

func (*quiet) GetMulti(keys [][]byte, got func(i int, value []byte)) error {
	for i := range keys {
		got(i, quietValue[:])
	}

	return nil
}

func (*quiet) Pipeline(commands []workload.Command, got func(i int, value []byte)) error {
	for i := range commands {
		if commands[i].Op == workload.Get {
			got(i, quietValue[:])
		}
		commands[i].Answered = true
	}

	return nil
}

func TestManyAtOnceDoNotAllocate(t *testing.T) {
	multi := base(100, workload.Mix{GetMulti: 1})
	multi.Verify = false
	piped := multi
	piped.Mix, piped.Pipeline = workload.Mix{Get: 1, Set: 1}, 10
	for name, options := range map[string]workload.Options{"getMulti": multi, "pipeline": piped} {
		client, err := make1(options, &quiet{}, 0, 1)
		require.NoError(t, err)
		observer, ctx := &tallies{}, t.Context()
		for range 10 {
			_, err = filled(ctx, client, observer)
			require.NoError(t, err)
		}
		require.Zero(t, testing.AllocsPerRun(20, func() {
			if result, err := filled(ctx, client, observer); err != nil || result.Succeeded != 100 {
				t.Fatal(result, err)
			}
		}), name)
	}
}

func BenchmarkOperation(b *testing.B) {
	for _, distribution := range []string{workload.Uniform, workload.Zipf, workload.HotCold, workload.Sequential, workload.Gaussian} {
		b.Run(distribution, func(b *testing.B) {
			options := base(1000, workload.Mix{Get: 90, Set: 10})
			options.Keys.Distribution = distribution
			client, observer := ready(b, options), &tallies{}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := filled(b.Context(), client, observer); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(observer.oks), "ns/operation")
		})
	}
}
