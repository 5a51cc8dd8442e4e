package umemcache

import (
	"context"
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/umemcache/umemtest"
	"github.com/xk6-sweep/xk6-sweep/extensions/umemcache/wire"
)

// result is what run and hitRate return.
type result struct {
	Succeeded, Failed, Wrong, Hits, Misses, HotAccesses, HotHits, Refused, BytesReceived, BytesSent, Left int
	Seconds                                                                                               float64
}

// bench runs an expression whose value is a result.
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

// Keys are written once, by whoever comes first, and never as a part of what is measured.
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
		`run({ iterations: 1, prefill: true })`:     `run: unknown option "prefill": call client.prefill(workload) before`,
		`run({ ops: 1 })`:                           `run: unknown option "ops": use iterations`,
		`hitRate({ pass: 'timed', most: 1 })`:       `hitRate: unknown option "most": use iterations`,
		`prefill({ keys: { count: 0 } })`:           `prefill: option keys.count must be from 1 to 1000000000000, not 0`,
		`run({ iterations: 1, tags: { op: 'x' } })`: `run: option tags cannot have op, which is a tag of the module's own`,
	} {
		require.Equal(t, thrown{want, "usage"}, v.fail(`client.`+call), call)
	}

	step := measure.NewStep(1, measure.Plan{Operations: 1}, nil)
	session := &k6glue.Session{Client: step.Client(0)}
	v.VU.CtxField = k6glue.WithSession(t.Context(), session)
	require.NoError(t, session.Client.Run(t.Context(), "step", nil, func() error {
		require.Equal(t, thrown{
			"prefill: the keys must be written before operations are measured: call it before sweep.run, or in setup()", "usage",
		}, v.fail(`client.prefill({ keys: { prefix: 'late:' } })`))
		v.Run(`client.prefill({ keys: { count: 10 } })`) // which has nothing to do

		return nil
	}))
}

// A getOrSet whose value the server has not taken has failed, as G1 says at once: whoever took the
// lock may have stored another.
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
		`run({ iterations: 1, mix: { touch: 1 } })`:              `run: option mix.touch: this store cannot touch`,
		`run({ iterations: 1, mix: { getMulti: 1 } })`:           `run: option mix.getMulti: this store cannot read several keys at once`,
		`run({ iterations: 1, pipeline: 2 })`:                    `run: option pipeline must be 1: this store has no pipelines`,
		`prefill({ ttl: '1s' })`:                                 `prefill of key key:000000000000: umem-cache knows no time to live: option ttl must be 0`,
		`hitRate({ config: '100m-512b', pass: 'another'})`:       `hitRate: option pass must be 'warmup' or 'timed', not "another"`,
		`getOrSet('k', () => { client.run({ iterations: 1 }) })`: `the function that getOrSet calls holds the key's fill lock: it must not use the same Client`,
	} {
		require.Equal(t, thrown{want, "usage"}, v.fail("client."+call), call)
	}
	require.Equal(t, 1, v.bench(`client.run({ iterations: 1, mix: { getOrSet: 1 }, ttl: '1s' })`).Failed)
	init := newInitVU(t, New(), server)
	init.Run(`var client = new umemcache.Client(addr)`)
	require.Equal(t, "usage", init.fail(`client.run({ iterations: 1 })`).Kind)
}

// Each access is done once by whoever comes first; a getOrSet that waits for another client's value
// is a hit.
func TestHitRateInAStep(t *testing.T) {
	const clients, accesses = 5, 3355 // 8 * 1048576 * 80 / 20 / 10000
	const config = `{ config: { memory: 1048576, item: 10000, random: true }, verify: true`
	server := umemtest.Start(t, umemtest.Options{})
	root, s := New(), measure.NewStep(clients, measure.Plan{UntilDone: true}, nil)
	errs := make([]error, clients)
	var wait sync.WaitGroup
	for i := range clients {
		v := newInitVU(t, root, server)
		v.Start(uint64(i + 1))
		session := &k6glue.Session{Client: s.Client(i), Op: "step"}
		v.VU.CtxField = k6glue.WithSession(v.VU.CtxField, session)
		v.Run(`var client = new umemcache.Client(addr)`)
		wait.Go(func() {
			defer session.End()
			defer s.Client(i).Leave()
			if _, errs[i] = v.JS.RunString(`client.connect(); client.hitRate(` + config + `, pass: 'warmup' })`); errs[i] != nil {
				return
			}
			errs[i] = s.Client(i).Run(context.Background(), "step", nil, func() error {
				_, err := v.JS.RunString(`client.hitRate(` + config + `, pass: 'timed', iterations: 10 })`)

				return err
			})
		})
	}
	wait.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	r := s.Read()
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

// The end of the test ends a run at once, although somebody else holds the fill lock.
func TestRunIsInterrupted(t *testing.T) {
	server := umemtest.Start(t, umemtest.Options{Timeout: time.Hour})
	owner, err := wire.NewPool(server.Address(), wire.DefaultOptions())
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
