package nats

import (
	"context"
	"io"
	"math"
	"net"
	"regexp"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	natsio "github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"
	k6types "go.k6.io/k6/v2/lib/types"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

func TestInitContext(t *testing.T) {
	v := newInitVU(t, New())
	v.Run(`var client = new nats.Client(url), js = client.jetStream(), kv = js.keyValue('b'), store = js.objectStore('b'), c = js.consumer('s', 'c')`)
	want := thrown{Message: "a Client cannot be used in the init context; use it in setup() or in a scenario's function", Kind: k6x.KindUsage}
	for _, use := range []string{
		`client.connect()`, `client.publish('a', 'x')`, `client.publishBatch('a', 'x')`, `client.request('a', 'x')`, `client.subscribe('a')`,
		`client.connect({ runs: true })`, `client.requestBatch('a', 'x')`, `client.layout({ layout: 'orb' }).run({})`,
		`client.respond('a')`, `js.streams()`, `js.publishNoWait('a', 'x')`, `kv.get('k')`, `kv.watch()`, `store.get('o')`, `c.next()`, `c.consume()`,
	} {
		require.Equal(t, want, v.fail(use), use)
	}
	require.Equal(t, "null", v.JSON(`client.info()`))
	v.Run(`client.close()`)
	v.Start(1)
	v.Run(`client.publish('a', 'x')`)
	require.Equal(t, 2.0, v.Counted(metricOps), "what was refused was no operation: these are connect and publish")
}

const system = `
	accounts: { SYS: { users: [ { user: admin, password: x } ] }, ALL: { users: [ { user: anybody, password: x } ], jetstream: enabled } }
	system_account: SYS, no_auth_user: anybody`

var counted = regexp.MustCompile(`"name":"counted"`)

func connected(t *testing.T, s *server) int {
	t.Helper()
	nc, err := natsio.Connect(s.URL, natsio.UserInfo("admin", "x"))
	require.NoError(t, err)
	defer nc.Close()
	answer, err := nc.Request("$SYS.REQ.SERVER.PING.CONNZ", nil, 10*time.Second)
	require.NoError(t, err)

	return len(counted.FindAllString(string(answer.Data), -1))
}

func TestOneConnectionPerVU(t *testing.T) {
	s := startServer(t, system)
	v := newVU(t)
	require.NoError(t, v.JS.Set("own", s.URL))
	v.Run(`var client = new nats.Client(own, { name: 'counted' }); for (let i = 0; i < 10; i++) client.publish('a', 'x')`)
	require.Equal(t, 1, connected(t, s))
	v.Run(`client.close(); client.close()`)
	requireConnections(t, s, 0)
	v.Run(`client.publish('a', 'x')`)
	requireConnections(t, s, 1)
	require.Equal(t, 2.0, v.Counted(metricConnects))
	v.Exit()
	requireConnections(t, s, 0)
	requireNoneLeft(t)
}

func requireConnections(t *testing.T, s *server, want int) {
	t.Helper()
	require.Eventually(t, func() bool { return connected(t, s) == want }, 20*time.Second, 10*time.Millisecond)
}

func TestSetupsConnectionsEndWithIt(t *testing.T) {
	v := newInitVU(t, New())
	v.Start(0)
	v.Run(`new nats.Client(url).connect(); new nats.Client(url).subscribe('a')`)
	v.CancelContext()
	requireNoneLeft(t)
}

func TestNothingAccumulates(t *testing.T) {
	v := newVU(t)
	v.Run(`for (let i = 0; i < 50; i++) { const client = new nats.Client(url); client.publish('a', 'x'); client.close(); }`)
	require.Eventually(t, func() bool { return len(left()) <= 1 }, 10*time.Second, time.Millisecond)
	v.Exit()
	requireNoneLeft(t)
}

func TestSharedConnection(t *testing.T) {
	s := startServer(t, system)
	root := New()
	vus := make([]*vu, 4)
	var work sync.WaitGroup
	for i := range vus {
		vus[i] = newInitVU(t, root)
		vus[i].Start(uint64(i + 1))
		require.NoError(t, vus[i].JS.Set("own", s.URL))
		vus[i].Run(`var client = new nats.Client(own, { connection: 'shared', name: 'counted' })`)
	}
	for _, v := range vus {
		work.Go(func() {
			_, err := v.JS.RunString(`
				var sub = client.subscribe(unique);
				for (let i = 0; i < 200; i++) client.publish(unique, 'x');
				if (sub.fetch(200, { discard: true }) !== 200) throw new Error('messages are missing');
				if (attempt(() => client.drain()).kind !== 'usage') throw new Error('others still use it');
			`)
			require.NoError(t, err)
		})
	}
	work.Wait()
	connects := 0.0
	for _, v := range vus {
		connects += v.Counted(metricConnects)
	}
	require.Equal(t, 1.0, connects)
	requireConnections(t, s, 1)
	for i, v := range vus {
		v.Exit()
		if i < len(vus)-1 {
			require.Equal(t, 1, connected(t, s))
		}
	}
	requireConnections(t, s, 0)
	requireNoneLeft(t)
}

func TestServerThatDiesAndComesBack(t *testing.T) {
	for _, options := range everyWay {
		t.Run(options, func(t *testing.T) {
			s := startServer(t, "")
			v := newVU(t)
			require.NoError(t, v.JS.Set("own", s.URL))
			v.Run(`
				var client = new nats.Client(own, Object.assign({ reconnectWait: '20ms', maxReconnects: -1, timeout: '500ms' }, ` + options + `));
				var sub = client.subscribe(unique), js = client.jetStream(), kv = js.createKeyValue({ bucket: 'b' });
				kv.put('k', 'v');
			`)
			s.kill()
			require.Eventually(t, func() bool { return v.Run(`client.info()`) == nil }, 10*time.Second, time.Millisecond)
			require.Equal(t, thrown{Message: "the connection is broken and is being restored", Kind: k6x.KindConnection}, v.fail(`client.publish(unique, 'lost')`))
			require.Contains(t, []string{k6x.KindConnection, k6x.KindTimeout}, v.fail(`kv.put('k', 'lost')`).Kind)
			require.Contains(t, []string{k6x.KindConnection, k6x.KindTimeout}, v.fail(`client.request(unique, 'x')`).Kind)
			s.restart()
			require.Eventually(t, func() bool { return v.Run(`attempt(() => kv.put('k', 'w'))`) == nil }, 20*time.Second, 20*time.Millisecond)
			require.JSONEq(t, `["w", "back"]`, v.JSON(`(() => { client.publish(unique, 'back'); return [kv.get('k').value, sub.next('10s').data]; })()`))
			require.GreaterOrEqual(t, v.Counted(metricReconnects), 1.0)
			require.GreaterOrEqual(t, v.Counted(metricDisconnects), 1.0)
			require.GreaterOrEqual(t, v.Counted(metricOps, "op", "publish", "outcome", k6x.KindConnection), 1.0)
			v.Exit()
			requireNoneLeft(t)
		})
	}
}

func TestConnectionThatIsGivenUp(t *testing.T) {
	s := startServer(t, "")
	v := newVU(t)
	require.NoError(t, v.JS.Set("own", s.URL))
	v.Run(`var client = new nats.Client(own, { maxReconnects: 0 }), sub = client.subscribe('a')`)
	s.kill()
	require.Eventually(t, func() bool { return v.Run(`sub.isClosed()`) == true }, 10*time.Second, time.Millisecond)
	e := v.fail(`client.publish('a', 'x')`)
	require.Equal(t, thrown{Message: "cannot connect to " + s.Addr + ": connection refused; is a nats-server running there?", Kind: k6x.KindConnect}, e)
	s.restart()
	v.Run(`client.publish('a', 'x'); client.flush()`)
	require.Equal(t, 2.0, v.Counted(metricConnects))
	require.Equal(t, 1.0, v.Counted(metricOps, "op", opConnect, "outcome", k6x.KindConnect))
	v.Exit()
	requireNoneLeft(t)
}

func TestServerThatStalls(t *testing.T) {
	s := startServer(t, "")
	v := newVU(t)
	require.NoError(t, v.JS.Set("own", s.URL))
	v.Run(`new nats.Client(own, { timeout: '60s' }).jetStream().createKeyValue({ bucket: 'b' });
		var client = new nats.Client(own, { timeout: '200ms', connectTimeout: '60s', reconnectWait: '20ms' }), kv`)
	require.Eventually(t, func() bool {
		return v.Run(`attempt(() => { kv = client.jetStream().keyValue('b'); kv.put('k', 'v') })`) == nil
	}, time.Minute, 10*time.Millisecond)
	s.stop()
	want := thrown{Message: "no answer within timeout (200ms)", Kind: k6x.KindTimeout}
	require.Equal(t, want, v.fail(`kv.put('k', 'v')`))
	require.Equal(t, want, v.fail(`client.flush()`))
	require.Equal(t, want, v.fail(`client.request('a', 'x')`))
	require.Equal(t, k6x.KindConnect, v.fail(`new nats.Client(own, { connectTimeout: '200ms' }).connect()`).Kind) // the kernel still connects
	e := v.fail(`const big = new ArrayBuffer(1000000); client.publishBatch('a', big, { iterations: 1000 })`)
	require.Contains(t, []string{k6x.KindTimeout, k6x.KindConnection}, e.Kind)
	v.Exit()
	requireNoneLeft(t)
}

func TestServerThatTalksNonsense(t *testing.T) {
	v := newVU(t)
	for _, said := range []string{"HTTP/1.1 400 Bad Request\r\n\r\n", "INFO {\r\n", "INFO {}\r\nnonsense\r\n", ""} {
		require.NoError(t, v.JS.Set("own", fake(t, func(conn net.Conn) {
			_, _ = conn.Write([]byte(said))
			if said != "" {
				_, _ = io.Copy(io.Discard, conn)
			}
		})))
		for _, connect := range bothConnections {
			e := v.fail(`new nats.Client(own, { connectTimeout: '300ms' })` + connect)
			require.Equal(t, k6x.KindConnect, e.Kind, said)
			require.Contains(t, e.Message, "cannot connect to 127.0.0.1:", said)
		}
	}
	requireNoneLeftOf(t, v)
}

// A server pings a client that has sent nothing for some seconds, as on a busy machine.
func TestServerThatAsksFirst(t *testing.T) {
	v := newVU(t)
	var connections atomic.Int64
	asks := func(times int64) string {
		return fake(t, func(conn net.Conn) {
			if connections.Add(1) > times {
				lie(t, conn, "")

				return
			}
			_, _ = conn.Write([]byte("INFO {}\r\nPING\r\n"))
			_, _ = io.Copy(io.Discard, conn)
		})
	}
	require.NoError(t, v.JS.Set("own", asks(2)))
	v.Run(`const c = new nats.Client(own, { timeout: 1000 }); c.connect(); c.flush(); c.close()`)
	require.Equal(t, int64(3), connections.Swap(0))

	require.NoError(t, v.JS.Set("own", asks(math.MaxInt64)))
	e := v.fail(`new nats.Client(own).connect()`)
	require.Equal(t, k6x.KindConnect, e.Kind)
	require.Equal(t, int64(maxGreetings), connections.Load(), "and no more")
	requireNoneLeftOf(t, v)
}

func requireNoneLeftOf(t *testing.T, v *vu) {
	t.Helper()
	v.Exit()
	requireNoneLeft(t)
}

func TestServerThatSaysNothing(t *testing.T) {
	for _, connect := range []string{`connect(`, `connect({ runs: true }`} {
		v := newVU(t)
		reached := make(chan struct{}, 10)
		silent := fake(t, func(conn net.Conn) {
			reached <- struct{}{}
			_, _ = io.Copy(io.Discard, conn)
		})
		require.NoError(t, v.JS.Set("own", silent))
		e := v.fail(`new nats.Client(own, { connectTimeout: '50ms' }).` + connect + `)`)
		require.Equal(t, k6x.KindConnect, e.Kind)
		require.Contains(t, e.Message, "no answer within connectTimeout (50ms)")
		<-reached

		ctx, cancel := context.WithCancel(v.VU.CtxField)
		v.VU.CtxField = ctx
		go func() {
			<-reached
			cancel()
		}()
		e = v.fail(`new nats.Client(own, { connectTimeout: '1h' }).` + connect + `)`)
		require.Equal(t, thrown{Message: "the test ended before the answer came", Kind: k6x.KindCancelled}, e)
		requireNoneLeftOf(t, v)
	}
}

func TestEndOfTheTest(t *testing.T) {
	v := newVU(t)
	nc := plainConn(t, natsURL(t))
	unique := v.Run(`unique`).(string)
	asked, err := nc.SubscribeSync(unique)
	require.NoError(t, err)
	require.NoError(t, nc.Flush())
	for _, call := range []string{
		`client.request(unique, 'x', { timeout: '1h' })`,
		`client.publish(unique, 'x'); sub.next('1h')`, `client.publish(unique, 'x'); sub.fetch(10, { timeout: '1h' })`,
	} {
		v.Run(`var client = new nats.Client(url), sub = client.subscribe(unique + '.other')`)
		plain := v.VU.CtxField
		ctx, cancel := context.WithCancel(plain)
		v.VU.CtxField = ctx
		go func() {
			if _, err := asked.NextMsg(20 * time.Second); err == nil {
				cancel()
			}
		}()
		require.Equal(t, k6x.KindCancelled, v.fail(call).Kind, call)
		require.Equal(t, k6x.KindCancelled, v.fail(`client.flush()`).Kind)
		v.VU.CtxField = plain
		v.Run(`client.close()`)
		cancel()
	}
}

func TestBlockedHosts(t *testing.T) {
	v := newVU(t)
	blocked, err := k6types.NewHostnameTrie([]string{"*.blocked.test"})
	require.NoError(t, err)
	v.Dialer.BlockedHostnames = blocked
	for _, connect := range bothConnections {
		e := v.fail(`new nats.Client('nats.blocked.test')` + connect)
		require.Equal(t, k6x.KindConnect, e.Kind)
		require.Contains(t, e.Message, "blocked")
		v.Run(`new nats.Client(['nats://nats.blocked.test', url].join(), { noRandomize: true })` + connect)
	}
}

func TestClientOfASweep(t *testing.T) {
	v := newVU(t)
	nc := plainConn(t, natsURL(t))
	_, err := nc.Subscribe(v.Run(`unique`).(string), func(m *natsio.Msg) { _ = m.Respond([]byte("answer")) })
	require.NoError(t, err)
	require.NoError(t, nc.Flush())
	v.Run(`var client = new nats.Client(url)`)
	plain := v.VU.CtxField
	for n := 1; n <= 2; n++ {
		step := measure.NewStep(1, measure.Plan{Operations: 3}, nil)
		session := &k6x.Session{Client: step.Client(0), Op: "ask", Tags: map[string]string{"clients": "1"}}
		v.VU.CtxField = k6x.WithSession(plain, session)
		require.NoError(t, session.Client.Run(v.VU.CtxField, session.Op, session.Measure, func() error {
			v.Run(`client.request(unique, 'question')`)

			return nil
		}))
		session.End()

		ops := step.Read().Ops
		require.Len(t, ops, 1)
		require.Equal(t, "ask", ops[0].Op)
		require.Equal(t, uint64(3), ops[0].Rows)
		require.GreaterOrEqual(t, ops[0].BytesReceived, uint64(3*len("answer")))
		require.GreaterOrEqual(t, ops[0].BytesSent, uint64(3*len("question")))
		require.Equal(t, float64(3*n), v.Counted(metricOps, "op", "request", "outcome", k6x.OutcomeOK))
		require.Empty(t, v.Found(metricDuration, "op", "request"), "a sweep has its own durations")
		require.Equal(t, float64(n), v.Counted(metricConnects), "each step has its own")
	}
	v.VU.CtxField = plain
	v.Run(`client.request(unique, 'x')`)
	require.Len(t, v.Found(metricDuration, "op", "request"), 1)
	nc.Close()
	requireNoneLeftOf(t, v)
}

var everyWay = []string{`{}`, `{ connection: 'shared' }`}
