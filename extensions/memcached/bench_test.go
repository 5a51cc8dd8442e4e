//go:build servers

package memcached

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/testutil"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/workload"
	"github.com/xk6-sweep/xk6-sweep/extensions/memcached/wire"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

type result struct {
	Succeeded, Failed, Wrong, Hits, Misses, HotAccesses, HotHits, Refused, BytesReceived, BytesSent, Left int
	Seconds                                                                                               float64
}

func (v *vu) bench(call string) result {
	v.t.Helper()
	var r result
	require.NoError(v.t, json.Unmarshal([]byte(v.JSON(call)), &r))

	return r
}

func newBenchVU(t *testing.T, options string) *vu {
	t.Helper()
	v := newVU(t)
	v.Run(`var client = new memcached.Client(addr, Object.assign({ prefix: key }, ` + options + `))`)

	return v
}

func TestRunDoesAWorkload(t *testing.T) {
	for _, options := range []string{`{}`, `{ protocol: 'meta' }`, `{ connection: 'shared', poolSize: 2 }`} {
		v := newBenchVU(t, options)
		r := v.bench(`((w) => { client.prefill(w); return client.run(w); })({
			iterations: 500, values: { min: 0, max: 3000 }, keys: { distribution: 'hotcold', count: 50 },
			mix: { get: 5, set: 1, touch: 1, getOrSet: 2, getMulti: 1 } })`)
		require.Equal(t, 500, r.Succeeded, options)
		require.Zero(t, r.Failed)
		require.Zero(t, r.Misses, "all was prefilled")
		require.Greater(t, r.Hits, 500, "a getMulti is of 10 keys")
		require.Equal(t, r.HotAccesses, r.HotHits)
		require.InDelta(t, 0.8, float64(r.HotAccesses)/float64(r.Hits), 0.1)
		require.Positive(t, r.Seconds)
		require.Equal(t, float64(r.Hits), v.Counted(metricHits))
		require.Zero(t, v.Counted(metricMisses))
		require.Empty(t, v.Found(metricDuration, "op", "get"), "k6 would keep them all")
		require.Positive(t, v.Counted("data_sent"))
	}
}

func TestRunMetaCommands(t *testing.T) {
	for _, options := range []string{`{}`, `{ protocol: 'meta' }`, `{ connection: 'shared', poolSize: 2 }`} {
		v := newBenchVU(t, options)
		r := v.bench(`((w) => {
			client.prefill({ ...w, commands: [{ op: 'write', args: ['ms', '{key}', 'v:{value}', 'T60', 'F5'], reply: { type: 'HD' } }] });
			return client.run({ ...w, iterations: 600, pipeline: 5, commands: [
				{ op: 'read', args: ['mg', '{key}', 'v', 't'], share: 3, reply: { type: 'VA', value: 'v:{value}' } },
				{ op: 'look', args: ['mg', '{key}'], reply: { type: 'HD' } },
				{ op: 'none', args: ['mg', 'no-{key}', 'v'], reply: { type: 'EN' } },
				{ op: 'gone', args: ['md', 'no-{key}'], reply: { type: 'NF' } },
				{ op: 'add', args: ['ms', '{key}', 'x', 'ME'], reply: { type: 'NS' } },
			] });
		})({ keys: { count: 40 }, values: 30 })`)
		require.Equal(t, 600, r.Succeeded, options)
		require.Equal(t, float64(32*v.Counted(metricOps, "op", "read", "outcome", "ok")), float64(r.BytesReceived))
		require.Equal(t, 40.0, v.Counted(metricOps, "op", "write", "outcome", "ok"))
		require.InDelta(t, 257, v.Counted(metricOps, "op", "read", "outcome", "ok"), 60)
		r = v.bench(`client.run({ iterations: 5, keys: { count: 40 }, commands: [{ op: 'ma', args: ['ma', '{key}'] }] })`)
		require.Equal(t, 5, r.Failed, "no numbers")
		r = v.bench(`client.run({ iterations: 5, keys: { count: 40 }, commands: [{ op: 'mg', args: ['mg', '{key}', 'v'], reply: { value: 'y' } }] })`)
		require.Equal(t, 5, r.Wrong)
	}
	v := newBenchVU(t, `{}`)
	for commands, says := range map[string]string{
		`['get', '{key}']`:          `args: the command must be one of the meta protocol: mg, ms, md or ma, not "get"`,
		`['mg']`:                    `args: mg needs a key`,
		`['ms', '{key}']`:           `args: ms needs a key and a value, such as ['ms', '{key}', '{value}', 'T60']`,
		`['mg', '{key}', 'v', 'q']`: `args: the flag q cannot be used: every request here waits for its reply`,
	} {
		require.Equal(t, thrown{"run: option commands[0]: " + says, "usage"},
			v.fail(`client.run({ iterations: 1, commands: [{ op: 'x', args: `+commands+` }] })`))
	}
	require.Equal(t, `run: option commands[0]: reply.type must be HD, VA, EN, NF, NS, EX, not "OK"`,
		v.fail(`client.run({ iterations: 1, commands: [{ op: 'x', args: ['mg', '{key}'], reply: { type: 'OK' } }] })`).Message)
}

func TestRunCountsCommands(t *testing.T) {
	v := newBenchVU(t, `{}`)
	r := v.bench(`client.run({ iterations: 20, mix: { getOrSet: 1 }, keys: { distribution: 'sequential', count: 10 } })`)
	require.Equal(t, result{Succeeded: 20, Hits: 10, Misses: 10, BytesReceived: 1000, BytesSent: 1000, Seconds: r.Seconds}, r)
	require.Equal(t, 20.0, v.Counted(metricOps, "op", "get", "outcome", "ok"))
	require.Equal(t, 10.0, v.Counted(metricOps, "op", "set", "outcome", "ok"))
	require.Equal(t, 10.0, v.Counted(metricHits))
	require.Equal(t, 10.0, v.Counted(metricMisses))

	r = v.bench(`client.run({ iterations: 10, mix: { delete: 1 }, keys: { distribution: 'sequential', count: 10 } })`)
	require.Equal(t, 10, r.Succeeded)
	r = v.bench(`client.run({ iterations: 10, mix: { get: 1 }, keys: { distribution: 'sequential', count: 10 } })`)
	require.Equal(t, 10, r.Misses)
}

func TestRunInPipelines(t *testing.T) {
	for _, options := range []string{`{}`, `{ protocol: 'meta' }`, `{ url: [addr, '127.0.0.1:1'], hashing: 'jump' }`} {
		v := newVU(t)
		v.Run(`var client = new memcached.Client(` + map[bool]string{true: `addr, `}[!strings.Contains(options, "url")] +
			`Object.assign({ prefix: key }, ` + options + `))`)
		r := v.bench(`client.run({ iterations: 1000, pipeline: 64, mix: { get: 1, set: 1, delete: 1, touch: 1 }, keys: { count: 100 } })`)
		require.Equal(t, 1000, r.Succeeded+r.Failed, options)
		require.Equal(t, float64(r.Succeeded), v.Counted(metricOps, "outcome", "ok")-v.Counted(metricOps, "op", "connect", "outcome", "ok"))
		require.Positive(t, r.Hits)
		if strings.Contains(options, "url") {
			require.InDelta(t, 500, r.Failed, 200, "a server that cannot be reached fails its own commands")
			require.Equal(t, float64(r.Failed), v.Counted(metricOps, "outcome", "connect")-v.Counted(metricOps, "op", "connect", "outcome", "connect"))
		} else {
			require.Zero(t, r.Failed)
		}
	}
}

func TestRunVerifies(t *testing.T) {
	v := newBenchVU(t, `{}`)
	r := v.bench(`(client.set('key:000000000000', 'x'.repeat(100)),
		client.run({ iterations: 3, mix: { get: 1 }, keys: { count: 1 } }))`)
	require.Equal(t, result{Failed: 3, Wrong: 3, Seconds: r.Seconds}, r)
	require.Equal(t, 3, v.bench(`client.run({ iterations: 3, mix: { get: 1 }, keys: { count: 1 }, verify: false })`).Hits)
}

func TestRunOfValuesThatAreRefused(t *testing.T) {
	v := newBenchVU(t, `{}`)
	r := v.bench(`client.run({ iterations: 4, mix: { getOrSet: 1 }, keys: { count: 1 }, values: 2000000 })`)
	require.Equal(t, result{Succeeded: 4, Misses: 4, Refused: 4, Seconds: r.Seconds}, r)
	r = v.bench(`client.run({ iterations: 4, mix: { set: 1 }, keys: { count: 1 }, values: 2000000 })`)
	require.Equal(t, result{Failed: 4, Seconds: r.Seconds}, r)
	require.Equal(t, 8.0, v.Counted(metricOps, "op", "set", "outcome", "too_large"))
	require.Contains(t, v.Abort(`client.prefill({ keys: { count: 1 }, values: 2000000 })`), "prefill of key key:000000000000: ")
}

func TestRunOfValuesThatAreTooLargeToRead(t *testing.T) {
	v := newBenchVU(t, `{ maxValue: 99 }`)
	v.Run(`new memcached.Client(addr, { prefix: key }).set('key:000000000000', 'x'.repeat(100))`)
	r := v.bench(`client.run({ iterations: 4, mix: { getOrSet: 1 }, keys: { count: 1 }, values: 50 })`)
	require.Equal(t, result{Failed: 4, Seconds: r.Seconds}, r)
	r = v.bench(`client.run({ iterations: 4, mix: { getMulti: 1 }, keys: { count: 1 }, values: 50 })`)
	require.Equal(t, result{Failed: 4, Seconds: r.Seconds}, r)
}

func TestRunOfGetMultiThatFailsTwice(t *testing.T) {
	v := newVU(t)
	require.NoError(t, v.JS.Set("servers", []string{
		testutil.AnsweringServer(t, "SERVER_ERROR busy\r\n"), testutil.AnsweringServer(t, "CLIENT_ERROR no\r\n"), testutil.AnsweringServer(t, "nonsense\r\n"),
	}))
	v.Run(`var client = new memcached.Client({ url: servers, hashing: 'jump' })`)
	r := v.bench(`client.run({ iterations: 1, mix: { getMulti: 1 }, batch: 1000 })`)
	require.Equal(t, result{Failed: 1, Seconds: r.Seconds}, r)
	require.Equal(t, 1.0, v.Counted(metricOps, "op", "getMulti", "outcome", "server"))
	require.Equal(t, "server", v.fail(`client.close(); client.getMulti(Array.from({ length: 1000 }, (_, i) => 'k' + i))`).Kind)
}

func TestRunMisused(t *testing.T) {
	v := newBenchVU(t, `{}`)
	for call, want := range map[string]string{
		`run()`:                           `run: option iterations (a number of operations) or duration (a time such as "30s") must be given`,
		`run({ iterations: 1, opps: 1 })`: `run: unknown option "opps"; known are iterations, duration, mix, commands, keys, values, verify, batch, pipeline, seed, ttl, allowMisses, tags`,
		`run({ iterations: 1, mix: { put: 1 } })`:    `run: unknown option "mix.put"; known are get, set, delete, touch, getOrSet, getMulti`,
		`run({ iterations: 1, keys: { count: 0 } })`: `run: option keys.count must be from 1 to 1000000000000, not 0`,
		`run(5)`:                    `run: options must be an object, not 5`,
		`hitRate()`:                 `hitRate: option config must be given: { memory, item } in bytes`,
		`hitRate({ config: '2g' })`: `hitRate: option config must be an object, not a string`,
		`hitRate({ config: { memory: 9, itm: 1 } })`:                                           `hitRate: unknown option "config.itm"; known are random, memory, item, hot, access, hotMemory`,
		`hitRate({ config: { memory: 104857600, item: 512 } })`:                                `hitRate: option pass must be 'warmup' or 'timed', not ""`,
		`hitRate({ config: { memory: 104857600, item: 512 }, pass: 'timed', iterations: -1 })`: `hitRate: option iterations must be a number of accesses, or 0 for all that are left, not -1`,
		`hitRate({ config: { memory: 1, item: 500 }, pass: 'timed' })`:                         `hitRate: options config.memory (1) and config.item (500) make 0 cases, none of them hot; more memory or smaller items are needed`,
		`hitRate({ config: { memory: 104857600, item: 512 }, pass: 'timed', verify: 'often'})`: `hitRate: option verify must be true or false, not a string`,
	} {
		require.Equal(t, thrown{want, "usage"}, v.fail("client."+call), call)
	}
	init := newInitVU(t, New())
	init.Run(`var client = new memcached.Client(addr)`)
	for _, call := range []string{`run({ iterations: 1 })`, `hitRate({ config: { memory: 104857600, item: 512 }, pass: 'timed' })`} {
		require.Equal(t, "usage", init.fail("client."+call).Kind)
	}
}

type clients struct {
	vus  []*vu
	step *measure.Step
	ends []func()
}

func newClients(t *testing.T, n int, plan measure.Plan, prefix string) *clients {
	t.Helper()
	root := New()
	c := &clients{step: measure.NewStep(n, plan, nil)}
	for i := range n {
		v := newInitVU(t, root)
		v.Start(uint64(i + 1))
		session := &k6x.Session{Client: c.step.Client(i), Op: "step"}
		v.VU.CtxField = k6x.WithSession(v.VU.CtxField, session)
		v.Run(fmt.Sprintf(`var client = new memcached.Client(addr, { prefix: %q })`, prefix))
		c.vus = append(c.vus, v)
		c.ends = append(c.ends, session.End)
	}

	return c
}

func (c *clients) do(t *testing.T, before, during string) measure.Reading {
	t.Helper()
	var wait sync.WaitGroup
	errs := make([]error, len(c.vus))
	for i, v := range c.vus {
		wait.Go(func() {
			client := c.step.Client(i)
			defer client.Leave()
			if _, errs[i] = v.JS.RunString(before); errs[i] != nil {
				return
			}
			errs[i] = client.Run(context.Background(), "step", nil, func() error {
				_, err := v.JS.RunString(during)

				return err
			})
			c.ends[i]()
		})
	}
	wait.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}

	return c.step.Read()
}

func TestRunIsThePartOfAStep(t *testing.T) {
	const prefix = "module-test-step-"
	c := newClients(t, 3, measure.Plan{Operations: 1050, Warmup: 10 * time.Millisecond}, prefix)
	r := c.do(t, `client.prefill({ keys: { count: 100 } })`, `client.run({ iterations: 400, keys: { count: 100 } })`)
	require.True(t, r.Complete)
	require.Len(t, r.Ops, 2, "none but those of the mix")
	get, set := r.Op("get"), r.Op("set")
	require.Equal(t, int64(3*1050), get.Durations.Count+set.Durations.Count, "to the operation")
	require.InDelta(t, 9, float64(get.Durations.Count)/float64(set.Durations.Count), 2)
	require.Zero(t, get.Failed+set.Failed)
	require.Equal(t, measure.Counters{measure.Hits: uint64(get.Durations.Count)}, r.Counters, "all was prefilled")
	key := len(prefix) + 16
	require.Equal(t, uint64(get.Durations.Count)*uint64(len("get \r\n")+key), get.BytesSent)
	require.Equal(t, uint64(get.Durations.Count)*uint64(len("VALUE  0 100\r\n\r\nEND\r\n")+key+100), get.BytesReceived)
	require.Equal(t, uint64(set.Durations.Count)*uint64(len("STORED\r\n")), set.BytesReceived)

	// Keys are prefilled once for all steps. A read of a missing key is a failed operation, unless
	// the script allows it.
	c.vus[0].Run(`client.connect(); client.flushAll()`)
	for options, want := range map[string]result{
		`mix: { get: 1 }`:                          {Failed: 2, Misses: 2},
		`mix: { getMulti: 1 }, batch: 3`:           {Failed: 2, Misses: 6},
		`mix: { get: 1 }, pipeline: 2`:             {Failed: 2, Misses: 2},
		`mix: { get: 1 }, allowMisses: true`:       {Succeeded: 2, Misses: 2},
		`mix: { get: 1 }, keys: { count: 101 }`:    {Succeeded: 2, Misses: 2},
		`mix: { get: 1 }, keys: { prefix: 'new' }`: {Succeeded: 2, Misses: 2},
	} {
		again := measure.NewStep(1, measure.Plan{Operations: 1}, nil)
		c.vus[0].VU.CtxField = k6x.WithSession(t.Context(), &k6x.Session{Client: again.Client(0)})
		r := c.vus[0].bench(`(client.prefill({ keys: { count: 100 } }), client.run({ iterations: 2, keys: { count: 100 }, ` + options + ` }))`)
		r.Seconds = 0
		require.Equal(t, want, r, options)
	}
}

func TestIncompletePrefill(t *testing.T) {
	v := newBenchVU(t, `{}`)
	step := func(clients int) {
		s := measure.NewStep(clients, measure.Plan{Operations: 1}, nil)
		v.VU.CtxField = k6x.WithSession(t.Context(), &k6x.Session{Client: s.Client(0)})
	}
	for _, want := range []struct{ clients, written int }{{2, 5}, {1, 10}, {1, 0}, {3, 0}} {
		step(want.clients)
		require.Equal(t, want.written, v.bench(`client.prefill({ keys: { count: 10 } })`).Succeeded)
	}
}

// Clients with their own connections take turns at event loops, which measure how long answers
// wait.
func TestRunTakesTurns(t *testing.T) {
	// The kernel may begin to record receive times some 10 ms late, hence the warm-up.
	plan := measure.Plan{Operations: 400, Warmup: 100 * time.Millisecond}
	c := newClients(t, 8, plan, "module-test-turns-")
	for _, v := range c.vus {
		v.Run(`var turns = new memcached.Client(addr)`)
	}
	r := c.do(t, `turns.run({ iterations: 1 })`, `turns.run({ iterations: 100 })`)
	require.True(t, r.Complete)
	require.Zero(t, r.Op("get").Failed)
	require.GreaterOrEqual(t, r.ClientWait.Count, int64(8*400/20), "of one answer in sixteen")
	require.Positive(t, r.ClientWait.Min)

	pooled := newClients(t, 4, measure.Plan{Operations: 100}, "module-test-pool-")
	for _, v := range pooled.vus {
		v.Run(`var pool = new memcached.Client(addr, { connection: 'shared', poolSize: 2 })`)
	}
	r = pooled.do(t, `pool.run({ iterations: 1 })`, `pool.run({ iterations: 100 })`)
	require.True(t, r.Complete)
	require.Zero(t, r.Op("get").Failed)
	require.Zero(t, r.ClientWait.Count)
}

func TestRunInAnOpenLoop(t *testing.T) {
	for name, options := range map[string]string{"of their own": `{}`, "shared": `{ connection: 'shared', poolSize: 2 }`} {
		t.Run(name, func(t *testing.T) {
			plan := measure.Plan{Rate: 400, Duration: time.Second / 2, Warmup: time.Second / 10}
			c := newClients(t, 8, plan, "module-test-open-")
			for _, v := range c.vus {
				v.Run(`var calls = 0, open = new memcached.Client(addr, ` + options + `)`)
			}
			r := c.do(t, ``, `calls += 1; open.run({ duration: '1h', mix: { get: 1 }, keys: { count: 10 } })`)
			require.Len(t, r.Ops, 1)
			require.EqualValues(t, 200, r.OpenLoop.Due)
			require.EqualValues(t, 200, uint64(r.Op("get").Durations.Count)+r.Unstarted)
			require.Equal(t, r.Op("get").Durations.Count, r.OpenLoop.Lateness.Count)
			require.Zero(t, r.Op("get").Failed)
			for _, v := range c.vus {
				require.LessOrEqual(t, v.JS.Get("calls").ToInteger(), int64(2), "one for the warm-up, and one")
			}
		})
	}
}

func TestRunInAnOpenLoopEndsWhileItWaits(t *testing.T) {
	for name, end := range map[string]func(*clients){
		"the step": func(c *clients) { c.step.Stop() },
		"the test": func(c *clients) { c.vus[0].CancelContext() },
	} {
		t.Run(name, func(t *testing.T) {
			c := newClients(t, 1, measure.Plan{Rate: 0.001, Duration: 24 * time.Hour}, "module-test-asleep-")
			require.NoError(t, c.vus[0].JS.Set("begins", func() {
				go func() {
					for c.step.Ended() == 0 {
						time.Sleep(time.Millisecond)
					}
					end(c)
				}()
			}))
			require.NoError(t, c.vus[0].JS.Set("ended", c.step.Stop))
			r := c.do(t, ``, `begins(); try { client.run({ duration: '1h', mix: { get: 1 } }) } finally { ended() }`)
			require.False(t, r.Complete)
			require.EqualValues(t, 1, r.Op("get").Durations.Count, "the next one is due in a quarter of an hour")
		})
	}
}

func TestRunContinuesWhileOneClientConnects(t *testing.T) {
	unreachable := testutil.FakeServer(t, func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) })
	v, other := newVU(t), newVU(t)
	require.NoError(t, v.JS.Set("unreachable", unreachable))
	v.Run(`var client = new memcached.Client(unreachable, { user: 'u', password: 'p', connectTimeout: '1h' })`)
	other.Run(`var client = new memcached.Client(addr)`)
	ended := make(chan thrown, 1)
	go func() { ended <- v.fail(`client.run({ duration: '1h' })`) }()
	for range runtime.GOMAXPROCS(0) {
		other.Run(`client.run({ iterations: 100 })`)
	}
	v.CancelContext()
	require.Equal(t, "cancelled", (<-ended).Kind)
	v.Exit()
}

func TestRunOfPipelinesInAStep(t *testing.T) {
	c := newClients(t, 2, measure.Plan{Operations: 100}, "module-test-pipe-")
	r := c.do(t, ``, `client.run({ iterations: 1000, pipeline: 30, mix: { set: 1 }, keys: { count: 10 } })`)
	require.True(t, r.Complete)
	require.Equal(t, int64(2*120), r.Op("set").Durations.Count)
}

func TestHitRateInAStep(t *testing.T) {
	const config = `{ config: { memory: 131072, item: 1000, random: true, hot: 20, access: 80, hotMemory: 80 }`
	c := newClients(t, 5, measure.Plan{UntilDone: true}, "")
	r := c.do(t, `var warmed = client.hitRate(`+config+`, pass: 'warmup', verify: true })`,
		`client.hitRate(`+config+`, pass: 'timed', iterations: 10, verify: true })`)
	require.True(t, r.Complete)
	require.Len(t, r.Ops, 1)
	const accesses = 4194 // 8 * 131072 * 80 / 20 / 1000
	require.Equal(t, int64(accesses), r.Op("getOrSet").Durations.Count)
	require.Zero(t, r.Op("getOrSet").Failed)
	require.Equal(t, uint64(accesses), r.Counters[measure.Hits]+r.Counters[measure.Misses])
	require.Equal(t, hotAccesses(t), r.Counters[measure.Hot], "the check figure")
	require.Equal(t, r.Counters[measure.Hot], r.Counters[measure.HotHits])
	warmed := 0
	for _, v := range c.vus {
		warmed += v.bench(`warmed`).Succeeded
	}
	require.Equal(t, accesses, warmed)
}

func hotAccesses(t *testing.T) (hot uint64) {
	t.Helper()
	b, err := workload.NewBenchmark(workload.RateConfig{Memory: 131072, Item: 1000, Random: true, Hot: 20, Access: 80, HotMemory: 80})
	require.NoError(t, err)
	pass := b.Timed()
	for i, ok := pass.Next(); ok; i, ok = pass.Next() {
		if b.Hot(i) {
			hot++
		}
	}

	return hot
}

func TestHitRateInAStepOfAnotherKind(t *testing.T) {
	c := newClients(t, 1, measure.Plan{Operations: 5000}, "")
	r := c.do(t, ``, `client.hitRate({ config: { memory: 131072, item: 1000 }, pass: 'timed' })`)
	require.Equal(t, int64(2097), r.Op("getOrSet").Durations.Count)
	for text := range r.Op("step").Errors {
		require.Contains(t, text, "hitRate: the pass is over, and the step is not: give the scenario untilDone: true")
	}
	require.Equal(t, uint64(5000-2097), r.Op("step").Failed, "a call that finds nothing to do is no work")
}

func TestHitRateOutsideOfASweep(t *testing.T) {
	v := newBenchVU(t, `{ prefix: '' }`)
	const options = `{ config: { memory: 131072, item: 1000 }, pass: 'timed'`
	r := v.bench(`client.hitRate(` + options + `, iterations: 97 })`)
	require.Equal(t, 97, r.Succeeded)
	require.Equal(t, 2000, r.Left)
	r = v.bench(`client.hitRate(` + options + ` })`)
	require.Equal(t, 2000, r.Succeeded)
	r = v.bench(`client.hitRate(` + options + ` })`)
	require.Zero(t, r.Succeeded+r.Failed, "a pass is done once")
}

func TestRunIsInterrupted(t *testing.T) {
	asked := make(chan struct{}, 1)
	silent := testutil.FakeServer(t, func(conn net.Conn) {
		request := make([]byte, 1000)
		for {
			if _, err := conn.Read(request); err != nil {
				return
			}
			select {
			case asked <- struct{}{}:
			default:
			}
		}
	})
	for _, call := range []string{`run({ duration: '1h' })`, `prefill({})`, `hitRate({ config: { memory: 131072, item: 1000 }, pass: 'timed' })`} {
		v := newVU(t)
		require.NoError(t, v.JS.Set("silent", silent))
		v.Run(`var client = new memcached.Client(silent, { timeout: '1h' })`)
		go func() {
			<-asked
			v.CancelContext()
		}()
		began := time.Now()
		require.Equal(t, thrown{"the test ended before the run was over", "cancelled"}, v.fail("client."+call), call)
		require.Less(t, time.Since(began), 10*time.Second)
		v.Exit()
	}
	requireNoneLeft(t)
}

func TestServerThatIsFull(t *testing.T) {
	v := newVU(t)
	v.Set("full", testutil.StartMemcached(t, "-c", "50", "-t", "1").Addr)
	var kinds []string
	v.Decode(`Array.from({ length: 70 }, () => new memcached.Client(full)).map((c) => {
		try { c.connect(); return 'ok' } catch (e) { return e.kind + ' ' + e.message }
	})`, &kinds)
	busy := 0
	for _, kind := range kinds {
		if kind != "ok" {
			require.Regexp(t, `^busy cannot connect to .*: the server says: too many open connections$`, kind)
			busy++
		}
	}
	require.Greater(t, busy, 10)
	require.Less(t, busy, 70)
	require.Equal(t, wire.KindBusy, v.fail(`new memcached.Client(full).get('k')`).Kind, "as do those that connect by themselves")
}
