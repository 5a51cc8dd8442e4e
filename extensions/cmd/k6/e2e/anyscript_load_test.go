package e2e

import (
	"encoding/json"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnyScriptByStageOfARate(t *testing.T) {
	t.Parallel()
	r := anyScript(t, `
		import http from 'k6/http';
		export const options = { scenarios: { ramp: { executor: 'ramping-arrival-rate', startRate: 20, preAllocatedVUs: 20, stages: [
			{ duration: '1s', target: 20 }, { duration: '1s', target: 60 }, { duration: '0s', target: 20 }, { duration: '1s', target: 20 } ] } } };
		export default function () { http.get(__ENV.SHOP, { tags: { name: 'cart' } }); }`, "=?by=stage", options{env: map[string]string{"SHOP": shopServer(t)}})
	require.Equal(t, exitOK, r.code, r.output)
	rep := r.shop(t)
	total := 0
	for i, want := range []struct {
		op     string
		rate   float64
		repeat int
	}{{"GET cart", 20, 1}, {"iteration", 20, 1}, {"GET cart", 40, 1}, {"iteration", 40, 1}, {"GET cart", 20, 2}, {"iteration", 20, 2}} {
		s := &rep.Steps[i]
		require.Equal(t, want.op, s.Op)
		require.InDelta(t, want.rate, s.Rate, 0)
		require.Equal(t, want.repeat, s.Repeat)
		require.Equal(t, 20, s.Clients)
		require.Equal(t, "ramp", s.Variant)
		if s.Op == "GET cart" {
			require.InDelta(t, want.rate, s.Ops, want.rate/2, "in a second")
			total += s.Ops
		}
	}
	require.Len(t, rep.Steps, 6)
	require.InDelta(t, rep.metric("http_reqs"), total, 0)
}

func TestAnyScriptEndsInsideARequest(t *testing.T) {
	t.Parallel()
	r := anyScript(t, `
		import http from 'k6/http';
		export const options = { scenarios: { default: { executor: 'constant-vus', vus: 2, duration: '1s', gracefulStop: '0s' } } };
		export default function () {
			for (let i = 0; i < 10; i++) http.get(__ENV.SHOP, { tags: { name: 'cart' } });
			http.get(__ENV.SHOP + '/never', { tags: { name: 'never' } });
		}`, "", options{env: map[string]string{"SHOP": shopServer(t)}})
	require.Equal(t, exitOK, r.code, r.output)
	rep := r.shop(t)
	require.Equal(t, []string{"GET cart: 20, 0"}, rep.counts())
	require.True(t, rep.Steps[0].Complete)
	require.False(t, rep.Interrupted)
}

func TestAnyScriptIsAborted(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		thresholds, aborts string
		code               int
	}{
		{`{}`, "if (__ITER == 9) exec.test.abort('enough');", exitAborted},
		{`{ checks: [{ threshold: 'rate==1', abortOnFail: true }] }`, "check(__ITER, { few: (n) => n < 9 });", exitThreshold},
	} {
		r := anyScript(t, `
			import exec from 'k6/execution';
			import { check, sleep } from 'k6';
			export const options = { vus: 1, duration: '10m', thresholds: `+tt.thresholds+` };
			export default function () { sleep(0.01); `+tt.aborts+` }`, "", options{})
		require.Equal(t, tt.code, r.code, r.output)
		rep := r.shop(t)
		require.True(t, rep.Interrupted)
		require.Len(t, rep.Steps, 1)
		require.False(t, rep.Steps[0].Complete)
		require.GreaterOrEqual(t, rep.Steps[0].Ops, 9)
	}
}

func TestAnyScriptInSeveralProcesses(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	counted := map[string]int{}
	url, _ := httpServer(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		counted[r.Method+" "+r.URL.Path]++
		if r.URL.Path == "/sold-out" {
			w.WriteHeader(http.StatusConflict)
		}
	})
	path := userScript(t, "shop.js", `
		import http from 'k6/http';
		import { check, sleep } from 'k6';
		import { Counter } from 'k6/metrics';
		const sold = new Counter('sold');
		export const options = { scenarios: {
			browse: { executor: 'constant-vus', vus: 4, duration: '2s' },
			buy: { executor: 'constant-arrival-rate', rate: 40, duration: '2s', preAllocatedVUs: 10, exec: 'buy' } } };
		export default function () {
			check(http.get(__ENV.SHOP + '/cart', { tags: { name: 'cart' } }), { even: () => __ITER % 2 == 0 });
			sleep(0.01);
		}
		export function buy() {
			http.post(__ENV.SHOP + '/buy', null, { tags: { name: 'buy' } });
			http.get(__ENV.SHOP + '/sold-out', { tags: { name: 'sold-out' } });
			sold.add(2);
		}`)
	gates := userScript(t, "gates.json", `{ "scenario": "shop", "absolute": [ { "op": "GET cart", "p90": "10m" } ] }`)
	r := distributed(t, nil, "--parts", "2", "--", path, "-e", "SHOP="+url, "-e", "GATES="+gates, "-o", "sweep")
	require.Equal(t, exitThreshold, r.code, "an operation failed, which no gates let pass: %s", r.output)
	require.NotContains(t, r.output, "PORTABLE")
	rep := r.shop(t)
	got := map[string]int{}
	for i := range rep.Steps {
		s := &rep.Steps[i]
		got[s.Op] += s.Ops + s.Failed
	}
	browsed, bought := counted["GET /cart"], counted["POST /buy"]
	require.Equal(t, map[string]int{"GET cart": browsed, "POST buy": bought, "GET sold-out": counted["GET /sold-out"], "iteration": browsed + bought}, got)
	require.InDelta(t, float64(2*counted["POST /buy"]), rep.metric("sold"), 0)
}

func TestAnyScriptPercentiles(t *testing.T) {
	t.Parallel()
	const source = `
		import { Trend } from 'k6/metrics';
		const constant = new Trend('constant', true), skewed = new Trend('skewed', true), bimodal = new Trend('bimodal', true);
		export const options = { vus: 2, iterations: 2 };
		export default function () {
			for (let i = 0; i < 4000; i++) {
				constant.add(12.345678);
				skewed.add(Math.exp(1.5 * Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random())));
				bimodal.add(Math.random() < 0.1 ? 80 + Math.random() : 2 + Math.random() / 10);
			}
		}`
	var parts []string
	all := map[string][]float64{}
	exact := func(rep scriptReport, of map[string][]float64) {
		for op, durations := range of {
			i := slices.IndexFunc(rep.Steps, func(s stepOfScript) bool { return s.Op == op })
			slices.Sort(durations)
			got, at := rep.Steps[i].LatencyMs, func(q float64) float64 { return durations[int(math.Ceil(q*float64(len(durations))))-1] }
			require.Equal(t, len(durations), rep.Steps[i].Ops)
			require.InEpsilon(t, at(0.5), got.P50, 0.001, op)
			require.InEpsilon(t, at(0.99), got.P99, 0.001, op)
			require.InEpsilon(t, at(1), got.Max, 0.001, op)
		}
	}
	for _, segment := range []string{"0:1/2", "1/2:1"} {
		r := anyScript(t, source, "", options{args: []string{"--execution-segment", segment, "--execution-segment-sequence", "0,1/2,1"}})
		require.Equal(t, exitOK, r.code, r.output)
		own := map[string][]float64{}
		for _, op := range []string{"constant", "skewed", "bimodal"} {
			for _, p := range r.samples(t, op) {
				own[op] = append(own[op], p.Data.Value)
			}
			require.Len(t, own[op], 4000)
			all[op] = append(all[op], own[op]...)
		}
		exact(r.shop(t), own)
		parts = append(parts, filepath.Join(r.results, "shop.json"))
	}
	whole := &run{results: t.TempDir()}
	code, _, errs := sweep(t, append([]string{"merge", "-o", filepath.Join(whole.results, "shop.json")}, parts...)...)
	require.Zero(t, code, errs)
	raw, err := os.ReadFile(filepath.Join(whole.results, "shop.json"))
	require.NoError(t, err)
	var merged scriptReport
	require.NoError(t, json.Unmarshal(raw, &merged))
	exact(merged, all)
}

// With k6's browser, its requests and page metrics are operations.
func TestAnyScriptOfABrowser(t *testing.T) {
	t.Parallel()
	path, err := exec.Command(filepath.Join(root, "scripts/browser.sh")).Output()
	require.NoError(t, err, "scripts/browser.sh says why")
	url, _ := httpServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)

			return
		}
		_, _ = w.Write([]byte(`<html><head><link rel="icon" href="data:,"></head><body><h1>A shop</h1><img src="/missing"></body></html>`))
	})
	r := anyScript(t, `
		import { browser } from 'k6/browser';
		export const options = { scenarios: { visit: { executor: 'shared-iterations', iterations: 2, options: { browser: { type: 'chromium' } } } } };
		export default async function () {
			const page = await browser.newPage();
			try { await page.goto(__ENV.SHOP + '/', { waitUntil: 'load' }); } finally { await page.close(); }
		}`, "", options{env: map[string]string{"SHOP": url}, environment: []string{
		"K6_BROWSER_EXECUTABLE_PATH=" + strings.TrimSpace(string(path)), "K6_BROWSER_ARGS=no-sandbox", "K6_BROWSER_HEADLESS=true",
	}})
	require.Equal(t, exitOK, r.code, r.output)
	rep := r.shop(t)
	counts := rep.counts()
	for op, want := range map[string]string{
		"browser GET " + url + "/": "2, 0", "browser GET " + url + "/missing": "0, 2", "page ttfb " + url + "/": "2, 0", "iteration": "2, 0",
	} {
		require.Contains(t, counts, op+" of visit: "+want)
	}
}

func TestAnyScriptOfK6sExamples(t *testing.T) {
	t.Parallel()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "go.k6.io/k6/v2").Output()
	require.NoError(t, err)
	examples := filepath.Join(strings.TrimSpace(string(dir)), "examples")
	for _, name := range []string{
		"base64", "crypto", "jwt", "logging", "timers", "source_map/issue_1804/main", "experimental/csv-parse", "experimental/csv-parser",
		"experimental/fs/fs", "secrets/secrets.test", "webcrypto/digest", "webcrypto/sign_verify/sign-verify-ecdsa",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			results := t.TempDir()
			without, with := endOf(t, examples, name), endOf(t, examples, name, "-o", "sweep="+results)
			require.Contains(t, without.Metrics, "iterations")
			require.Equal(t, without, with)
			require.FileExists(t, filepath.Join(results, filepath.Base(name)+".json"))
		})
	}
}

// end is the exit code and summary of a run. Durations and logged bytes are not compared.
type end struct {
	code    int
	Metrics map[string]map[string]any
	Root    map[string]any `json:"root_group"`
}

func endOf(t *testing.T, examples, name string, args ...string) (e end) {
	t.Helper()
	summary := filepath.Join(t.TempDir(), "summary.json")
	args = append([]string{"run", "--quiet", "--no-color", "--summary-export", summary}, args...)
	if strings.HasPrefix(name, "secrets/") {
		args = append(args, "--secret-source", "file="+filepath.Join(examples, "secrets/file.secret"))
	}
	cmd := exec.CommandContext(t.Context(), binary(t, "k6-race"), append(args, filepath.Join(examples, name+".js"))...)
	cmd.Env = append(os.Environ(), "K6_AUTO_EXTENSION_RESOLUTION=false", "K6_NO_USAGE_REPORT=true")
	out, _ := cmd.CombinedOutput() // the exit code is compared
	e.code = cmd.ProcessState.ExitCode()
	raw, err := os.ReadFile(summary)
	require.NoError(t, err, "%s", out)
	require.NoError(t, json.Unmarshal(raw, &e))
	for name, values := range e.Metrics {
		for value := range values {
			if name != "checks" && (name != "iterations" || value != "count") {
				values[value] = nil
			}
		}
	}

	return e
}
