package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	"github.com/xk6-sweep/xk6-sweep/extensions/umemcache/umemtest"
)

func userScript(t *testing.T, name, source string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(source), 0o600))

	return path
}

func anyScript(t *testing.T, source, settings string, o options) *run {
	t.Helper()
	if o.script == "" {
		o.script = userScript(t, "shop.js", source)
	}
	o.env = with(map[string]string{defaultEnvMachbase: ""}, o.env)
	o.args = append([]string{"-o", "sweep" + settings}, o.args...)

	return k6(t, o)
}

type scriptReport struct {
	Interrupted bool
	Params      map[string]any
	Target      map[string]any
	Marks       []struct{ Text string }
	Script      struct {
		MostOps int
		VUs     struct{ Active []float64 }
		Metrics []struct {
			Name, Kind string
			Value      float64
		}
	}
	Gates []struct {
		Gate, Detail string
		Held         bool
	}
	Steps []stepOfScript
}

type stepOfScript struct {
	step
	Variant  string
	Rate     float64
	OverTime struct{ OpsPerSecond []float64 }
}

func (r *run) shop(t *testing.T, names ...string) (rep scriptReport) {
	t.Helper()
	name := append(names, "shop")[0]
	file := filepath.Join(r.results, name+".json")
	raw, err := os.ReadFile(file)
	require.NoError(t, err, r.output)
	require.NoError(t, json.Unmarshal(raw, &rep))
	code, stdout, stderr := sweep(t, "validate", file)
	require.Zero(t, code, stdout+stderr)
	for _, suffix := range []string{".md", ".csv", ".bench.txt", ".junit.xml", ".html"} {
		require.FileExists(t, filepath.Join(r.results, name+suffix))
	}

	return rep
}

// counts returns successful and failed operations of a report, such as "GET /a of setup: 1, 0".
func (r *scriptReport) counts() (all []string) {
	for i := range r.Steps {
		s := &r.Steps[i]
		of := ""
		if s.Variant != "" {
			of = " of " + s.Variant
		}
		all = append(all, fmt.Sprintf("%s%s: %d, %d", s.Op, of, s.Ops, s.Failed))
	}
	slices.Sort(all)

	return all
}

func (r *scriptReport) metric(name string) float64 {
	for _, m := range r.Script.Metrics {
		if m.Name == name {
			return m.Value
		}
	}

	return -1
}

// shopServer answers GET /redirect with a redirect to /cart, /missing with 404 and /live with a
// WebSocket that echoes messages.
func shopServer(t *testing.T) (url string) {
	t.Helper()
	upgrader := websocket.Upgrader{}
	url, _ = httpServer(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/redirect":
			http.Redirect(w, r, "/cart", http.StatusFound)
		case "/missing":
			http.NotFound(w, r)
		case "/never":
			<-r.Context().Done()
		case "/live":
			conn, err := upgrader.Upgrade(w, r, nil)
			if err != nil {
				return
			}
			defer func() { _ = conn.Close() }()
			for {
				kind, message, err := conn.ReadMessage()
				if err != nil || conn.WriteMessage(kind, message) != nil {
					return
				}
			}
		}
	})

	return url
}

func TestAnyScriptHTTP(t *testing.T) {
	t.Parallel()
	url := shopServer(t)
	r := anyScript(t, `
		import http from 'k6/http';
		import { check, group } from 'k6';
		import { Trend, Counter, Gauge, Rate } from 'k6/metrics';
		const url = __ENV.SHOP, checkout = new Trend('checkout', true), items = new Trend('items');
		const sold = new Counter('sold'), queue = new Gauge('queue'), lucky = new Rate('lucky');
		export const options = { vus: 2, iterations: 20, thresholds: { checks: ['rate==1'], 'http_req_duration{name:cart}': ['p(99)<600000'] } };
		export function setup() { http.post(url + '/login'); }
		export default function () {
			for (let i = 0; i < 2; i++) http.get(url + '/cart?id=' + __ITER, { tags: { name: 'cart' } });
			http.del(url + '/cart', null, { tags: { name: 'cart' } });
			http.get(url + '/missing');
			http.get(url + '/missing', { responseCallback: http.expectedStatuses(404), tags: { name: 'none' } });
			http.get(url + '/redirect', { tags: { name: 'redirect' } });
			http.get('http://127.0.0.1:1/', { tags: { name: 'refused' } });
			http.batch([['GET', url + '/a'], { method: 'PUT', url: url + '/b' }, http.url`+"`${url}/${__ITER}`"+`]);
			http.get(url, { tags: { name: 'a, "b" | `+"`c`"+` <d>\nd; =\\ ü' } });
			group('pay', () => group('by card', () => check(http.get(url, { tags: { name: 'pay' } }), { 'is "paid", yes': (r) => r.status === 200 })));
			checkout.add(12.5); items.add(3); sold.add(2); queue.add(7); lucky.add(true);
		}
		export function teardown() { http.post(url + '/logout'); }`, "", options{env: map[string]string{"SHOP": url}})
	require.Equal(t, exitOK, r.code, r.output)
	rep := r.shop(t)
	require.ElementsMatch(t, []string{
		"DELETE cart: 20, 0", "GET ${}/${}: 20, 0", "GET " + url + "/a: 20, 0", "GET " + url + "/missing: 0, 20",
		"GET a, \"b\" | `c` <d>\nd; =\\ ü: 20, 0",
		"GET cart: 40, 0", "GET none: 20, 0", "GET pay: 20, 0", "GET redirect: 40, 0", "GET refused: 0, 20",
		"POST " + url + "/login of (setup): 1, 0", "POST " + url + "/logout of (teardown): 1, 0", "PUT " + url + "/b: 20, 0",
		"checkout: 20, 0", "group pay/by card: 20, 0", "group pay: 20, 0", "iteration: 20, 0",
	}, rep.counts())
	for i := range rep.Steps {
		switch s := &rep.Steps[i]; s.Op {
		case "GET " + url + "/missing":
			require.Equal(t, map[string]int{"http: GET " + url + "/missing answered 404 Not Found": 20}, s.Extra.Errors)
		case "GET refused":
			require.Len(t, s.Extra.Errors, 1)
		case "checkout":
			require.InDelta(t, 12.5, s.LatencyMs.P99, 0.0125)
		}
	}
	for name, want := range map[string]float64{
		"checks": 1, `checks{is "paid", yes}`: 1, "items": 3, "sold": 40, "queue": 7, "lucky": 1, "iterations": 20,
	} {
		require.InDelta(t, want, rep.metric(name), 1e-9, name)
	}
	require.Len(t, rep.Gates, 2, "k6's thresholds")
	require.Contains(t, r.output, "checks_succeeded", "k6's summary")
	require.Len(t, r.samples(t, "http_reqs"), int(rep.metric("http_reqs")), "k6's output json")
	page, err := os.ReadFile(filepath.Join(r.results, "shop.html"))
	require.NoError(t, err)
	require.NotContains(t, string(page), "<d>")
}

func TestAnyScriptWithTooManyAddresses(t *testing.T) {
	t.Parallel()
	url := shopServer(t)
	r := anyScript(t, `
		import http from 'k6/http';
		export const options = { vus: 4, iterations: 20, discardResponseBodies: true, batch: 20, batchPerHost: 20 };
		export default function () {
			http.batch(Array.from({ length: 100 }, (_, i) => __ENV.SHOP + '/' + __VU + '/' + __ITER + '/' + i));
		}`, "=?series=50", options{command: []string{"run"}, env: map[string]string{"SHOP": url}})
	require.Equal(t, exitOK, r.code, r.output)
	rep := r.shop(t)
	require.Equal(t, 50, rep.Script.MostOps)
	requests := 0
	for i := range rep.Steps {
		if s := &rep.Steps[i]; s.Op != "iteration" {
			requests += s.Ops
		}
	}
	require.Equal(t, "(other)", rep.Steps[0].Op)
	require.LessOrEqual(t, len(rep.Steps), 51)
	require.GreaterOrEqual(t, requests, 2_000)
	require.Contains(t, r.table(t, "shop"), "There were more than 50 kinds of operations")
}

func TestAnyScriptGRPC(t *testing.T) {
	t.Parallel()
	protos, err := filepath.Abs(filepath.Join(root, "extensions/sweep/examples"))
	require.NoError(t, err)
	r := anyScript(t, `
		import grpc from 'k6/net/grpc';
		const client = new grpc.Client();
		client.load([__ENV.PROTOS], 'health.proto');
		export const options = { vus: 2, iterations: 20 };
		export default function () {
			for (const address of [__ENV.GOOD, __ENV.BAD]) {
				client.connect(address, { plaintext: true });
				client.invoke('grpc.health.v1.Health/Check', {}, { tags: address === __ENV.BAD ? { name: 'bad' } : {} });
				client.close();
			}
		}`, "", options{env: map[string]string{"PROTOS": protos, "GOOD": grpcServer(t, codes.OK), "BAD": grpcServer(t, codes.NotFound)}})
	require.Equal(t, exitOK, r.code, r.output)
	rep := r.shop(t)
	require.Equal(t, []string{"grpc bad: 0, 20", "grpc grpc.health.v1.Health/Check: 20, 0", "iteration: 20, 0"}, rep.counts())
}

func TestAnyScriptWebSocket(t *testing.T) {
	t.Parallel()
	url := strings.Replace(shopServer(t), "http", "ws", 1)
	r := anyScript(t, `
		import ws from 'k6/ws';
		import { WebSocket } from 'k6/websockets';
		export const options = { vus: 2, iterations: 10 };
		export default function () {
			for (const path of ['/live', '/missing']) {
				try {
					ws.connect(__ENV.SHOP + path, {}, (socket) => {
						socket.on('open', () => socket.send('a'));
						socket.on('message', () => socket.close());
						socket.setTimeout(() => socket.close(), 60000);
					});
				} catch (e) { /* the handshake */ }
			}
			const socket = new WebSocket(__ENV.SHOP + '/live', null, { tags: { name: 'live' } });
			socket.onopen = () => socket.send('b');
			socket.onmessage = () => socket.close();
		}`, "", options{env: map[string]string{"SHOP": url}})
	require.Equal(t, exitOK, r.code, r.output)
	rep := r.shop(t)
	require.ElementsMatch(t, []string{"iteration: 10, 0", "ws " + url + "/live: 10, 0", "ws " + url + "/missing: 0, 10", "ws live: 10, 0"}, rep.counts())
}

func TestAnyScriptOfAModule(t *testing.T) {
	t.Parallel()
	r := anyScript(t, `
		import umemcache from 'k6/x/umemcache';
		const client = new umemcache.Client(__ENV.UMEM_URL), gone = new umemcache.Client('[::1]:1');
		export const options = { vus: 2, iterations: 10 };
		export default function () {
			client.set('key', 'value');
			client.get('key');
			try { gone.get('key'); } catch (e) { /* refused */ }
		}`, "", options{env: map[string]string{"UMEM_URL": umemtest.Start(t, umemtest.Options{}).Address()}})
	require.Equal(t, exitOK, r.code, r.output)
	rep := r.shop(t)
	require.Equal(t, []string{"iteration: 10, 0", "umemcache get: 10, 10", "umemcache set: 10, 0"}, rep.counts())
}

// k6 cloud run accepts only its own output; k6 run -o cloud accepts others.
func TestAnyScriptWithGrafanaCloud(t *testing.T) {
	t.Parallel()
	c := startCloud(t)
	r := anyScript(t, `
		import http from 'k6/http';
		export const options = { vus: 2, iterations: 10 };
		export default function () { http.get(__ENV.SHOP, { tags: { name: 'cart' } }); }`, "", options{
		args: []string{"-o", "cloud"}, env: map[string]string{"SHOP": shopServer(t)},
		environment: []string{"K6_CLOUD_HOST=" + c.url, "K6_CLOUD_TOKEN=" + cloudToken, "K6_CLOUD_TRACES_ENABLED=false"},
	})
	require.Equal(t, exitOK, r.code, r.output)
	rep := r.shop(t)
	require.Equal(t, []string{"GET cart: 10, 0", "iteration: 10, 0"}, rep.counts())
	require.Equal(t, []string{"POST /v1/tests", "POST /v1/tests/7000"}, c.requests)
}

func TestAnyScriptOnAFullDisk(t *testing.T) {
	t.Parallel()
	path := userScript(t, "shop.js", `export const options = { iterations: 20 }; export default function () {}`)
	code, output := onFullDisk(t, "32", `"$K6" run --no-color -q -e RESULTS="$DISK" -o sweep `+path+`; code=$?; ls -A "$DISK"; exit $code`)
	require.Equal(t, exitOther, code, output)
	require.Contains(t, output, "the report could not be written: ")
	require.Contains(t, output, "no space left on device")
	require.NotContains(t, output, "shop.html\n", "no format without the others")
}

func TestAnyScriptOfSeveralScenarios(t *testing.T) {
	t.Parallel()
	env := map[string]string{"SHOP": shopServer(t)}
	path := userScript(t, "shop.ts", `
		import http from 'k6/http';
		const one: { executor: string, vus: number, iterations: number } = { executor: 'per-vu-iterations', vus: 2, iterations: 5 };
		export const options = { scenarios: { one, two: { ...one, vus: 1, exec: 'other' } } };
		export default function () { http.get(__ENV.SHOP, { tags: { name: 'cart' } }); }
		export function other(): void { http.get(__ENV.SHOP, { tags: { name: 'cart' } }); }`)
	want := []string{"GET cart of one: 10, 0", "GET cart of two: 5, 0", "iteration of one: 10, 0", "iteration of two: 5, 0"}
	r := anyScript(t, "", "", options{script: path, env: env})
	require.Equal(t, exitOK, r.code, r.output)
	rep := r.shop(t)
	require.Equal(t, want, rep.counts())

	archive := filepath.Join(t.TempDir(), "shop.tar")
	r = k6(t, options{command: []string{"archive", "-O", archive}, script: path, env: with(env, map[string]string{defaultEnvMachbase: ""})})
	require.Equal(t, exitOK, r.code, r.output)
	r = anyScript(t, "", "=?name=archived", options{script: archive})
	require.Equal(t, exitOK, r.code, r.output)
	rep = r.shop(t, "archived")
	require.Equal(t, want, rep.counts())
}

func TestAnyScriptIsInterrupted(t *testing.T) {
	t.Parallel()
	r := anyScript(t, `
		import http from 'k6/http';
		export const options = { scenarios: { default: { executor: 'constant-vus', vus: 2, duration: '10m', gracefulStop: '0s' } } };
		export default function () {
			for (let i = 0; i < 20; i++) http.get(__ENV.SHOP, { tags: { name: 'cart' } });
			console.log('waits now');
			http.get(__ENV.SHOP + '/never', { tags: { name: 'never' }, timeout: '10m' });
		}`, "", options{
		env: map[string]string{"SHOP": shopServer(t)}, shows: "waits now",
		measuring: func(k6 *os.Process) { _ = k6.Signal(os.Interrupt) },
	})
	require.Equal(t, exitInterrupted, r.code, r.output)
	rep := r.shop(t)
	require.True(t, rep.Interrupted)
	require.Equal(t, "GET cart", rep.Steps[0].Op)
	require.GreaterOrEqual(t, rep.Steps[0].Ops, 20)
	for i := range rep.Steps {
		require.False(t, rep.Steps[i].Complete)
		require.Zero(t, rep.Steps[i].Failed, rep.Steps[i].Op)
	}
}

func TestAnyScriptWithoutReport(t *testing.T) {
	t.Parallel()
	const idle = `
		const half = { executor: 'ramping-arrival-rate', startRate: 0, preAllocatedVUs: 1, stages: [{ duration: '1s', target: 1 }] }; // iteration
		export const options = { scenarios: { half } };
		export default function () {}`
	r := anyScript(t, idle, "", options{})
	require.Equal(t, exitMarkedFailed, r.code, r.output)
	require.Contains(t, r.output, "nothing was measured: there was no operation to report")

	r = anyScript(t, `export default function () {}`, "=/dev/null/results", options{})
	require.Equal(t, exitOther, r.code, r.output)
	require.Contains(t, r.output, "the report could not be written: ")

	r = anyScript(t, idle, "=?skp=1s", options{})
	require.Equal(t, exitInvalidConfig, r.code, r.output)
	require.Contains(t, r.output, "did you mean skip?")
}

func TestAnyScriptGates(t *testing.T) {
	t.Parallel()
	const source = `
		import http from 'k6/http';
		export const options = { vus: 2, iterations: 200, thresholds: { http_reqs: ['count<1'] } };
		export default function () { http.get(__ENV.SHOP, { tags: { name: 'cart' } }); }`
	env := map[string]string{"SHOP": shopServer(t)}
	gates := func(p90 string) string {
		return "=?gates=" + userScript(t, "gates.json", `{ "scenario": "shop", "absolute": [ { "op": "GET cart", "p90": "`+p90+`" } ] }`)
	}
	quiet := []string{"--no-thresholds", "--summary-mode=disabled"}
	for _, args := range [][]string{{"--no-thresholds"}, quiet} {
		r := anyScript(t, source, gates("1us"), options{env: env, args: args})
		require.Equal(t, exitThreshold, r.code, r.output)
		require.Len(t, r.lines("gate crossed: p90 of GET cart"), 1, r.output)
		require.False(t, r.shop(t).Gates[0].Held)
		require.Equal(t, 1, strings.Count(r.output, r.shop(t).Gates[0].Detail), "the reason is in the table or in the log: %s", r.output)
	}
	r := anyScript(t, source, gates("10m"), options{env: env, args: quiet})
	require.Equal(t, exitOK, r.code, r.output)
	require.True(t, r.shop(t).Gates[0].Held)

	r = anyScript(t, source, gates("10m"), options{env: env})
	require.Equal(t, exitThreshold, r.code, "k6's own threshold: %s", r.output)
	rep := r.shop(t)
	require.Len(t, rep.Gates, 3, "k6's, ours, and that nothing failed")
	require.False(t, rep.Gates[0].Held)
	require.True(t, rep.Gates[1].Held)
}

func TestAnyScriptByStageAndSkip(t *testing.T) {
	t.Parallel()
	const source = `
		import { sleep } from 'k6';
		export const options = { scenarios: { default: {
			executor: 'ramping-vus', startVUs: 2, gracefulRampDown: '0s', stages: [{ duration: '1s', target: 2 }, { duration: '1s', target: 6 }] } } };
		export default function () { sleep(0.02); }`
	rep := anyScript(t, source, "=?by=stage", options{}).shop(t)
	require.Len(t, rep.Steps, 2)
	require.Equal(t, []int{2, 4}, []int{rep.Steps[0].Clients, rep.Steps[1].Clients})
	require.NotEmpty(t, rep.Script.VUs.Active)

	rep = anyScript(t, source, "=?skip=1500ms", options{}).shop(t)
	require.Len(t, rep.Steps, 1)
	require.InDelta(t, 0.5, rep.Steps[0].Window.Seconds, 1e-6)
	require.InDelta(t, rep.metric("iterations"), rep.Steps[0].Ops, 6, "those of the last half second, and of 6 VUs after it")
	require.Equal(t, "1.5s", rep.Params["skip"])
}

func TestAnyScriptThatDropsIterations(t *testing.T) {
	t.Parallel()
	rep := anyScript(t, `
		import { sleep } from 'k6';
		export const options = { scenarios: { late: { executor: 'constant-arrival-rate', rate: 50, duration: '2s', preAllocatedVUs: 1, maxVUs: 1 } } };
		export default function () { sleep(0.1); }`, "", options{}).shop(t)
	require.Len(t, rep.Steps, 1)
	s := &rep.Steps[0]
	require.False(t, s.Complete)
	require.Positive(t, s.Extra.Unstarted)
	require.InDelta(t, 50, s.Rate, 0)
	require.InDelta(t, float64(s.Extra.Unstarted), rep.metric("dropped_iterations"), 0)
}

func TestAnyScriptWithASweep(t *testing.T) {
	t.Parallel()
	r := anyScript(t, `
		import http from 'k6/http';
		import sweep from 'k6/x/sweep';
		export const options = { scenarios: {
			users: { executor: 'per-vu-iterations', vus: 1, iterations: 10 },
			cart: { executor: 'client-sweep', exec: 'swept', clients: [1, 2], iterations: 10, quiet: '0s' },
		} };
		const get = () => http.get(__ENV.SHOP, { tags: { name: 'cart' } });
		export default get;
		export function swept() { sweep.run(get); }
		export const handleSummary = (data) => sweep.report(data);`, "", options{env: map[string]string{"SHOP": shopServer(t)}})
	require.Equal(t, exitOK, r.code, r.output)
	rep := r.shop(t)
	require.Equal(t, []string{"GET cart of users: 10, 0", "iteration of users: 10, 0"}, rep.counts())
	steps := r.report(t, "cart").Steps
	require.Equal(t, []int{10, 20}, []int{steps[0].Ops, steps[1].Ops})

	r = anyScript(t, "", "", options{script: "../examples/smoke.js"})
	require.Equal(t, exitInvalidConfig, r.code, r.output)
	require.Contains(t, r.output, "-o sweep: leave it out: the script is a sweep (smoke), which writes its own report")
	require.NotContains(t, r.output, "running (", "before the test starts")
}

func TestAnyScriptWithOperationsOfItsOwn(t *testing.T) {
	t.Parallel()
	const source = `
		import { sleep } from 'k6';
		import exec from 'k6/execution';
		import http from 'k6/http';
		import sweep from 'k6/x/sweep';
		export const options = {
			scenarios: { default: { executor: 'per-vu-iterations', vus: 4, iterations: 40 } },
			thresholds: { 'sweep_op_failed{op:nap}': ['rate==0'], sweep_op_failed: ['rate<0.5'], 'sweep_op_duration{op:nap}': ['p(95)>=2'] },
		};
		export function setup() {
			sweep.meta({ target: { kind: 'shop' } });
			sweep.op('load', () => {});
		}
		export default async function () {
			if (exec.scenario.iterationInTest === 80) sweep.mark('half of it');
			sweep.op('nap', () => sleep(0.002));
			try {
				sweep.op('break', () => { if (exec.vu.iterationInScenario % 4 === 0) throw new Error('on purpose'); });
			} catch (e) { /* it is counted */ }
			await sweep.op('fetch', () => http.asyncRequest('GET', __ENV.SHOP + '/missing', null, { tags: { name: 'missing' } }));
		}`
	o := options{env: map[string]string{"SHOP": shopServer(t)}}
	r := anyScript(t, source, "", o)
	require.Equal(t, exitOK, r.code, r.output)
	rep := r.shop(t)
	require.Equal(t, []string{
		"GET missing: 0, 160", "break: 120, 40", "fetch: 0, 160", "iteration: 160, 0", "load of (setup): 1, 0", "nap: 160, 0",
	}, rep.counts())
	errors := map[string]map[string]int{}
	for i := range rep.Steps {
		s := &rep.Steps[i]
		errors[s.Op] = s.Extra.Errors
		require.True(t, s.Complete, s.Op)
		if s.Op == "nap" {
			require.Positive(t, s.OpsPerSecond)
			require.GreaterOrEqual(t, s.LatencyMs.P50, 2.0)
			require.GreaterOrEqual(t, s.LatencyMs.P999, s.LatencyMs.P50)
			require.NotEmpty(t, s.OverTime.OpsPerSecond)
		}
	}
	require.Equal(t, map[string]int{"Error: on purpose": 40}, errors["break"])
	require.Equal(t, map[string]int{"http: GET missing answered 404 Not Found": 160}, errors["fetch"])
	require.Equal(t, map[string]any{"kind": "shop"}, rep.Target)
	require.Equal(t, "half of it", rep.Marks[0].Text)
	require.InDelta(t, 200.0/(3*160+1), rep.metric("sweep_op_failed"), 1e-9)

	o.script = userScript(t, "shop.js", source)
	o.env[defaultEnvMachbase] = ""
	plain := k6(t, o)
	require.Equal(t, exitOK, plain.code, plain.output)
	require.NoDirExists(t, plain.results)
	require.Regexp(t, `sweep_op_duration\.+: avg=.* p\(95\)=`, plain.output)
	require.Regexp(t, `sweep_op_failed\.+: 41\.58% +200 out of 481`, plain.output)
	for _, r := range []*run{r, plain} {
		require.Len(t, r.samples(t, "sweep_op_duration"), 3*160+1)
		require.Empty(t, r.samples(t, "sweep_ops"))
	}
}

func TestAnyScriptThroughTheCommands(t *testing.T) {
	t.Parallel()
	url := shopServer(t)
	const source = `
		import http from 'k6/http';
		import { sleep } from 'k6';
		export const options = { vus: 4, iterations: 200 };
		export default function () { http.get(__ENV.SHOP, { tags: { name: 'cart' } }); sleep(0.01); }`
	var parts []string
	for _, segment := range []string{"0:1/2", "1/2:1"} {
		r := anyScript(t, source, "", options{
			env: map[string]string{"SHOP": url}, args: []string{"--execution-segment", segment, "--execution-segment-sequence", "0,1/2,1"},
		})
		require.Equal(t, exitOK, r.code, r.output)
		rep := r.shop(t)
		require.Equal(t, []string{"GET cart: 100, 0", "iteration: 100, 0"}, rep.counts())
		parts = append(parts, filepath.Join(r.results, "shop.json"))
	}
	dir := t.TempDir()
	whole := filepath.Join(dir, "shop.json")
	code, _, errs := sweep(t, append([]string{"merge", "-o", whole}, parts...)...)
	require.Zero(t, code, errs)
	raw, err := os.ReadFile(whole)
	require.NoError(t, err)
	var merged scriptReport
	require.NoError(t, json.Unmarshal(raw, &merged))
	require.Equal(t, []string{"GET cart: 200, 0", "iteration: 200, 0"}, merged.counts())
	require.InDelta(t, 200, merged.metric("http_reqs"), 0)

	// A single run of a scenario is too little for a comparison; its stages are repeats.
	stage := `{ duration: '600ms', target: 2 }`
	r := anyScript(t, strings.Replace(source, "vus: 4, iterations: 200", "scenarios: { default: { executor: 'ramping-vus', startVUs: 2, stages: ["+
		strings.Repeat(stage+",", 4)+"] } }", 1), "=?by=stage", options{env: map[string]string{"SHOP": url}})
	require.Equal(t, exitOK, r.code, r.output)
	one := filepath.Join(r.results, "shop.json")
	held := userScript(t, "held.json", `{ "scenario": "shop", "absolute": [ { "op": "GET cart", "p90": "10m" } ] }`)
	crossed := userScript(t, "crossed.json", `{ "scenario": "shop", "absolute": [ { "op": "GET cart", "p90": "1us" } ] }`)
	for _, tt := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"validate", one}, exitOK, ""},
		{[]string{"report", one}, exitOK, "GET cart"},
		{[]string{"compare", parts[0], parts[0]}, exitMarkedFailed, "too few repeats to judge"},
		{[]string{"gate", one, held}, exitOK, ""},
		{[]string{"gate", one, crossed}, exitThreshold, "GET cart"},
		{[]string{"record", one, "--disturbed", "-o", filepath.Join(dir, "baseline.json")}, exitOK, ""},
		{[]string{"history", "add", one, "--dir", filepath.Join(dir, "history"), "--commit", "c1", "--time", "2026-03-01T12:00:00Z"}, exitOK, "shop at c1, 2 steps"},
	} {
		code, out, errs := sweep(t, tt.args...)
		require.Equal(t, tt.code, code, "%v: %s", tt.args, out+errs)
		require.Contains(t, out+errs, tt.says, "%v", tt.args)
	}
	_, out, errs := sweep(t, "compare", one, one) // noise between the repeats depends on the machine
	require.Regexp(t, `(?m)^GET cart, 2 clients .*\(p=1\.000 n=4\)`, out, errs)
}

func TestAnyScriptInTurns(t *testing.T) {
	t.Parallel()
	for load, figure := range map[string]string{
		`vus: 8, duration: '1s'`: "opsPerSecond",
		`scenarios: { even: { executor: 'constant-arrival-rate', rate: 80, duration: '1s', preAllocatedVUs: 50 } }`: "p50",
	} {
		path := userScript(t, "shop.js", `
			import http from 'k6/http';
			import { sleep } from 'k6';
			export const options = { `+load+` };
			export function setup() { http.get(__ENV.SHOP); }
			export default function () { http.get(__ENV.SHOP + '/cart'); sleep(__ENV.NAP); }`)
		naps := func(seconds string) []string { // from separate servers, which differ only in their host
			return []string{withoutRace(t), "run", "--quiet", "-o", "sweep", "-e", "SHOP=" + shopServer(t), "-e", "NAP=" + seconds, path}
		}
		var trial struct {
			Figures []struct {
				Step, Figure, Gate, Outcome string
				Ratio                       float64
			}
		}
		args := append([]string{"ab", "--pairs", "5", "--json", "--"}, naps("0.1")...)
		code, out, errs := sweep(t, append(append(args, "---"), naps("0.5")...)...)
		require.Equal(t, exitThreshold, code, errs)
		require.NoError(t, json.Unmarshal([]byte(out), &trial), out)
		ratios := map[string]float64{}
		for _, f := range trial.Figures {
			if f.Gate != "" {
				require.Equal(t, figure, f.Figure)
				require.False(t, f.Outcome == "held" && strings.HasPrefix(f.Step, "iteration"))
				ratios[strings.Split(f.Step, ",")[0]] = f.Ratio
			}
		}
		require.Len(t, ratios, 2, "not what setup does: %v", ratios)
		require.Contains(t, ratios, "GET /cart")
		slower := ratios["iteration"]
		if figure == "opsPerSecond" {
			slower = 1 / slower
		}
		require.Greater(t, slower, 2.0)
	}
}

func TestAnyScriptIsUnchanged(t *testing.T) {
	t.Parallel()
	path := userScript(t, "shop.js", `
		import { check, group } from 'k6';
		import { Counter } from 'k6/metrics';
		const sold = new Counter('sold');
		export const options = { iterations: 5, thresholds: { sold: ['count<3'] } };
		export default function () { group('g', () => check(__ITER, { even: (n) => n % 2 === 0 })); sold.add(1); }
		export const handleSummary = (data) => {
			for (const m of Object.values(data.metrics)) if (m.type === 'trend' || m.contains === 'data' || 'rate' in m.values) delete m.values;
			delete data.state.testRunDurationMs;
			return { stdout: JSON.stringify(data) };
		};`)
	results := t.TempDir()
	var outs []string
	for _, extra := range [][]string{nil, {"-o", "sweep=" + results}} {
		cmd := exec.CommandContext(t.Context(), binary(t, "k6-race"), append(append([]string{"run", "--quiet"}, extra...), path)...)
		cmd.Env = append(os.Environ(), "K6_AUTO_EXTENSION_RESOLUTION=false", "K6_NO_USAGE_REPORT=true")
		out, err := cmd.Output()
		require.Error(t, err)
		require.Equal(t, exitThreshold, cmd.ProcessState.ExitCode())
		summary, _, _ := strings.Cut(string(out), "\n")
		outs = append(outs, summary)
	}
	require.JSONEq(t, outs[0], outs[1][:strings.LastIndex(outs[1], "}")+1])
	require.FileExists(t, filepath.Join(results, "shop.json"))
}
