//go:build servers

package memcached

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	k6types "go.k6.io/k6/v2/lib/types"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/testutil"
	"github.com/xk6-sweep/xk6-sweep/extensions/memcached/wire"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

type miss struct {
	addr            string
	open, connected atomic.Int64
}

func newMiss(t *testing.T) *miss {
	t.Helper()
	m := &miss{}
	m.addr = testutil.FakeServer(t, func(conn net.Conn) {
		m.connected.Add(1)
		m.open.Add(1)
		defer m.open.Add(-1)
		request := make([]byte, 1000)
		for {
			if _, err := conn.Read(request); err != nil {
				return
			}
			if _, err := conn.Write([]byte("END\r\n")); err != nil {
				return
			}
		}
	})

	return m
}

func (m *miss) requireOpen(t *testing.T, want int64) {
	t.Helper()
	require.Eventually(t, func() bool { return m.open.Load() == want }, 10*time.Second, time.Millisecond,
		"%d connections are open, not %d", m.open.Load(), want)
}

func TestInitContext(t *testing.T) {
	v := newInitVU(t, New())
	v.Run(`var client = new memcached.Client(addr)`)
	want := thrown{"a Client cannot be used in the init context; use it in setup() or in a scenario's function", wire.KindUsage}
	for _, use := range []string{
		`connect()`, `get('k')`, `set('k', 'v')`, `pipeline([['get', 'k']])`, `getMulti(['k'])`, `stats()`, `version()`, `flushAll()`, `meta.noop()`,
	} {
		require.Equal(t, want, v.fail(`client.`+use), use)
	}
	v.Run(`client.close()`)
	v.Start(1)
	v.Run(`client.get('k')`)
	require.Equal(t, 2.0, v.Counted(metricOps), "what was refused was no operation: these are connect and get")
}

func TestOneConnectionPerVU(t *testing.T) {
	server := newMiss(t)
	v := newVU(t)
	require.NoError(t, v.JS.Set("server", server.addr))
	v.Run(`var client = new memcached.Client(server); for (let i = 0; i < 10; i++) client.get('k')`)
	require.Equal(t, int64(1), server.connected.Load())
	v.Run(`client.close(); client.close()`)
	server.requireOpen(t, 0)
	v.Run(`client.get('k')`)
	server.requireOpen(t, 1)
	v.Exit()
	server.requireOpen(t, 0)
	requireNoneLeft(t)
}

func TestNothingAccumulates(t *testing.T) {
	server := newMiss(t)
	v := newVU(t)
	require.NoError(t, v.JS.Set("server", server.addr))
	v.Run(`for (let i = 0; i < 100; i++) { const client = new memcached.Client(server); client.get('k'); client.close(); }`)
	server.requireOpen(t, 0)
	require.LessOrEqual(t, testutil.Goroutines("k6x.onEvent"), 1)
	v.Run(`var open = [1, 2, 3].map(() => { const c = new memcached.Client(server); c.connect(); return c; })`)
	v.Exit()
	server.requireOpen(t, 0)
	requireNoneLeft(t)
}

func TestSetupsConnectionsEndWithIt(t *testing.T) {
	server := newMiss(t)
	v := newInitVU(t, New())
	v.Start(0)
	require.NoError(t, v.JS.Set("server", server.addr))
	v.Run(`new memcached.Client(server).connect(); new memcached.Client(server).get('k')`)
	v.CancelContext()
	server.requireOpen(t, 0)
	requireNoneLeft(t)
}

func TestSharedPool(t *testing.T) {
	server := newMiss(t)
	root := New()
	vus := make([]*vu, 6)
	var work sync.WaitGroup
	for i := range vus {
		vus[i] = newInitVU(t, root)
		vus[i].Start(uint64(i + 1))
		require.NoError(t, vus[i].JS.Set("server", server.addr))
		vus[i].Run(`var client = new memcached.Client(server, { connection: 'shared', poolSize: 2 })`)
	}
	for _, v := range vus {
		work.Go(func() {
			_, err := v.JS.RunString(`for (let i = 0; i < 200; i++) client.get('k')`)
			require.NoError(t, err)
		})
	}
	work.Wait()
	require.LessOrEqual(t, server.connected.Load(), int64(2))
	for i, v := range vus {
		v.Exit()
		if i < len(vus)-1 {
			require.Positive(t, server.open.Load())
		}
	}
	server.requireOpen(t, 0)
	requireNoneLeft(t)
}

func TestSharedPoolThatIsTaken(t *testing.T) {
	p := newPool(1)
	conn, err := p.take(context.Background(), time.Hour)
	require.NoError(t, err)
	require.Nil(t, conn)

	_, err = p.take(context.Background(), 20*time.Millisecond)
	require.Equal(t, wire.Errorf(wire.KindTimeout, "none of the 1 connections of the shared pool was free within timeout (20ms)"), err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = p.take(ctx, time.Hour)
	require.Equal(t, k6x.TestEnded(), err)

	taken := make(chan error)
	go func() {
		_, err := p.take(context.Background(), time.Hour)
		taken <- err
	}()
	p.give(nil)
	require.NoError(t, <-taken)
}

func TestPoolKey(t *testing.T) {
	key := func(o options) poolKey {
		t.Helper()
		config, err := o.config(o.URL)
		require.NoError(t, err)

		return config.poolKey(0)
	}
	plain := key(options{})
	require.Equal(t, plain, key(options{Prefix: "p", Values: valuesBinary, PoolSize: defaultPoolSize}), "what is no business of a connection's")
	for _, other := range []options{
		{Target: k6x.Target{URL: []string{"other"}}}, {User: "u"}, {User: "u", Password: "p"}, {Protocol: protocolMeta}, {PoolSize: 1}, {MaxValue: 1},
		{Timeouts: k6x.Timeouts{Timeout: k6types.NullDurationFrom(1)}}, {Timeouts: k6x.Timeouts{ConnectTimeout: k6types.NullDurationFrom(1)}},
		{TLS: &k6x.TLSOptions{}}, {TLS: &k6x.TLSOptions{InsecureSkipTLSVerify: true}},
	} {
		require.NotEqual(t, plain, key(other))
		require.Equal(t, key(other), key(other))
	}
	require.NotEqual(t, key(options{TLS: &k6x.TLSOptions{}}), key(options{TLS: &k6x.TLSOptions{ServerName: "s"}}))
}

func TestServerThatDies(t *testing.T) {
	for _, options := range everyWay {
		t.Run(options, func(t *testing.T) {
			server := testutil.StartMemcached(t)
			v := newVU(t)
			require.NoError(t, v.JS.Set("server", server.Addr))
			v.Run(`var client = new memcached.Client(server, ` + options + `); client.set('k', 'v')`)
			server.Kill()
			require.Equal(t, wire.KindConnection, v.fail(`client.get('k')`).Kind)
			e := v.fail(`client.get('k')`)
			require.Equal(t, thrown{"cannot connect to " + server.Addr + ": connection refused; is a memcached running there?", wire.KindConnect}, e)
			require.Equal(t, wire.KindConnect, v.fail(`client.pipeline([['get', 'k'], ['set', 'k', 'v']])`).Kind)
			require.Equal(t, wire.KindConnect, v.fail(`client.getMulti(['k'])`).Kind)
			server.Restart()
			require.Nil(t, v.Run(`client.get('k')`))
			require.Equal(t, 1.0, v.Counted(metricOps, "op", "get", "outcome", wire.KindConnection))
			require.Equal(t, 2.0, v.Counted(metricOps, "op", "get", "outcome", wire.KindConnect))
			require.Equal(t, 1.0, v.Counted(metricOps, "op", "getMulti", "outcome", wire.KindConnect))
		})
	}
}

func TestServerThatStalls(t *testing.T) {
	for _, options := range everyWay {
		t.Run(options, func(t *testing.T) {
			server := testutil.StartMemcached(t)
			v := newVU(t)
			require.NoError(t, v.JS.Set("server", server.Addr))
			v.Run(`var client = new memcached.Client(server, Object.assign({ timeout: '100ms', connectTimeout: '100ms' }, ` + options + `)), got`)
			inTheEnd := func(call string) {
				require.Eventually(t, func() bool { return v.Run(`attempt(() => `+call+`)`) == nil }, time.Minute, 10*time.Millisecond, call)
			}
			inTheEnd(`client.set('k', 'v')`)
			server.Stop()
			require.Equal(t, thrown{"no answer within timeout (100ms)", wire.KindTimeout}, v.fail(`client.get('k')`))
			require.Equal(t, wire.KindTimeout, v.fail(`client.get('k')`).Kind) // the kernel still connects
			require.Equal(t, wire.KindTimeout, v.fail(`client.pipeline([['get', 'k'], ['get', 'k']])`).Kind)
			server.Continue()
			inTheEnd(`{ got = client.get('k') }`)
			require.Equal(t, "v", v.Run(`got`))
		})
	}
}

func TestServerThatTalksNonsense(t *testing.T) {
	v := newVU(t)
	require.NoError(t, v.JS.Set("server", testutil.AnsweringServer(t, "HTTP/1.1 400 Bad Request\r\n\r\n")))
	for _, call := range []string{`get('k')`, `set('k', 'v')`, `getMulti(['k'])`, `pipeline([['get', 'k']])`, `stats()`, `version()`, `meta.get('k')`} {
		e := v.fail(`new memcached.Client(server).` + call)
		require.Equal(t, thrown{`the server sent "HTTP/1.1 400 Bad Request", which is not an answer to the request`, wire.KindProtocol}, e, call)
	}
}

var everyWay = []string{`{}`, `{ connection: 'shared' }`, `{ protocol: 'meta' }`}

func TestEndOfTheTest(t *testing.T) {
	v := newVU(t)
	reached := make(chan struct{})
	require.NoError(t, v.JS.Set("server", testutil.FakeServer(t, func(conn net.Conn) {
		_, _ = conn.Read(make([]byte, 100))
		close(reached)
		_, _ = conn.Read(make([]byte, 100))
	})))
	ctx, cancel := context.WithCancel(v.VU.CtxField)
	v.VU.CtxField = ctx
	go func() {
		<-reached
		cancel()
	}()
	v.Run(`var client = new memcached.Client(server, { timeout: '1h' })`)
	require.Equal(t, wire.KindCancelled, v.fail(`client.get('k')`).Kind)
	require.Equal(t, wire.KindCancelled, v.fail(`client.get('k')`).Kind)
	require.Equal(t, wire.KindCancelled, v.fail(`client.connect()`).Kind)
}

func TestEndOfTheVU(t *testing.T) {
	for _, options := range everyWay {
		t.Run(options, func(t *testing.T) {
			v := newVU(t)
			reached := make(chan struct{})
			require.NoError(t, v.JS.Set("server", testutil.FakeServer(t, func(conn net.Conn) {
				_, _ = conn.Read(make([]byte, 100))
				close(reached)
				_, _ = conn.Read(make([]byte, 100))
			})))
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				<-reached
				v.Exit()
			}()
			v.Run(`var client = new memcached.Client(server, Object.assign({ timeout: '20s' }, ` + options + `))`)
			require.Equal(t, wire.KindCancelled, v.fail(`client.get('k')`).Kind)
			<-ended
			requireNoneLeft(t)
		})
	}
}

// k6 cancels the context of each iteration just before the next one begins.
func TestEndOfAnIteration(t *testing.T) {
	for _, options := range everyWay {
		t.Run(options, func(t *testing.T) {
			v := newVU(t)
			plain := v.VU.CtxField
			v.Run(`var client = new memcached.Client(addr, ` + options + `)`)
			for range 3000 {
				ctx, cancel := context.WithCancel(plain)
				v.VU.CtxField = ctx
				v.Run(`client.get(key)`)
				cancel()
			}
			v.VU.CtxField = plain
			require.Equal(t, 1.0, v.Counted(metricOps, "op", "connect"))
		})
	}
}

func TestBlockedHosts(t *testing.T) {
	v := newVU(t)
	blocked, err := k6types.NewHostnameTrie([]string{"*.blocked.test"})
	require.NoError(t, err)
	v.Dialer.BlockedHostnames = blocked
	e := v.fail(`new memcached.Client('cache.blocked.test').get('k')`)
	require.Equal(t, wire.KindConnect, e.Kind)
	require.Contains(t, e.Message, "blocked")

	v.Run(`new memcached.Client(addr).get(key)`)
	require.Equal(t, float64(len("END\r\n")), v.Counted("data_received"))
	require.Zero(t, atomic.LoadInt64(&v.Dialer.BytesRead), "counted once, by the module")
}

func TestMetrics(t *testing.T) {
	v := newVU(t)
	v.Run(`
		var client = new memcached.Client(addr);
		client.set(key, 'x'); client.get(key); client.get(key); client.get(key + 'none');
		attempt(() => client.incr(key));
		client.getMulti([key, key + 'none', key + 'none']);
		client.pipeline([['get', key], ['get', key + 'none'], ['set', key, 'y']]);
	`)
	for _, want := range []struct {
		operation, outcome           string
		ops, hits, misses, durations int
	}{
		{"connect", "ok", 1, 0, 0, 1}, {"set", k6x.OutcomeOK, 2, 0, 0, 1}, {"get", k6x.OutcomeOK, 5, 3, 2, 3},
		{"incr", wire.KindInvalid, 1, 0, 0, 1}, {"getMulti", "ok", 1, 1, 2, 1}, {"pipeline", k6x.OutcomeOK, 0, 0, 0, 1},
	} {
		tags := []string{"op", want.operation, "outcome", want.outcome}
		require.Equal(t, float64(want.ops), v.Counted(metricOps, tags...), tags)
		require.Equal(t, float64(want.hits), v.Counted(metricHits, tags...), tags)
		require.Equal(t, float64(want.misses), v.Counted(metricMisses, tags...), tags)
		require.Len(t, v.Found(metricDuration, tags...), want.durations, tags)
	}
	require.Equal(t, 10.0, v.Counted(metricOps))
}

func TestDurationsWithoutConnecting(t *testing.T) {
	const connecting = 300 * time.Millisecond
	for call, operation := range map[string]string{
		`get('k')`: "get", `getMulti(['k'])`: "getMulti", `pipeline([['get', 'k']])`: "pipeline",
	} {
		for _, options := range []string{`{}`, `{ connection: 'shared' }`} {
			v := newVU(t)
			v.Dialer.Control = func(string, string, syscall.RawConn) error {
				time.Sleep(connecting) // a slow network

				return nil
			}
			v.Run(`new memcached.Client(addr, ` + options + `).` + call)
			require.GreaterOrEqual(t, v.Counted(metricDuration, "op", "connect"), float64(connecting.Milliseconds()))
			require.Less(t, v.Counted(metricDuration, "op", operation), float64(connecting.Milliseconds()), "%s %s", call, options)
		}
	}
}

func TestDurationsWithWaiting(t *testing.T) {
	const waiting = 100 * time.Millisecond
	for call, operation := range map[string]string{
		`get('k')`: "get", `getMulti(['k'])`: "getMulti", `pipeline([['get', 'k']])`: "pipeline",
	} {
		asked, answer := make(chan struct{}), make(chan struct{})
		var once sync.Once
		server := testutil.FakeServer(t, func(conn net.Conn) {
			request := make([]byte, 100)
			for {
				if _, err := conn.Read(request); err != nil {
					return
				}
				once.Do(func() {
					close(asked)
					<-answer
				})
				if _, err := conn.Write([]byte("END\r\n")); err != nil {
					return
				}
			}
		})
		root := New()
		vus := make([]*vu, 2)
		for i := range vus {
			vus[i] = newInitVU(t, root)
			vus[i].Start(uint64(i + 1))
			require.NoError(t, vus[i].JS.Set("server", server))
			vus[i].Run(`var client = new memcached.Client(server, { connection: 'shared', poolSize: 1 })`)
		}
		var work sync.WaitGroup
		errs := make([]error, 2)
		work.Go(func() { _, errs[0] = vus[0].JS.RunString(`client.get('k')`) })
		<-asked
		work.Go(func() { _, errs[1] = vus[1].JS.RunString(`client.` + call) })
		require.Eventually(t, func() bool { return testutil.Goroutines("memcached.(*pool).take") == 1 }, 10*time.Second, time.Millisecond)
		time.Sleep(waiting)
		close(answer)
		work.Wait()
		require.NoError(t, errors.Join(errs...))
		require.GreaterOrEqual(t, vus[1].Counted(metricDuration, "op", operation), float64(waiting.Milliseconds()), call)
	}
}

func TestClientOfASweep(t *testing.T) {
	server := newMiss(t)
	v := newVU(t)
	require.NoError(t, v.JS.Set("server", server.addr))
	v.Run(`var client = new memcached.Client(server)`)
	plain := v.VU.CtxField
	for n := int64(1); n <= 2; n++ {
		step := measure.NewStep(1, measure.Plan{Operations: 3}, nil)
		session := &k6x.Session{Client: step.Client(0), Op: "lookup", Tags: map[string]string{"clients": "1"}}
		v.VU.CtxField = k6x.WithSession(plain, session)
		require.NoError(t, session.Client.Run(v.VU.CtxField, session.Op, session.Measure, func() error {
			v.Run(`client.get('k')`)

			return nil
		}))
		session.End()

		server.requireOpen(t, 0)
		require.Equal(t, n, server.connected.Load())
		ops := step.Read().Ops
		require.Len(t, ops, 1)
		require.Equal(t, "lookup", ops[0].Op)
		require.Equal(t, uint64(3*len("END\r\n")), ops[0].BytesReceived)
		require.Equal(t, uint64(3*len("get k\r\n")), ops[0].BytesSent)
		require.Equal(t, float64(3*n), v.Counted(metricOps, "op", "get", "outcome", "ok"))
		require.Equal(t, float64(3*n), v.Counted(metricMisses))
		require.Empty(t, v.Found(metricDuration), "a sweep has its own durations")
	}
	requireNoneLeft(t)

	v.VU.CtxField = plain
	v.Run(`client.get('k')`)
	require.Len(t, v.Found(metricDuration, "op", "get"), 1)
}
