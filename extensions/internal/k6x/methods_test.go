package k6x

import (
	"sync"
	"testing"

	"github.com/grafana/sobek"
	"github.com/stretchr/testify/require"
)

type thing struct {
	rt   *sobek.Runtime
	name string
}

func (t *thing) get(call sobek.FunctionCall) sobek.Value {
	return t.rt.ToValue(t.name + ":" + call.Argument(0).String())
}

func (t *thing) fail(sobek.FunctionCall) sobek.Value {
	panic(NewError(t.rt, "ThingError", t.name, nil))
}

var thingMethods = Methods[*thing]{"get": (*thing).get, "set": (*thing).get}.With(Methods[*thing]{
	"set": func(t *thing, _ sobek.FunctionCall) sobek.Value { return t.rt.ToValue("set in " + t.name) },

	AsyncName("get"): (*thing).get, "fail": (*thing).fail,
})

func withClients(t *testing.T) *sobek.Runtime {
	t.Helper()
	rt := newRuntime()
	require.NoError(t, rt.Set("Client", func(call sobek.ConstructorCall) *sobek.Object {
		of := &thing{rt, call.Argument(0).String()}
		thingMethods.Put(rt, call.This, of)
		must(rt, call.This.DefineDataProperty("meta", thingMethods.Object(rt, of), sobek.FLAG_FALSE, sobek.FLAG_FALSE, sobek.FLAG_TRUE))

		return nil
	}))
	_, err := rt.RunString(`
		'use strict';
		const client = new Client('a');
		const thrown = (fn) => { try { fn(); return null; } catch (e) { return String(e); } };
		const inAll = (o) => { const keys = []; for (const key in o) keys.push(key); return keys.sort().join(); };`)
	require.NoError(t, err)

	return rt
}

func TestMethods(t *testing.T) {
	for _, tt := range []struct {
		js   string
		want any
	}{
		{`client.get('k')`, "a:k"},
		{`client.asyncGet('k')`, "a:k"},
		{`client.set()`, "set in a"},
		{`client.meta.get('k')`, "a:k"},
		{`new Client('b').get('k') + client.get('k')`, "b:ka:k"},
		{`const { get } = client; get('k')`, "a:k"},
		{`['x', 'y'].map(client.get).join()`, "a:x,a:y"},
		{`Object.create(client).get('k')`, "a:k"},
		{`client.get === client.get`, true},
		{`client.get === new Client('b').get`, false},
		{`client.get.name + typeof client.get`, "getfunction"},

		{`'get' in client`, true},
		{`'nothing' in client`, false},
		{`client.nothing`, nil},
		{`client.then`, nil},
		{`thrown(() => client.nothing())`, "TypeError: Object has no member 'nothing'"},
		{`thrown(() => client.fail())`, "ThingError: a"},
		{`try { client.fail(); } catch (e) { e.stack.split('\n')[1].trim() }`, "at fail (native)"},

		{`thrown(() => client.getAsync('k'))`, "TypeError: there is no getAsync here: use asyncGet"},
		{`thrown(() => client.setAsync('k'))`, "TypeError: there is no setAsync here: use set, which has no form that returns a promise"},
		{`thrown(() => client.asyncGte('k'))`, "TypeError: there is no asyncGte here: use asyncGet"},
		{`thrown(() => client.gett('k'))`, "TypeError: there is no gett here: use get"},
		{`thrown(() => client.gett('k')) === thrown(() => client.gett('k'))`, true},
		{`try { client.getAsync(); } catch (e) { e.stack.split('\n')[1].trim() }`, "at getAsync (native)"},
		{`client.getAsync; ['getAsync' in client, client.hasOwnProperty('getAsync'), inAll(client)].join()`, "false,false,asyncGet,fail,get,meta,set"},
		{`client.toJSON || client.inspect`, nil},
		{`Client.prototype.getAsync = () => 'mine'; client.getAsync()`, "mine"},
		{`class Own extends Client { gett() { return 'own'; } } new Own('a').gett()`, "own"},

		{`client instanceof Client && client.constructor === Client`, true},
		{`String(client)`, "[object Object]"},
		{`Client.prototype.more = function () { return this.get('more'); }; client.more()`, "a:more"},
		{`class Mine extends Client { constructor() { super('mine'); } twice() { return this.get(1) + this.get(2); } }
		  const mine = new Mine(); mine.twice() + (mine instanceof Mine && mine instanceof Client)`, "mine:1mine:2true"},

		{`Object.keys(client).join()`, "meta"},
		{`client.get('k'); Object.keys(client).join()`, "meta"},
		{`client.get('k'); client.hasOwnProperty('get')`, false},
		{`inAll(client)`, "asyncGet,fail,get,meta,set"},
		{`client.get('k'); inAll(client)`, "asyncGet,fail,get,meta,set"},
		{`Object.keys({ ...client }).join()`, "meta"},
		{`client.get('k'); JSON.stringify(client)`, `{"meta":{}}`},

		{`client.get = () => 'mine'; client.get('k')`, "mine"},
		{`client.get('k'); client.get = () => 'mine'; client.get('k')`, "mine"},
		{`client.get = () => 'mine'; Object.getPrototypeOf(client).get('k') + client.get('k')`, "a:kmine"},
		{`client.get = () => 'mine'; new Client('b').get('k')`, "b:k"},
		{`const get = client.get; client.get = (k) => 'again ' + get(k); client.get('k')`, "again a:k"},
		{`client.get = () => 'mine'; delete client.get; client.get('k')`, "a:k"},
		{`delete client.get; client.get('k')`, "a:k"},
		{`client.added = 5; client.added + Object.keys(client).join()`, "5meta,added"},
		{`thrown(() => { 'use strict'; client.meta = 5; })`, "TypeError: Cannot assign to read only property 'meta'"},
		{`thrown(() => { 'use strict'; Object.getPrototypeOf(client).get = 5; })`, "TypeError: 'Set' on a dynamic object returned false"},
		{`thrown(() => { 'use strict'; delete Object.getPrototypeOf(client).get; })`, `TypeError: Could not delete property "get" of a dynamic object`},

		{`Object.freeze(client); client.get('k') + client.set()`, "a:kset in a"},
		{`Object.freeze(client); client.get === client.get`, true},
		{`Object.freeze(client); thrown(() => { 'use strict'; client.get = 5; })`, "TypeError: Cannot add property get, object is not extensible"},
		{`Object.freeze(client.meta).get('k')`, "a:k"},
	} {
		t.Run(tt.js, func(t *testing.T) {
			got, err := withClients(t).RunString(tt.js)
			require.NoError(t, err)
			require.Equal(t, tt.want, got.Export())
		})
	}
}

func TestMethodsAreMadeLate(t *testing.T) {
	rt := withClients(t)
	client := rt.Get("client").ToObject(rt)
	shown, ok := client.Prototype().Export().(*lateObject)
	require.True(t, ok)
	for _, tt := range []struct {
		js   string
		made int
	}{
		{`'get' in client; Object.keys(client); inAll(client); JSON.stringify(client); client.nothing; client.set = 1; client.set`, 0},
		{`client.get; client.get('k')`, 1},
		{`client.get('k'); client.asyncGet('k')`, 2},
	} {
		_, err := rt.RunString(tt.js)
		require.NoError(t, err)
		require.Len(t, shown.created, tt.made, tt.js)
	}
}

func TestMethodsOfManyVUs(t *testing.T) {
	var vus sync.WaitGroup
	for range 4 {
		rt := withClients(t)
		vus.Go(func() {
			got, err := rt.RunString(`let all = ''; for (const name of ['b', 'c']) all += new Client(name).get('k'); all + inAll(client)`)
			if err != nil || got.String() != "b:kc:kasyncGet,fail,get,meta,set" {
				t.Error(got, err)
			}
		})
	}
	vus.Wait()
}

func TestAsyncName(t *testing.T) {
	require.Equal(t, "asyncGet", AsyncName("get"))
	require.Equal(t, "asyncGetMulti", AsyncName("getMulti"))
}

func BenchmarkMethod(b *testing.B) {
	rt := newRuntime()
	methods := Methods[*thing]{"nothing": func(*thing, sobek.FunctionCall) sobek.Value { return sobek.Undefined() }}
	require.NoError(b, rt.Set("object", methods.Object(rt, &thing{})))
	value, err := rt.RunString(`(n) => { for (let i = 0; i < n; i++) object.nothing(); }`)
	require.NoError(b, err)
	call, _ := sobek.AssertFunction(value)
	b.ReportAllocs()
	b.ResetTimer()
	_, err = call(sobek.Undefined(), rt.ToValue(b.N))
	require.NoError(b, err)
}
