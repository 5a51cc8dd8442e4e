package umemcache

import (
	"crypto/tls"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/lib/types"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/umemcache/umemtest"
	"github.com/xk6-sweep/xk6-sweep/extensions/umemcache/wire"
)

func newServer(t *testing.T) *umemtest.Server {
	t.Helper()
	s := umemtest.Start(t, umemtest.Options{})
	t.Cleanup(func() { require.Empty(t, s.Violations()) })

	return s
}

func requireConnections(t *testing.T, s *umemtest.Server, want int) {
	t.Helper()
	require.Eventually(t, func() bool { return s.Connections() == want }, 10*time.Second, time.Millisecond,
		"%d connections are open, not %d", s.Connections(), want)
}

func TestOperations(t *testing.T) {
	for _, g := range []wire.Generation{wire.G1, wire.G2, wire.G3} {
		t.Run(g.String(), func(t *testing.T) {
			server := umemtest.Start(t, umemtest.Options{Generation: g})
			v := newVU(t, server)
			require.NoError(t, v.JS.Set("generation", g.String()))
			v.Run(`var client = new umemcache.Client(addr, { generation }); client.connect()`)
			for _, test := range []struct {
				script string
				want   any
			}{
				{`client.generation`, g.String()},
				{`client.get('k')`, nil},
				{`client.getOrSet('k', 'first')`, "first"},
				{`client.getOrSet('k', () => { throw new Error('must not be called'); })`, "first"},
				{`client.set('k', 'sécond ✓')`, nil},
				{`client.get('k')`, "sécond ✓"},
				{`client.set('k', '')`, nil},
				{`client.get('k')`, ""},
				{`client.set('k', new Uint8Array([65, 66, 67]).buffer)`, nil},
				{`client.get('k')`, "ABC"},
				{`client.set(new Uint8Array([1, 2]), new Uint8Array([66, 67]))`, nil},
				{`client.get('\x01\x02')`, "BC"},
				{`client.set(new DataView(new Uint8Array([1, 107]).buffer, 1), new Uint16Array([0x4241, 0x4443]).subarray(1))`, nil},
				{`client.get('k')`, "CD"},
				{`client.getOrSet(new Uint16Array([0x3131]), () => new DataView(new Uint8Array([68, 69]).buffer, 1))`, "E"},
				{`client.delete('k')`, nil},
				{`client.get('k')`, nil},
				{`client.getOrSet('k', () => 'made')`, "made"},
				{`client.get('k')`, "made"},
				{`client.getOrSet('l', () => new Uint8Array([68]).buffer)`, "D"},
				{`client.close()`, nil},
				{`client.get('l')`, "D"},
			} {
				require.Equal(t, test.want, v.Run(test.script), test.script)
			}
			require.Empty(t, server.Violations())
		})
	}
}

func TestBinaryValues(t *testing.T) {
	v := newVU(t, newServer(t))
	v.Run(`var client = new umemcache.Client({ url: addr, values: 'binary' })`)
	require.Equal(t, "0,255,128", v.Run(`client.set('k', new Uint8Array([0, 255, 128])); new Uint8Array(client.get('k')).join()`))
	require.Equal(t, "65", v.Run(`new Uint8Array(client.getOrSet('l', 'A')).join()`))
	require.Equal(t, "0,255,128", v.Run(`const a = client.get('k'); client.get('l'); new Uint8Array(a).join()`), "each value has memory of its own")
}

func TestMetrics(t *testing.T) {
	v := newVU(t, newServer(t))
	v.Run(`var client = new umemcache.Client(addr, { threads: 4, maxValue: 10 }); client.connect();
		client.get('k'); client.getOrSet('k', 'v'); client.getOrSet('k', 'v'); client.get('k'); client.set('k', 'w'); client.delete('k')`)
	v.fail(`client.set('k', '0123456789a')`)
	for operation, want := range map[string]struct{ ops, hits, misses float64 }{
		"connect": {1, 0, 0}, "get": {2, 1, 1}, "getOrSet": {2, 1, 1}, "set": {1, 0, 0}, "delete": {1, 0, 0},
	} {
		tags := []string{"op", operation, "outcome", "ok"}
		require.Equal(t, want.ops, v.Counted(metricOps, tags...), operation)
		require.Equal(t, want.hits, v.Counted(metricHits, tags...), operation)
		require.Equal(t, want.misses, v.Counted(metricMisses, tags...), operation)
		require.Len(t, v.Found(metricDuration, tags...), int(want.ops))
	}
	require.Equal(t, 1.0, v.Counted(metricOps, "op", "set", "outcome", "too_large"))
	require.Zero(t, v.Counted(metricRetries))
	require.Positive(t, v.Counted("data_sent"))
	require.Positive(t, v.Counted("data_received"))
}

func TestLostFillIsCounted(t *testing.T) {
	server := newServer(t)
	v := newVU(t, server)
	v.Run(`var client = new umemcache.Client(addr), other = new umemcache.Client(addr, { connectTimeout: '4s' });
		for (let i = 0; i < 3; i++) {
			client.delete('k');
			try { client.getOrSet('k', () => { other.delete('k'); return 'lost'; }); } catch (e) { if (e.kind !== 'lock_lost') throw e; }
			client.set('k', 'kept');
		}`)
	lost := v.Counted(metricLostFills)
	require.Equal(t, 3.0, lost+v.Counted(metricOps, "outcome", "lock_lost"))
	require.Equal(t, lost, v.Counted(metricRetries))
	require.Equal(t, "kept", v.Run(`client.get('k')`))
}

func TestErrors(t *testing.T) {
	const reentry = "the function that getOrSet calls holds the key's fill lock: it must not use the same Client"
	v := newVU(t, newServer(t))
	v.Run(`var client = new umemcache.Client(addr, { maxValue: 10, timeout: '5s' })`)
	for script, want := range map[string]thrown{
		`client.get()`:                                 {"get: the key must be a string, an ArrayBuffer or a typed array, not undefined", "usage"},
		`client.get(5)`:                                {"get: the key must be a string, an ArrayBuffer or a typed array, not 5", "usage"},
		`client.get('x'.repeat(256))`:                  {"a key of 256 bytes is too long: at most 255 are allowed", "usage"},
		`client.set('k')`:                              {"set: the value must be a string, an ArrayBuffer or a typed array, not undefined", "usage"},
		`client.set('k', 'x'.repeat(11))`:              {"a value of 11 bytes is larger than maxValue (10)", "too_large"},
		`client.getOrSet('k', 'x'.repeat(11))`:         {"a value of 11 bytes is larger than maxValue (10)", "too_large"},
		`client.getOrSet('k', () => 'x'.repeat(11))`:   {"a value of 11 bytes is larger than maxValue (10)", "too_large"},
		`client.getOrSet('k', { a: 1 })`:               {"getOrSet: the value must be a string, an ArrayBuffer or a typed array, not an object", "usage"},
		`client.getOrSet('k', () => 1)`:                {"getOrSet: what the function returns must be a string, an ArrayBuffer or a typed array, not 1", "usage"},
		`client.getOrSet('k', async () => 'v')`:        {"getOrSet: what the function returns must be a string, an ArrayBuffer or a typed array, not a promise", "usage"},
		`client.getOrSet('k', () => client.get(1))`:    {reentry, "usage"},
		`client.getOrSet('k', () => client.close())`:   {reentry, "usage"},
		`client.getOrSet('k', () => client.connect())`: {reentry, "usage"},
		`client.getOrSet('k', () => new umemcache.Client(addr, { timeout: '1s' }).get('k'))`: {
			"no answer to a get in time: another connection holds the key's fill lock, or the server does not answer at all", "lock_wait"},
		`new umemcache.Client('[::1]:1').connect()`: {"cannot connect to [::1]:1 over IPv6: connection refused", "connect"},
	} {
		require.Equal(t, want, v.fail(script), script)
	}
	require.Nil(t, v.Run(`client.get('k')`), "none of them has stored anything, or kept the lock")
	require.Equal(t, "own", v.Run(`try { client.getOrSet('k', () => { throw 'own'; }); } catch (e) { e }`))
	require.Equal(t, "v", v.Run(`client.getOrSet('k', 'v')`))
}

func TestOptionsThatCannotBe(t *testing.T) {
	v := newVU(t, newServer(t))
	for arguments, want := range map[string]string{
		`'x'`:                                `new Client: the address must look like [::1]:10047, not "x"`,
		`[addr, addr]`:                       `new Client: the url must be one server, or one node of a cluster, not 2`,
		`'127.0.0.1:1'`:                      `new Client: the address must be an IPv6 address, such as [::1]:1, not "127.0.0.1:1": umem-cache supports no other`,
		`addr, { threads: -1 }`:              `new Client: threads must be from 1 to 1024, not -1`,
		`addr, { threads: 1025 }`:            `new Client: threads must be from 1 to 1024, not 1025`,
		`addr, { connectionsPerThread: -1 }`: `new Client: connectionsPerThread must be at least 1, not -1`,
		`addr, { generation: 'G4' }`:         `new Client: generation must be "G1", "G2" or "G3", not "G4"`,
		`addr, { timeout: 0 }`:               `new Client: timeout must be more than 0, not 0s`,
		`addr, { connectTimeout: '-1s' }`:    `new Client: connectTimeout must be more than 0, not -1s`,
		`addr, { values: 'json' }`:           `new Client: values must be 'string' or 'binary', not "json"`,
		`addr, { maxValue: -1 }`:             `new Client: maxValue must be at least 0, not -1`,
		`addr, { tls: { ca: 'x' } }`:         `new Client: tls.cacerts must hold certificates in PEM, as open() reads them from a file`,
		`addr, { tls: { key: 's3cret' } }`:   `new Client: tls.cert and tls.key must be given together`,
		`{ url: addr }, {}`:                  `new Client takes a url and options, or options alone`,
		`addr, { thread: 4 }`: `new Client: unknown option "thread"; known are url, generation, threads, connectionsPerThread, ` +
			`timeout, connectTimeout, tls, cluster, maxValue, values; did you mean threads?`,
	} {
		require.Equal(t, thrown{want, "usage"}, v.fail(`new umemcache.Client(`+arguments+`)`), arguments)
	}
	require.NotContains(t, v.fail(`new umemcache.Client(addr, { tls: { key: 's3cret', cert: 's3cret' } })`).Message, "s3cret")
}

func TestOptionsThatAreZero(t *testing.T) {
	server := newServer(t)
	v := newVU(t, server)
	v.Run(`new umemcache.Client(addr, { threads: 0, connectionsPerThread: 0, maxValue: 0 }).set('k', 'v'); new umemcache.Client(addr).get('k')`)
	require.Equal(t, 1, server.Accepted(), "what is equal to the defaults shares connections with them")
}

func TestConnectsAsK6Does(t *testing.T) {
	server := newServer(t)
	_, port, err := net.SplitHostPort(server.Address())
	require.NoError(t, err)
	v := newVU(t, server)
	require.NoError(t, v.JS.Set("port", port))
	v.Dialer.BlockedHostnames, err = types.NewHostnameTrie([]string{"*.blocked.test"})
	require.NoError(t, err)
	v.Dialer.Hosts, err = types.NewHosts(map[string]types.Host{"cache.test": {IP: net.IPv6loopback}, "old.test": {IP: net.IPv4(127, 0, 0, 1)}})
	require.NoError(t, err)

	e := v.fail(`new umemcache.Client('cache.blocked.test:' + port).get('k')`)
	require.Equal(t, "connect", e.Kind)
	require.Contains(t, e.Message, "hostname (cache.blocked.test) is in a blocked pattern (*.blocked.test)")
	e = v.fail(`new umemcache.Client('old.test:' + port).get('k')`)
	require.Equal(t, thrown{"cannot connect to old.test:" + port + " over IPv6: k6 resolves the name to 127.0.0.1, which is not an IPv6 address; " +
		"see its option dns: { policy: 'preferIPv6' }", "connect"}, e)

	require.Equal(t, "v", v.Run(`new umemcache.Client('cache.test:' + port).getOrSet('k', 'v')`))
	require.Positive(t, v.Counted("data_received"))
	require.Zero(t, atomic.LoadInt64(&v.Dialer.BytesRead), "counted once, by the module")
}

func TestInitContext(t *testing.T) {
	v := newInitVU(t, New(), newServer(t))
	v.Run(`var client = new umemcache.Client(addr)`)
	for _, use := range []string{`connect()`, `get('k')`, `getOrSet('k', 'v')`, `set('k', 'v')`, `delete('k')`} {
		require.Equal(t, thrown{"a Client cannot be used in the init context; use it in setup() or in a scenario's function", "usage"},
			v.fail(`client.`+use), use)
	}
	v.Run(`client.close()`)
	v.Start(1)
	v.Run(`client.get('k')`)
}

func TestSharedConnections(t *testing.T) {
	server := newServer(t)
	root := New()
	var vus []*vu
	for i := range 4 {
		v := newInitVU(t, root, server)
		v.Start(uint64(i + 1))
		v.Run(`var client = new umemcache.Client(addr, { connectionsPerThread: 2 }); client.connect(); client.set('k', 'v')`)
		vus = append(vus, v)
	}
	require.Equal(t, 8, server.Accepted(), "two for each of four threads")
	for i, v := range vus {
		require.Positive(t, server.Connections())
		if i%2 == 0 {
			v.Run(`client.close(); client.close()`)
		} else {
			v.Exit()
		}
	}
	requireConnections(t, server, 0)
	vus[0].Run(`client.get('k')`)
	requireConnections(t, server, 1)
	vus[0].Exit()
	requireConnections(t, server, 0)
	vus[2].Exit()
	requireNoneLeft(t)
}

func TestOtherOptionsOtherConnections(t *testing.T) {
	server := newServer(t)
	v := newVU(t, server)
	v.Run(`const clients = [{}, { timeout: '5s', values: 'binary' }, { maxValue: 100 }].map((o) => new umemcache.Client(addr, o));
		clients.forEach((c) => c.delete('k'))`)
	require.Equal(t, 2, server.Connections(), "what is no business of a connection's does not part them")
}

func TestSetupsConnectionsEndWithIt(t *testing.T) {
	server := newServer(t)
	v := newInitVU(t, New(), server)
	v.Start(0)
	v.Run(`new umemcache.Client(addr).connect(); new umemcache.Client(addr).get('k')`)
	v.CancelContext()
	requireConnections(t, server, 0)
	requireNoneLeft(t)
}

func TestEndOfTheTestInterrupts(t *testing.T) {
	server := newServer(t)
	v := newVU(t, server)
	v.Run(`var owner = new umemcache.Client(addr), waiter = new umemcache.Client(addr)`)
	go func() {
		for server.Waiting("k") == 0 {
			time.Sleep(time.Millisecond)
		}
		v.CancelContext()
	}()
	require.Equal(t, thrown{"the operation was cancelled", "cancelled"}, v.fail(`owner.getOrSet('k', () => waiter.get('k'))`))
}

func TestClientOfASweep(t *testing.T) {
	server := newServer(t)
	v := newVU(t, server)
	v.Run(`var client = new umemcache.Client(addr); client.set('k', 'value'); client.close()`)
	requireConnections(t, server, 0)
	set := v.Counted(metricOps)
	step := measure.NewStep(1, measure.Plan{Operations: 3}, nil)
	session := &k6x.Session{Client: step.Client(0), Op: "lookup", Tags: map[string]string{"clients": "1"}}
	plain := v.VU.CtxField
	v.VU.CtxField = k6x.WithSession(plain, session)
	require.NoError(t, session.Client.Run(v.VU.CtxField, session.Op, session.Measure, func() error {
		v.Run(`client.get('k')`)

		return nil
	}))
	requireConnections(t, server, 1)
	session.End()
	requireConnections(t, server, 0)

	ops := step.Read().Ops
	require.Len(t, ops, 1)
	require.Equal(t, "lookup", ops[0].Op)
	require.Equal(t, uint64(1+3*(9+5)), ops[0].BytesReceived)
	require.Equal(t, uint64(8+3*3), ops[0].BytesSent)
	require.Equal(t, 3.0, v.Counted(metricHits))
	require.Equal(t, set+3, v.Counted(metricOps))
	require.Empty(t, v.Found(metricDuration, "op", "get"), "a sweep has its own durations")

	v.VU.CtxField = plain
	v.Run(`client.get('k')`)
	require.Len(t, v.Found(metricDuration, "op", "get"), 1)
}

func TestTLS(t *testing.T) {
	certificate, key := umemtest.Certificate(t)
	v := newVU(t, umemtest.Start(t, umemtest.Options{TLS: umemtest.TLS(t, certificate, key)}))
	require.NoError(t, v.JS.Set("pem", map[string]string{"ca": certificate, "cert": certificate, "key": key}))
	require.Equal(t, "v", v.Run(`new umemcache.Client(addr, { tls: { ca: pem.ca, cert: pem.cert, key: pem.key } }).getOrSet('k', 'v')`))
	require.Equal(t, "connect", v.fail(`new umemcache.Client(addr, { tls: { cert: pem.cert, key: pem.key } }).get('k')`).Kind)
	require.Equal(t, "v", v.Run(`new umemcache.Client(addr, { tls: { cert: pem.cert, key: pem.key, insecureSkipTLSVerify: true } }).get('k')`))

	// k6's insecureSkipTLSVerify and tlsAuth apply if the options do not set them.
	pair, err := tls.X509KeyPair([]byte(certificate), []byte(key))
	require.NoError(t, err)
	v.Exit()
	require.Equal(t, "connect", v.fail(`new umemcache.Client(addr, { tls: {} }).get('k')`).Kind)
	v.VU.State().TLSConfig = &tls.Config{InsecureSkipVerify: true, Certificates: []tls.Certificate{pair}}
	require.Equal(t, "v", v.Run(`new umemcache.Client(addr, { tls: { serverName: '::1' } }).get('k')`))
}

func TestCluster(t *testing.T) {
	servers := umemtest.StartCluster(t, umemtest.Options{}, 4)
	v := newVU(t, servers.Servers[2])
	v.Run(`var client = new umemcache.Client(addr, { cluster: true, timeout: '5s' }); client.connect()`)
	require.Equal(t, "10", v.Run(`for (let i = 0; i < 10; i++) client.set('k' + i, String(i + 1)); client.get('k9')`))
	v.Exit()
	for _, s := range servers.Servers {
		requireConnections(t, s, 0)
	}
	requireNoneLeft(t)
}

func TestPromises(t *testing.T) {
	v := newVU(t, newServer(t))
	v.Run(`var client = new umemcache.Client(addr), bytes = new Uint8Array([65]), got`)
	v.Loop(`await client.asyncConnect();
		const set = client.asyncSet('k', bytes, { tags: { name: 'first' } });
		bytes[0] = 66; // which is too late
		const all = [set, client.asyncGet('k'), client.asyncGetOrSet('k', 'other'), client.asyncGetOrSet('new', 'made'), client.asyncDelete('k')];
		const blocking = client.get('k');
		got = JSON.stringify([...(await Promise.all(all)), blocking]);
		await client.asyncClose()`)
	require.JSONEq(t, `[null,"A","A","made",null,null]`, v.Run(`got`).(string))
	require.Equal(t, 1.0, v.Counted(metricOps, "op", "set", "outcome", "ok", "name", "first"))
	for op, want := range map[string]float64{"connect": 1, "get": 2, "getOrSet": 2, "delete": 1} {
		require.Equal(t, want, v.Counted(metricOps, "op", op, "outcome", "ok"), op)
		require.Len(t, v.Found(metricDuration, "op", op), int(want))
	}
	require.Equal(t, 2.0, v.Counted(metricHits))
	require.Equal(t, 2.0, v.Counted(metricMisses))
	for script, want := range map[string]string{
		`client.asyncGet(5)`:                                   "get: the key must be a string, an ArrayBuffer or a typed array, not 5",
		`client.asyncGetOrSet('k', () => 'v')`:                 "getOrSet: the value must be a string, an ArrayBuffer or a typed array, not a function",
		`client.asyncDelete('k', { tags: 5 })`:                 "delete: option tags must be an object of strings, such as { name: 'login' }, not 5",
		`client.asyncGet('k', { timeout: '5s' })`:              `get: unknown option "timeout"; known is tags`,
		`new umemcache.Client(addr).asyncGet('k'.repeat(300))`: "",
	} {
		e := v.Rejected(script)
		require.Equal(t, "usage", e.Kind, script)
		if want != "" {
			require.Equal(t, want, e.Message)
		}
	}
	v.Run(`client.get('k', { tags: { name: 'second' } })`)
	require.Equal(t, 1.0, v.Counted(metricOps, "op", "get", "name", "second"))
}
