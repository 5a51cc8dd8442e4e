package umemcache

import (
	"context"
	"encoding/json"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/testutil"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/umemcache/umemtest"
	"github.com/xk6-sweep/xk6-sweep/extensions/umemcache/wire"
)

type result struct {
	Succeeded, Failed, Wrong, Hits, Misses, HotAccesses, HotHits, Refused, BytesReceived, BytesSent, Left int
	Seconds                                                                                               float64
}

func (v *vu) bench(expression string) result {
	v.t.Helper()
	var r result
	require.NoError(v.t, json.Unmarshal([]byte(v.Run(`JSON.stringify(`+expression+`)`).(string)), &r))

	return r
}

func TestRunDoesAWorkload(t *testing.T) {
	for _, g := range []wire.Generation{wire.G1, wire.G2, wire.G3} {
		server := umemtest.Start(t, umemtest.Options{Generation: g})
		v := newVU(t, server)
		v.Run(`var client = new umemcache.Client(addr, { generation: '` + g.String() + `' })`)
		r := v.bench(`((w) => { client.prefill(w); return client.run(w); })({
			iterations: 500, values: { min: 0, max: 3000 }, keys: { distribution: 'hotcold', count: 50 },
			mix: { get: 5, set: 1, getOrSet: 2 } })`)
		require.Equal(t, 500, r.Succeeded, g)
		require.Zero(t, r.Failed)
		require.Zero(t, r.Misses, "all was prefilled")
		require.Equal(t, r.HotAccesses, r.HotHits)
		require.Equal(t, float64(r.Hits), v.Counted(metricHits))
		require.Empty(t, v.Found(metricDuration, "op", "get"), "k6 would keep them all")
		require.Positive(t, v.Counted("data_sent"))

		r = v.bench(`client.run({ iterations: 20, mix: { getOrSet: 1 }, keys: { prefix: 'other:', distribution: 'sequential', count: 10 } })`)
		require.Equal(t, result{Succeeded: 20, Hits: 10, Misses: 10, BytesReceived: 1000, BytesSent: 1000, Seconds: r.Seconds}, r)
		r = v.bench(`client.run({ iterations: 10, mix: { delete: 1 }, keys: { prefix: 'other:', distribution: 'sequential', count: 10 } })`)
		require.Equal(t, 10, r.Succeeded)
		_, found := server.Value("other:000000000003")
		require.False(t, found)
		require.Empty(t, server.Violations())
	}
}

func TestPrefill(t *testing.T) {
	server := newServer(t)
	v := newVU(t, server)
	v.Run(`var client = new umemcache.Client(addr)`)
	r := v.bench(`client.prefill({ iterations: 5, keys: { count: 10 }, tags: { name: 'keys' } })`)
	require.Equal(t, result{Succeeded: 10, BytesSent: 1000, Seconds: r.Seconds}, r)
	require.Equal(t, 10.0, v.Counted(metricOps, "op", "set", "name", "keys"))
	require.Equal(t, result{}, v.bench(`client.prefill({ keys: { count: 10 } })`))
	require.Equal(t, 10, v.bench(`client.run({ iterations: 10, mix: { get: 1 }, keys: { count: 10 }, tags: { name: 'read' } })`).Hits)
	require.Equal(t, 10.0, v.Counted(metricOps, "op", "get", "name", "read"))
	require.Equal(t, 10.0, v.Counted(metricHits, "name", "read"))

	for call, want := range map[string]string{
		`prefill({ keys: { count: 0 } })`:           `prefill: option keys.count must be from 1 to 1000000000000, not 0`,
		`run({ iterations: 1, tags: { op: 'x' } })`: `run: option tags cannot have op, which is a tag of the module's own`,
	} {
		require.Equal(t, thrown{want, "usage"}, v.fail(`client.`+call), call)
	}

	step := measure.NewStep(1, measure.Plan{Operations: 1}, nil)
	session := &k6x.Session{Client: step.Client(0)}
	v.VU.CtxField = k6x.WithSession(t.Context(), session)
	require.NoError(t, session.Client.Run(t.Context(), "step", nil, func() error {
		require.Equal(t, thrown{
			"prefill: the keys must be written before operations are measured: call it before sweep.run, or in setup()", "usage",
		}, v.fail(`client.prefill({ keys: { prefix: 'late:' } })`))
		v.Run(`client.prefill({ keys: { count: 10 } })`)

		return nil
	}))
}

// If the server rejects the value of a getOrSet, the operation fails, since another client may
// have stored a different value.
func TestRunOfValuesThatAreRefused(t *testing.T) {
	server := umemtest.Start(t, umemtest.Options{Generation: wire.G1, Memory: 4 << 20})
	v := newVU(t, server)
	v.Run(`var client = new umemcache.Client(addr, { generation: 'G1' })`)
	r := v.bench(`client.run({ iterations: 4, mix: { getOrSet: 1 }, keys: { count: 1 }, values: 2000000 })`)
	require.Equal(t, result{Failed: 4, Seconds: r.Seconds}, r)
	require.Equal(t, 4.0, v.Counted(metricOps, "op", "getOrSet", "outcome", "lock_lost"))
	r = v.bench(`client.run({ iterations: 4, mix: { set: 1 }, keys: { count: 1 }, values: 2000000 })`)
	require.Equal(t, result{Failed: 4, Seconds: r.Seconds}, r)

	r = v.bench(`client.hitRate({ config: { memory: 20971520, item: 2000000 }, pass: 'timed', iterations: 4 })`)
	require.Equal(t, []int{0, 4, 0, 0, 0}, []int{r.Succeeded, r.Failed, r.Hits, r.Misses, r.Refused})
}

func TestRunMisused(t *testing.T) {
	server := umemtest.Start(t, umemtest.Options{})
	v := newVU(t, server)
	v.Run(`var client = new umemcache.Client(addr)`)
	for call, want := range map[string]string{
		`run({ iterations: 1, mix: { touch: 1 } })`:                             `run: option mix.touch: this store cannot touch`,
		`run({ iterations: 1, mix: { getMulti: 1 } })`:                          `run: option mix.getMulti: this store cannot read several keys at once`,
		`run({ iterations: 1, pipeline: 2 })`:                                   `run: option pipeline must be 1: this store has no pipelines`,
		`hitRate({ config: { memory: 104857600, item: 512 }, pass: 'another'})`: `hitRate: option pass must be 'warmup' or 'timed', not "another"`,
		`getOrSet('k', () => { client.run({ iterations: 1 }) })`:                `the function that getOrSet calls holds the key's fill lock: it must not use the same Client`,
	} {
		require.Equal(t, thrown{want, "usage"}, v.fail("client."+call), call)
	}
	require.Equal(t, "prefill of key key:000000000000: umem-cache has no time to live: option ttl must be 0",
		v.Abort(`client.prefill({ ttl: '1s' })`))
	require.Equal(t, 1, v.bench(`client.run({ iterations: 1, mix: { getOrSet: 1 }, ttl: '1s' })`).Failed)
	init := newInitVU(t, New(), server)
	init.Run(`var client = new umemcache.Client(addr)`)
	require.Equal(t, "usage", init.fail(`client.run({ iterations: 1 })`).Kind)
}

func step(t *testing.T, n int, plan measure.Plan, server *umemtest.Server, options, before, during string) measure.Reading {
	t.Helper()
	root, id := New(), uint64(0)

	return testutil.Step(t, n, plan, "step", func() *testutil.Runner {
		v := newInitVU(t, root, server)
		id++
		v.Start(id)
		v.Run(`var client = new umemcache.Client(addr, ` + options + `)`)

		return v.Runner
	}, before, during)
}

func TestRunTakesTurns(t *testing.T) {
	const clients, operations = 12, 150
	for _, g := range []wire.Generation{wire.G1, wire.G3} {
		server := umemtest.Start(t, umemtest.Options{Generation: g})
		// The kernel may begin to record receive times some 10 ms late, hence the warm-up.
		plan := measure.Plan{Operations: operations, Warmup: 100 * time.Millisecond}
		r := step(t, clients, plan, server, `{ generation: '`+g.String()+`', connectionsPerThread: 2 }`,
			`client.prefill({ keys: { count: 50 }, values: { min: 0, max: 30000 } })`,
			`client.run({ iterations: 50, keys: { count: 50 }, mix: { get: 8, getOrSet: 1 }, values: { min: 0, max: 30000 } })`)
		require.True(t, r.Complete)
		var done, received int64
		for _, op := range r.Ops {
			require.Zero(t, op.Failed, op.Errors)
			done += op.Durations.Count
			received += int64(op.BytesReceived)
		}
		require.Equal(t, int64(clients*operations), done, "to the operation")
		require.Greater(t, received, int64(clients*operations*5000), "with their values")
		require.GreaterOrEqual(t, r.ClientWait.Count, int64(clients*operations/20), "of one answer in sixteen")
		require.Empty(t, server.Violations())
	}
}

func TestRunContinuesWhileOneClientWaitsForALock(t *testing.T) {
	server := umemtest.Start(t, umemtest.Options{Timeout: time.Hour})
	owner, err := wire.NewPool(server.Address(), wire.Options{Settings: wire.DefaultSettings()})
	require.NoError(t, err)
	defer owner.Close()
	release, released := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(released)
		client := wire.NewClient(owner, time.Hour)
		defer client.Close()
		_, _, _ = client.GetOrSet(context.Background(), []byte("key:000000000000"), nil, func() ([]byte, error) {
			<-release

			return []byte("late"), nil
		})
	}()
	require.Eventually(t, func() bool { return server.Locked("key:000000000000") }, 10*time.Second, time.Millisecond)

	const operation = `client.run({ iterations: 1, mix: { get: 1 }, keys: { count: 1 }, verify: false })`
	root := New()
	v, late, other := newInitVU(t, root, server), newInitVU(t, root, server), newInitVU(t, root, server)
	for i, each := range []*vu{v, late, other} {
		each.Start(uint64(i + 1))
	}
	v.Run(`var client = new umemcache.Client(addr, { timeout: '1h' })`)
	late.Run(`var client = new umemcache.Client(addr, { timeout: '1s' })`)
	other.Run(`var client = new umemcache.Client(addr)`)
	ended := make(chan result, 1)
	go func() { ended <- v.bench(operation) }()
	require.Eventually(t, func() bool { return server.Waiting("key:000000000000") > 0 }, 10*time.Second, time.Millisecond)
	for range runtime.GOMAXPROCS(0) {
		require.Equal(t, 100, other.bench(`client.run({ iterations: 100, mix: { set: 1 }, keys: { prefix: 'other:' } })`).Succeeded)
	}
	require.Equal(t, 1, late.bench(operation).Failed)
	require.Equal(t, 1.0, late.Counted(metricOps, "op", "get", "outcome", "lock_wait"))
	close(release)
	<-released
	require.Equal(t, 1, (<-ended).Hits)
}

func TestHitRateInAStep(t *testing.T) {
	const clients, accesses = 5, 3355 // 8 * 1048576 * 80 / 20 / 10000
	const config = `{ config: { memory: 1048576, item: 10000, random: true }, verify: true`
	server := umemtest.Start(t, umemtest.Options{})
	r := step(t, clients, measure.Plan{UntilDone: true}, server, "{}",
		`client.connect(); client.hitRate(`+config+`, pass: 'warmup' })`, `client.hitRate(`+config+`, pass: 'timed', iterations: 10 })`)
	require.True(t, r.Complete)
	require.Len(t, r.Ops, 1)
	rate := r.Op("getOrSet")
	require.Equal(t, int64(accesses), rate.Durations.Count)
	require.Zero(t, rate.Failed)
	require.Equal(t, uint64(accesses), r.Counters[measure.Hits]+r.Counters[measure.Misses])
	require.Equal(t, r.Counters[measure.Hot], r.Counters[measure.HotHits])
	require.Greater(t, rate.BytesReceived, r.Counters[measure.Hits]*1000)
	require.Greater(t, rate.BytesSent, uint64(accesses*12))
	require.Empty(t, server.Violations())
}

func TestRunIsInterrupted(t *testing.T) {
	server := umemtest.Start(t, umemtest.Options{Timeout: time.Hour})
	owner, err := wire.NewPool(server.Address(), wire.Options{Settings: wire.DefaultSettings()})
	require.NoError(t, err)
	defer owner.Close()
	const key = "key:000000000000"
	release, released := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(released)
		client := wire.NewClient(owner, time.Hour)
		defer client.Close()
		_, _, _ = client.GetOrSet(context.Background(), []byte(key), nil, func() ([]byte, error) {
			<-release

			return []byte("late"), nil
		})
	}()
	require.Eventually(t, func() bool { return server.Locked(key) }, 10*time.Second, time.Millisecond)

	v := newVU(t, server)
	v.Run(`var client = new umemcache.Client(addr, { timeout: '1h' })`)
	go func() {
		for server.Waiting(key) == 0 {
			time.Sleep(time.Millisecond)
		}
		v.CancelContext()
	}()
	require.Equal(t, thrown{"the test ended before the run was over", "cancelled"},
		v.fail(`client.run({ iterations: 10, mix: { getOrSet: 1 }, keys: { count: 1 } })`))
	close(release)
	<-released
	v.Exit()
	requireNoneLeft(t)
}
