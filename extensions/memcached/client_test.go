//go:build servers

package memcached

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/grafana/sobek"
	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/testutil"
	"github.com/xk6-sweep/xk6-sweep/extensions/memcached/wire"
)

func eachProtocol(t *testing.T, test func(v *vu)) {
	t.Helper()
	for _, protocol := range []string{protocolText, protocolMeta} {
		t.Run(protocol, func(t *testing.T) {
			v := newVU(t)
			v.Run(`var client = new memcached.Client(addr, { protocol: '` + protocol + `' })`)
			require.Equal(t, protocol, v.Run(`client.protocol`))
			test(v)
		})
	}
}

func TestEveryMethod(t *testing.T) {
	eachProtocol(t, func(v *vu) {
		for _, step := range []struct{ expression, want string }{
			{`[client.get(key), client.gets(key), client.gat(key, '10s'), client.gats(key, '10s')]`, `[null, null, null, null]`},
			{`[client.touch(key, '10s'), client.delete(key), client.incr(key), client.decr(key, 5)]`, `[false, false, null, null]`},
			{`[client.replace(key, 'x'), client.append(key, 'x'), client.prepend(key, 'x'), client.cas(key, 'x', 1)]`,
				`[false, false, false, "not_found"]`},
			{`[client.add(key, 'b', '100s'), client.add(key, 'x'), client.append(key, 'c'), client.prepend(key, 'a')]`,
				`[true, false, true, true]`},
			{`[client.get(key), client.gat(key, 0), client.touch(key, '1000s')]`, `["abc", "abc", true]`},
			{`[client.set(key, 'ä€😀', { ttl: '60s', flags: 4294967295 }), client.gets(key).flags, client.gets(key).value]`,
				`[true, 4294967295, "ä€😀"]`},
			{`(() => { const { cas } = client.gats(key, '60s'); return [client.cas(key, 'd', cas), client.cas(key, 'e', cas), client.get(key)]; })()`,
				`["stored", "exists", "d"]`},
			{`[client.replace(key, '10'), client.incr(key), client.incr(key, 31), client.decr(key, 2), client.decr(key, 100n)]`,
				`[true, 11, 42, 40, 0]`},
			{`[client.set(key, '18446744073709551615'), client.decr(key, 0), client.incr(key, 1)]`, `[true, "18446744073709551615n", 0]`},
			{`[client.set(key, ''), client.get(key), client.delete(key), client.get(key)]`, `[true, "", true, null]`},
			{`[client.set(key, 'x', new Date(0)), client.get(key)]`, `[true, null]`},
			{`client.pipeline([['set', key + 'a', '1', '60s'], ['set', key + 'b', new Uint8Array([50])]])`, `[true, true]`},
			{`client.getMulti([key + 'b', key + 'none', key + 'a', '__proto__'])[key + 'b']`, `"2"`},
			{`Object.values(client.getMulti([key + 'b', key + 'none', key + 'a', '__proto__']))`, `["2", null, "1", null]`},
			{`Object.values(client.getMulti([]))`, `[]`},
			{`client.getMulti([key + 'a'], { as: 'binary' })[key + 'a'].byteLength`, `1`},
			{`[client.getOrSet(key, '60s', (k) => k + '!') === key + '!', client.getOrSet(key, '60s', () => 'other') === key + '!']`, `[true, true]`},
			{`[client.delete(key), client.getOrSet(key, '60s', 'given'), client.getOrSet(key, '60s', 'other'), client.get(key)]`,
				`[true, "given", "given", "given"]`},
			{`[client.delete(key), client.getOrSet(key, { ttl: '60s' }, new Uint8Array([65])).length, client.getOrSet(key, '60s', 'B')]`, `[true, 1, "A"]`},
			{`typeof client.stats()[addr].pid`, `"string"`},
			{`client.stats('settings')[addr].domain_socket`, `"NULL"`},
			{`client.stats('detail off')[addr]`, `{}`},
			{`typeof client.version()`, `"string"`},
			{`[client.meta.noop(), client.connect(), client.close(), client.close()]`, `[null, null, null, null]`},
			{`client.meta.set(key, 'v', 'T0 F7')`, `{"status": "ok", "value": null, "flags": {}}`},
			{`client.meta.get(key, 'v t f s Oid')`, `{"status": "ok", "value": "v", "flags": {"t": "-1", "f": "7", "s": "1", "O": "id"}}`},
			{`client.meta.get(key)`, `{"status": "ok", "value": null, "flags": {}}`},
			{`client.meta.get(key, 'v', { as: 'binary' }).value.byteLength`, `1`},
			{`client.meta.set(key, 'w', 'ME').status`, `"not_stored"`},
			{`client.meta.set(key, 'w', 'C1').status`, `"exists"`},
			{`client.meta.delete(key).status`, `"ok"`},
			{`client.meta.delete(key).status`, `"not_found"`},
			{`client.meta.get(key, 'v')`, `{"status": "not_found", "value": null, "flags": {}}`},
			{`client.meta.arithmetic(key, 'N0 J5 v')`, `{"status": "ok", "value": "5", "flags": {}}`},
			{`client.meta.arithmetic(key, 'D7 MI')`, `{"status": "ok", "value": null, "flags": {}}`},
			{`client.get(key)`, `"12"`},
		} {
			require.JSONEq(v.t, step.want, v.JSON(step.expression), step.expression)
		}
	})
}

func TestFlushAll(t *testing.T) {
	v := newVU(t)
	require.NoError(t, v.JS.Set("own", testutil.StartMemcached(t).Addr))
	require.JSONEq(t, `["v", "v", null]`, v.JSON(`(() => {
		const client = new memcached.Client(own);
		client.set('k', 'v');
		const before = client.get('k');
		client.flushAll('1000s');
		const meanwhile = client.get('k');
		client.flushAll();
		return [before, meanwhile, client.get('k')];
	})()`))
}

func TestValuesAndKeysOfAllKinds(t *testing.T) {
	big := bytes.Repeat([]byte("\r\n\x00\xffEND\r\n\x01"), 100_000)
	eachProtocol(t, func(v *vu) {
		require.NoError(v.t, v.JS.Set("big", v.JS.NewArrayBuffer(big)))
		require.NoError(v.t, v.JS.Set("same", func(a, b sobek.ArrayBuffer) bool { return bytes.Equal(a.Bytes(), b.Bytes()) }))
		v.Run(`
			const all = new Uint8Array(256).map((_, i) => i);
			for (const [name, value, want] of [
				['buffer', all.buffer, all],
				['typed array', all, all],
				['part of a buffer', new Uint8Array(all.buffer, 10, 20), all.slice(10, 30)],
				['wider elements', new Uint16Array(all.buffer, 2, 3), all.slice(2, 8)],
				['view', new DataView(all.buffer, 250, 6), all.slice(250)],
				['empty', new ArrayBuffer(0), new Uint8Array(0)],
				['1 MB', big, new Uint8Array(big)],
			]) {
				client.set(key, value);
				const got = client.get(key, { as: 'binary' });
				if (!(got instanceof ArrayBuffer) || !same(got, want.buffer)) throw new Error(name);
			}
			const text = '\r\nEND\r\n\0'.repeat(100000);
			client.set(key, text);
			if (client.get(key) !== text) throw new Error('text');
			if (new memcached.Client(addr, { values: 'binary' }).get(key).byteLength !== text.length) throw new Error('binary by default');
			if (new memcached.Client(addr, { values: 'binary' }).get(key, { as: 'string' }) !== text) throw new Error('string for once');
		`)
	})
	v := newVU(t)
	require.JSONEq(t, `["v", "v", true]`, v.JSON(`(() => {
		const client = new memcached.Client(addr, { protocol: 'meta' }), binary = new Uint8Array([0, 32, 255]);
		client.set(binary, 'v');
		client.set('with a space', 'v');
		return [client.get(binary), client.get('with a space'), client.delete(binary)];
	})()`))
}

func TestResultsAreCopied(t *testing.T) {
	v := newVU(t)
	require.JSONEq(t, `["one", 49, "two"]`, v.JSON(`(() => {
		const client = new memcached.Client(addr);
		client.set(key, 'one');
		const text = client.get(key);
		client.set(key, '111');
		const binary = client.get(key, { as: 'binary' });
		client.set(key, 'two');
		const last = client.get(key);
		return [text, new Uint8Array(binary)[0], last];
	})()`))
}

func TestPrefix(t *testing.T) {
	v := newVU(t)
	require.JSONEq(t, `["v", "v", {"k": "v"}, null]`, v.JSON(`(() => {
		const plain = new memcached.Client(addr), client = new memcached.Client(addr, { prefix: key + ':' });
		client.set('k', 'v');
		return [client.get('k'), plain.get(key + ':k'), client.getMulti(['k']), plain.get('k')];
	})()`))
}

func TestPipeline(t *testing.T) {
	eachProtocol(t, func(v *vu) {
		require.JSONEq(v.t, `[true, "v", null, true, 42, "42", {"status":"ok","value":null,"flags":{"f":"0"}}, true, false]`, v.JSON(`client.pipeline([
			['set', key, 'v', '60s'], ['get', key], ['get', key + 'none'], ['set', key, '41'], ['incr', key], ['get', key],
			['metaGet', key, 'f'], ['delete', key], ['touch', key, '5s'],
		])`))
		require.JSONEq(v.t, `[]`, v.JSON(`client.pipeline([])`))
		require.JSONEq(v.t, `["invalid", 1, [true, null, null]]`, v.JSON(`(() => {
			try {
				client.pipeline([['set', key, 'v'], ['incr', key], ['get', key + 'none']]);
			} catch (e) {
				return [e.kind, e.index, e.results];
			}
		})()`))
		require.Equal(v.t, 1.0, v.Counted(metricOps, "op", "incr", "outcome", wire.KindInvalid))
	})
}

func TestSeveralServers(t *testing.T) {
	for _, hashing := range []string{hashingKetama, hashingJump} {
		t.Run(hashing, func(t *testing.T) {
			v := newVU(t)
			servers := []any{testutil.StartMemcached(t).Addr, testutil.StartMemcached(t).Addr, testutil.StartMemcached(t).Addr}
			require.NoError(t, v.JS.Set("servers", servers))
			v.Run(`
				var client = new memcached.Client({ url: servers, hashing: '` + hashing + `' });
				var names = Array.from({ length: 300 }, (_, i) => 'key-' + i);
				client.pipeline(names.map((name) => ['set', name, 'of ' + name]));
				var found = client.getMulti(names);
				for (const name of names) {
					if (client.get(name) !== 'of ' + name || found[name] !== 'of ' + name) throw new Error(name);
				}
				const results = client.pipeline(names.map((name) => ['get', name]));
				names.forEach((name, i) => { if (results[i] !== 'of ' + name) throw new Error(name); });
				var counts = servers.map((s) => Number(client.stats()[s].curr_items));
			`)
			counts := v.Run(`counts`).([]any)
			total := int64(0)
			for _, n := range counts {
				require.Greater(t, n.(int64), int64(40), "a server with hardly any keys: %v", counts)
				total += n.(int64)
			}
			require.Equal(t, int64(300), total)
			require.JSONEq(t, v.JSON(`names.map((n) => [n, null])`), v.JSON(`(() => {
				client.flushAll();
				client.meta.noop();
				return Object.entries(client.getMulti(names));
			})()`))
		})
	}
}

func TestUnixSocketAndLogin(t *testing.T) {
	folder := t.TempDir()
	users := filepath.Join(folder, "users")
	require.NoError(t, os.WriteFile(users, []byte("ann:s3cret\n"), 0o600))
	v := newVU(t)
	require.NoError(t, v.JS.Set("socket", testutil.StartMemcachedAtSocket(t, filepath.Join(folder, "s")).Addr))
	require.Equal(t, "v", v.Run(`var client = new memcached.Client(socket); client.set('k', 'v'); client.get('k')`))
	require.Equal(t, float64(len("STORED\r\n"+"VALUE k 0 1\r\nv\r\nEND\r\n")), v.Counted("data_received"))
	require.Equal(t, float64(len("set k 0 0 1\r\nv\r\n"+"get k\r\n")), v.Counted("data_sent"))

	address := testutil.StartMemcached(t, "-Y", users).Addr
	require.NoError(t, v.JS.Set("address", address))
	require.Equal(t, "v", v.Run(`client = new memcached.Client(address, { user: 'ann', password: 's3cret' }); client.set('k', 'v'); client.get('k')`))
	require.Equal(t, "v", v.Run(`new memcached.Client('memcached://ann:s3cret@' + address).get('k')`))
	for _, script := range []string{
		`new memcached.Client(address, { user: 'ann', password: 'wr0ng' }).get('k')`, `new memcached.Client(address).get('k')`,
	} {
		e := v.fail(script)
		require.Equal(t, wire.KindAuth, e.Kind)
		require.NotContains(t, e.Message, "wr0ng")
	}
}

func TestTLS(t *testing.T) {
	server, certificate := testutil.StartMemcachedTLS(t)
	v := newVU(t)
	require.NoError(t, v.JS.Set("server", server.Addr))
	require.NoError(t, v.JS.Set("ca", string(certificate)))
	for _, options := range []string{`{ ca }`, `{ insecureSkipTLSVerify: true }`, `{ ca, serverName: '127.0.0.1' }`} {
		require.Equal(t, "v", v.Run(`(() => {
			const client = new memcached.Client(server, { tls: `+options+` });
			client.set('k', 'v');
			return client.get('k');
		})()`), options)
	}
	for options, want := range map[string]string{
		`{}`: "unknown authority", `{ ca, serverName: 'cache.test' }`: "cache.test",
	} {
		e := v.fail(`new memcached.Client(server, { tls: ` + options + ` }).get('k')`)
		require.Equal(t, wire.KindConnect, e.Kind)
		require.Contains(t, e.Message, want)
	}
}

func TestMisuse(t *testing.T) {
	v := newVU(t)
	v.Run(`var client = new memcached.Client(addr)`)
	for script, want := range map[string]string{
		`client.get()`:                    "get: the key must be a string, an ArrayBuffer or a typed array, not undefined",
		`client.get(5)`:                   "get: the key must be a string, an ArrayBuffer or a typed array, not 5",
		`client.get({})`:                  "get: the key must be a string, an ArrayBuffer or a typed array, not an object",
		`client.get('')`:                  "the key is empty: it must have 1 to 250 bytes",
		`client.get('a b')`:               `the key "a b" has a space or a control character: only the meta protocol can send it`,
		`client.get('k', 'binary')`:       "get: options must be an object, not binary",
		`client.get('k', { as: 'text' })`: `get: option as must be 'string' or 'binary', not text`,
		`client.get('k', { ttl: 1 })`:     `get: unknown option "ttl"; known are as, tags`,
		`client.set('k')`:                 "set: the value must be a string, an ArrayBuffer or a typed array, not undefined",
		`client.set('k', 5)`:              "set: the value must be a string, an ArrayBuffer or a typed array, not 5",
		`client.set('k', { buffer: new ArrayBuffer(1), byteOffset: 0, byteLength: 9 })`: "set: the value must be a string, an ArrayBuffer or a typed array, not an object",
		`client.set('k', 'v', '5')`:                              "set: ttl 5 must say its unit, such as '5s'",
		`client.set('k', 'v', 1.5)`:                              "set: ttl 1.5 must say its unit, such as '1.5s'",
		`client.set('k', 'v', 1e10)`:                             "set: ttl 10000000000 must say its unit: '10000000000s', or '10000000s' if it is milliseconds",
		`client.set('k', 'v', { ttl: '1s', flag: 1 })`:           `set: unknown option "flag"; known are flags, ttl, tags; did you mean flags?`,
		`client.set('k', 'v', { flags: 4294967296 })`:            "set: option flags must be an integer from 0 to 4294967295, not 4294967296",
		`client.getOrSet('k', 60, 'v')`:                          "getOrSet: ttl 60 must say its unit, such as '60s'",
		`client.set('k', 'v', '100000d')`:                        "set: the ttl must end before 2038-01-19, or be 0 for never",
		`client.touch('k')`:                                      "touch: the ttl must be a time such as '60s', 0 for never, or a Date, not undefined",
		`client.cas('k', 'v')`:                                   "cas: the third argument must be the cas that gets returned, not undefined",
		`client.incr('k', -1)`:                                   "incr: the number must be an integer from 0 or a BigInt, not -1",
		`client.decr('k', 0.5)`:                                  "decr: the number must be an integer from 0 or a BigInt, not 0.5",
		`client.incr('k', 2n ** 64n)`:                            "incr: the number must be an integer from 0 or a BigInt, not 18446744073709551616",
		`client.meta.get('k', 5)`:                                "metaGet: the flags must be a string such as 'v t T30', not 5",
		`client.meta.get('k', 'v q')`:                            "the flag q cannot be used: every request here waits for its reply",
		`client.getMulti('k')`:                                   "getMulti: the keys must be an array, not k",
		`client.getMulti(['k', 5])`:                              "getMulti: a key must be a string, not 5",
		`client.getMulti(new Array(1e9))`:                        "getMulti: the keys: an array has 1000000000 elements: at most 1000000 are allowed",
		`client.set('k', 'v', { ttl: new Array(4294967295) })`:   "set: option ttl must be a time such as '60s', 0 for never, or a Date, not an array of 4294967295 elements",
		`client.stats(new Array(4294967295))`:                    "stats: the argument must be a string, not an array of 4294967295 elements",
		`client.run({ iterations: new Array(4294967295) })`:      "run: options cannot be read: iterations: an array has 4294967295 elements: at most 1000000 are allowed",
		`const o = {}; o.mix = o; client.run(o)`:                 "run: options cannot be read: mix: it contains itself",
		`client.pipeline({})`:                                    "pipeline: commands must be an array, not an object",
		`client.pipeline([5])`:                                   "pipeline: each command must be an array, not 5",
		`client.pipeline([[]])`:                                  "pipeline: command 0 is empty",
		`client.pipeline([['get', 'k'], ['gut']])`:               `pipeline: command 1 is "gut", which is not a command; use the methods that take a key`,
		`client.pipeline([['get', 'k'], ['set', 'k']])`:          "set: the value must be a string, an ArrayBuffer or a typed array, not undefined",
		`client.getOrSet('k', 5)`:                                "getOrSet: the value must be a string, an ArrayBuffer or a typed array, or a function that returns one, not undefined",
		`client.getOrSet('k', 5, {})`:                            "getOrSet: the value must be a string, an ArrayBuffer or a typed array, or a function that returns one, not an object",
		`client.stats('cachedump 1 10')`:                         `stats does not support "cachedump 1 10", which lists keys`,
		`client.stats('detail dump')`:                            `stats does not support "detail dump", which lists keys`,
		`client.getOrSet(key, '5s', () => {})`:                   "set: the value must be a string, an ArrayBuffer or a typed array, not undefined",
		`client.flushAll(-1)`:                                    "flushAll: the delay must be a time such as '60s', 0 for never, or a Date, not -1",
		`client.stats(5)`:                                        "stats: the argument must be a string, not 5",
		`client.get('k', { get as() { client.get('other'); } })`: "a method of a Client cannot be called while another method of it reads its arguments",
	} {
		require.Equal(t, thrown{want, wire.KindUsage}, v.fail(script), script)
	}
	require.Equal(t, "own", v.Run(`try { client.getOrSet(key, '5s', () => { throw 'own'; }); } catch (e) { e }`))
	require.True(t, v.Run(`client.set(key, 'still works')`).(bool))
	require.Contains(t, v.fail(`client.set(key, 'x'.repeat(5000000))`).Message, "too large")
	require.Nil(t, v.Run(`client.get(key)`))
	v.Run(`client.set(key, 'x'.repeat(11)); var small = new memcached.Client(addr, { maxValue: 10 })`)
	require.Equal(t, thrown{"the value has 11 bytes: at most 10 are sent", wire.KindTooLarge}, v.fail(`small.set(key, 'x'.repeat(11))`))
	require.Equal(t, thrown{"the server announced a value of 11 bytes: at most 10 are accepted", wire.KindTooLarge}, v.fail(`small.get(key)`))
	require.Equal(t, wire.KindTooLarge, v.fail(`small.getMulti([key])`).Kind)
	require.True(t, v.Run(`small.delete(key)`).(bool))
	require.NotContains(t, v.fail(`client.get('a\nb')`).Message, "\n")
	require.Equal(t, 300+3, len(v.fail(`client.set(key, ['long\n'.repeat(100000)])`).Message))
}

// memcached takes values up to 30 days as seconds from now, larger ones as Unix times.
func TestTimesToLive(t *testing.T) {
	v := newVU(t)
	v.Run(`var client = new memcached.Client(addr), left = (ttl) => { client.set(key, 'v', ttl); return Number(client.meta.get(key, 't').flags.t) }`)
	for ttl, want := range map[string]float64{
		`'1500ms'`: 2, `'30d'`: 30 * 86400, `'40d'`: 40 * 86400, `{ ttl: '1h' }`: 3600, `new Date(Date.now() + 50_000)`: 50, `0`: -1,
	} {
		require.InDelta(t, want, v.Run(`left(`+ttl+`)`), 5, ttl)
	}
	require.Equal(t, true, v.Run(`client.set(key, 'v', new Date(Date.now() - 1000)); client.get(key) === null`), "a Date that has passed")
}

func TestPromises(t *testing.T) {
	v := newVU(t)
	v.Run(`var client = new memcached.Client(addr), bytes = new Uint8Array([65]), got`)
	v.Loop(`await client.asyncConnect();
		const set = client.asyncSet(key, bytes, { ttl: '60s', tags: { name: 'first' } });
		bytes[0] = 66; // which is too late
		const all = [set, client.asyncAppend(key, 'b'), client.asyncGet(key), client.meta.asyncGet(key, 'v')];
		const blocking = client.get(key);
		got = [...(await Promise.all(all)), blocking, await client.asyncGet(key + 'none'), await client.asyncDelete(key)];
		await client.asyncClose()`)
	require.JSONEq(t, `[true,true,"Ab",{"status":"ok","value":"Ab","flags":{}},"Ab",null,true]`, v.JSON(`got`))
	for _, want := range []struct {
		op   string
		n    float64
		tags []string
	}{
		{opConnect, 1, nil}, {"set", 1, []string{"name", "first"}}, {"append", 1, nil}, {"get", 3, nil}, {"metaGet", 1, nil}, {"delete", 1, nil},
	} {
		require.Equal(t, want.n, v.Counted(metricOps, append(want.tags, "op", want.op, "outcome", "ok")...), want.op)
	}
	require.Len(t, v.Found(metricDuration, "op", "get"), 3)
	require.Equal(t, 3.0, v.Counted(metricHits))
	require.Equal(t, 1.0, v.Counted(metricMisses))
	require.Positive(t, v.Counted("data_received"))

	for script, want := range map[string]thrown{
		`client.asyncGet(5)`:                         {"get: the key must be a string, an ArrayBuffer or a typed array, not 5", "usage"},
		`client.asyncSet('k', 'v', 60)`:              {"set: ttl 60 must say its unit, such as '60s'", "usage"},
		`client.asyncGet('k', { tags: { op: '' } })`: {"get: option tags cannot have op, which is a tag of the module's own", "usage"},
		`new memcached.Client('127.0.0.1:1').asyncConnect()`: {
			"cannot connect to 127.0.0.1:1: connection refused; is a memcached running there?", "connect",
		},
	} {
		e := v.Rejected(script)
		require.Equal(t, want, thrown{e.Message, e.Kind}, script)
	}
	v.Run(`client.set(key, 'x')`)
	require.Equal(t, "invalid", v.Rejected(`client.asyncIncr(key)`).Kind)
	require.Equal(t, 1.0, v.Counted(metricOps, "op", "incr", "outcome", "invalid"))
}
