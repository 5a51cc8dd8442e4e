package output

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus"
	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/lib/fsext"
	"go.k6.io/k6/v2/metrics"
	"go.k6.io/k6/v2/output"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

type run struct {
	*Output

	t        *testing.T
	registry *metrics.Registry
	builtin  *metrics.BuiltinMetrics
	began    time.Time
}

// newRun starts a test with a script's options and the output's argument.
func newRun(t *testing.T, argument, options string) *run {
	t.Helper()
	params := paramsOf(t, argument, options)
	o, err := newOutput(params)
	require.NoError(t, err)
	r := &run{Output: o, t: t, registry: metrics.NewRegistry(), began: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	r.builtin = metrics.RegisterBuiltinMetrics(r.registry)
	r.SetBuiltinMetrics(r.builtin)
	r.testStart.Store(r.began.UnixNano())

	return r
}

func paramsOf(t *testing.T, argument, options string) output.Params {
	t.Helper()
	var opts lib.Options
	require.NoError(t, json.Unmarshal([]byte(options), &opts))
	if opts.ExecutionSegment == nil {
		whole, err := lib.NewExecutionSegmentFromString("0:1")
		require.NoError(t, err)
		opts.ExecutionSegment = whole
	}
	logger := logrus.New()
	logger.SetOutput(t.Output())

	return output.Params{
		ConfigArgument: argument, Logger: logger, FS: fsext.NewMemMapFs(), ScriptPath: &url.URL{Path: "/home/me/shop.ts"}, ScriptOptions: opts,
	}
}

func (r *run) tagged(pairs ...string) *metrics.TagSet {
	tags := r.registry.RootTagSet()
	for pair := range slices.Chunk(pairs, 2) {
		tags = tags.With(pair[0], pair[1])
	}

	return tags
}

func (r *run) add(metric *metrics.Metric, at time.Duration, value float64, tags ...string) {
	r.AddMetricSamples([]metrics.SampleContainer{metrics.Sample{
		TimeSeries: metrics.TimeSeries{Metric: metric, Tags: r.tagged(tags...)}, Time: r.began.Add(at), Value: value,
	}})
}

// request sends the samples of a request together, as k6 does.
func (r *run) request(at, took time.Duration, failed bool, tags ...string) {
	set, time := r.tagged(append(tags, "method", "GET", "status", map[bool]string{false: "200", true: "503"}[failed])...), r.began.Add(at)
	value := map[bool]float64{true: 1}[failed]
	var samples []metrics.Sample
	for metric, value := range map[*metrics.Metric]float64{
		r.builtin.HTTPReqs: 1, r.builtin.HTTPReqDuration: metrics.D(took), r.builtin.HTTPReqWaiting: metrics.D(took), r.builtin.HTTPReqFailed: value,
	} {
		samples = append(samples, metrics.Sample{TimeSeries: metrics.TimeSeries{Metric: metric, Tags: set}, Time: time, Value: value})
	}
	r.AddMetricSamples([]metrics.SampleContainer{metrics.ConnectedSamples{Samples: samples, Tags: set, Time: time}})
}

// end returns the report, written and read again.
func (r *run) end() *report.Report { return r.endsWith(false) }

func (r *run) endsWith(interrupted bool) *report.Report {
	r.t.Helper()
	made := r.report(interrupted)
	raw, err := made.JSON()
	require.NoError(r.t, err)
	read, err := report.Read(raw)
	require.NoError(r.t, err)

	return read
}

func names(r *report.Report) (all []string) {
	for i := range r.Steps {
		s := &r.Steps[i]
		all = append(all, fmt.Sprintf("%s: %d ok, %d failed", s.Key().Name(), s.Operations, s.Failed))
	}

	return all
}

const oneScenario = `{ "scenarios": { "default": { "executor": "constant-vus", "vus": 4, "duration": "10s" } } }`

func TestEachKindOfOperation(t *testing.T) {
	r := newRun(t, "", oneScenario)
	own := func(name string, kind metrics.MetricType, of ...metrics.ValueType) *metrics.Metric {
		return r.registry.MustNewMetric(name, kind, of...)
	}
	scenario := []string{"scenario", "default"}
	with := func(tags ...string) []string { return slices.Concat(scenario, tags) }
	at := func(i int) time.Duration { return time.Duration(i) * time.Second }
	r.request(at(1), 5*time.Millisecond, false, with("name", "http://shop/cart")...)
	r.request(at(2), 7*time.Millisecond, true, with("name", "http://shop/cart")...)
	r.add(r.builtin.GRPCReqDuration, at(3), 3, with("name", "/shop.Cart/Add", "status", "0")...)
	r.add(r.builtin.GRPCReqDuration, at(3), 3, with("name", "/shop.Cart/Add", "status", "14")...)
	r.add(r.builtin.WSSessions, at(4), 1, with("name", "ws://shop/live", "status", "101")...)
	r.add(r.builtin.WSSessionDuration, at(4), 1500, with("name", "ws://shop/live", "status", "101")...)
	r.add(r.builtin.WSSessions, at(4), 1, with("name", "ws://shop/live", "status", "403")...)
	r.add(r.builtin.WSSessionDuration, at(4), 2, with("name", "ws://shop/live", "status", "403")...)
	r.add(r.builtin.IterationDuration, at(5), 900, scenario...)
	r.add(r.builtin.Iterations, at(5), 1, scenario...)
	r.add(r.builtin.GroupDuration, at(5), 800, with("group", "::cart::add")...)
	memcached := own("memcached_op_duration", metrics.Trend, metrics.Time)
	r.add(memcached, at(6), 0.1, with("op", "get", "outcome", "ok")...)
	r.add(memcached, at(6), 0.1, with("op", "get", "outcome", "timeout")...)
	r.add(memcached, at(6), 0.1, with("op", "get", "outcome", "cancelled")...)
	r.add(own("browser_web_vital_lcp", metrics.Trend, metrics.Time), at(6), 300, with("name", "http://shop/")...)
	browser := own("browser_http_req_duration", metrics.Trend, metrics.Time)
	r.add(browser, at(6), 300, with("name", "http://shop/", "method", "GET", "status", "200")...)
	r.add(browser, at(6), 300, with("name", "http://shop/", "method", "GET", "status", "404")...)
	r.add(own("checkout", metrics.Trend, metrics.Time), at(7), 40, scenario...)
	r.add(own("bytes", metrics.Trend), at(7), 40e6, scenario...)
	r.add(own("items", metrics.Trend), at(7), 40, scenario...)
	r.add(own("sold", metrics.Counter), at(7), 3, scenario...)
	r.add(r.builtin.Checks, at(7), 1, with("check", "it is sold")...)
	r.add(r.builtin.Checks, at(8), 0, with("check", "it is sold")...)
	r.add(own("queue", metrics.Gauge), at(7), 9, scenario...)
	r.add(own("queue", metrics.Gauge), at(8), 5, scenario...)
	r.add(own("sweep_p99", metrics.Gauge), at(8), 5, scenario...)
	for i := range 10 {
		r.add(r.builtin.VUs, at(i), float64(i))
	}

	made := r.end()
	require.Equal(t, []string{
		"GET http://shop/cart, 4 clients: 1 ok, 1 failed",
		"browser GET http://shop/, 4 clients: 1 ok, 1 failed",
		"checkout, 4 clients: 1 ok, 0 failed",
		"group cart/add, 4 clients: 1 ok, 0 failed",
		"grpc shop.Cart/Add, 4 clients: 1 ok, 1 failed",
		"iteration, 4 clients: 1 ok, 0 failed",
		"memcached get, 4 clients: 1 ok, 1 failed",
		"page lcp http://shop/, 4 clients: 1 ok, 0 failed",
		"ws ws://shop/live, 4 clients: 1 ok, 1 failed",
	}, names(made))
	require.Equal(t, map[string]uint64{"http: GET answered 503 Service Unavailable": 1}, made.Steps[0].Extra.Errors)
	require.InDelta(t, 5, made.Steps[0].Latency.P50, 0)
	require.InDelta(t, 7, made.Steps[0].FailedLatency.Max, 0)
	require.InDelta(t, 0.1, made.Steps[0].OpsPerSecond, 1e-9, "in ten seconds")
	require.Equal(t, map[string]uint64{"grpc: shop.Cart/Add answered UNAVAILABLE": 1}, made.Steps[4].Extra.Errors)
	require.Nil(t, made.Steps[8].FailedLatency, "a handshake that failed is no session")

	values := map[string]float64{}
	for _, m := range made.Script.Metrics {
		values[m.Kind+" "+m.Name] = m.Value
	}
	require.Equal(t, map[string]float64{
		"rate checks": 0.5, "rate checks{it is sold}": 0.5, "counter http_reqs": 2, "rate http_req_failed": 0.5, "counter iterations": 1,
		"counter ws_sessions": 2, "counter sold": 3, "gauge queue": 5, "trend items": 40, "trend bytes": 40e6,
	}, values)
	require.Equal(t, []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, made.Script.VUs.Active)
}

// Percentiles of the report are exact to a thousandth.
func TestPercentiles(t *testing.T) {
	for name, shape := range map[string]func(*rand.Rand) float64{
		"constant": func(*rand.Rand) float64 { return 12.345678 },
		"skewed":   func(r *rand.Rand) float64 { return math.Exp(1.5 * r.NormFloat64()) },
		"bimodal": func(r *rand.Rand) float64 {
			if r.IntN(10) == 0 {
				return 80 + r.Float64()
			}

			return 2 + r.Float64()/10
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, random := newRun(t, "", oneScenario), rand.New(rand.NewPCG(1, 2))
			var exact []float64
			for i := range 20_000 {
				took := shape(random)
				exact = append(exact, took)
				r.add(r.builtin.IterationDuration, time.Duration(i)*400*time.Microsecond, took, "scenario", "default")
			}
			slices.Sort(exact)
			s := r.end().Steps[0]
			for q, got := range map[float64]float64{
				0.5: s.Latency.P50, 0.9: s.Latency.P90, 0.95: s.Latency.P95, 0.99: s.Latency.P99, 0.999: s.Latency.P999, 1: s.Latency.Max,
			} {
				require.InEpsilon(t, exact[int(math.Ceil(q*20_000))-1], got, 0.001, "%g", q)
			}
		})
	}
}

func TestStagesAreSteps(t *testing.T) {
	r := newRun(t, "?by=stage", `{ "scenarios": {
		"ramp": { "executor": "ramping-vus", "startVUs": 0, "stages": [
			{ "duration": "10s", "target": 10 }, { "duration": "0s", "target": 20 }, { "duration": "10s", "target": 20 }, { "duration": "10s", "target": 0 } ] },
		"rate": { "executor": "ramping-arrival-rate", "startTime": "30s", "startRate": 60, "timeUnit": "1m", "preAllocatedVUs": 5, "maxVUs": 50,
			"stages": [ { "duration": "10s", "target": 180 }, { "duration": "10s", "target": 180 } ] } } }`)
	for i := range 60 {
		scenario := "ramp"
		if i > 30 {
			scenario = "rate"
		}
		r.add(r.builtin.IterationDuration, time.Duration(i)*time.Second+1, 1, "scenario", scenario)
	}
	r.add(r.builtin.DroppedIterations, 35*time.Second, 7, "scenario", "rate")
	made := r.end()
	require.Equal(t, []string{
		"iteration, 5 clients of ramp: 10 ok, 0 failed",
		"iteration, 20 clients of ramp: 10 ok, 0 failed",
		"iteration, 10 clients of ramp: 11 ok, 0 failed",
		"iteration, 50 clients of rate at 2/s: 9 ok, 0 failed",
		"iteration, 50 clients of rate at 3/s: 20 ok, 0 failed",
	}, names(made))
	require.InDelta(t, 1, made.Steps[0].OpsPerSecond, 0.001)
	require.Equal(t, r.began.Add(10*time.Second), made.Steps[1].Started)
	require.False(t, made.Steps[3].Complete)
	require.Equal(t, "7 operations that were due were never started", made.Steps[3].Incomplete())
	require.True(t, made.Steps[4].Complete)
}

func TestSkipAndSetup(t *testing.T) {
	r := newRun(t, "?skip=4s", oneScenario)
	r.request(2*time.Second, 500*time.Millisecond, false, "group", "::setup", "name", "http://shop/login")
	r.add(r.builtin.DataSent, 3*time.Second, 10, "group", "::setup")
	for i := range 10 {
		r.add(r.builtin.IterationDuration, time.Duration(4+i)*time.Second, 1000, "scenario", "default")
	}
	r.request(14*time.Second, time.Second, false, "group", "::teardown", "name", "http://shop/logout")
	made := r.end()
	require.Equal(t, []string{
		"GET http://shop/login, 1 client of (setup): 1 ok, 0 failed",
		"iteration, 4 clients: 7 ok, 0 failed",
		"GET http://shop/logout, 1 client of (teardown): 1 ok, 0 failed",
	}, names(made))
	s := made.Steps[1]
	require.Equal(t, r.began.Add(7*time.Second), s.Started, "three seconds of setup, and four that are left out")
	require.InDelta(t, 6, s.Window.Seconds, 1e-9)
	require.InDelta(t, 0.5, made.Steps[0].Seconds, 1e-9)
}

func TestWhatIsIncomplete(t *testing.T) {
	options := `{ "scenarios": {
		"shared": { "executor": "shared-iterations", "vus": 2, "iterations": 10 },
		"each": { "executor": "per-vu-iterations", "vus": 2, "iterations": 5 } } }`
	for _, tt := range []struct {
		shared, each int
		interrupted  bool
		complete     []bool
	}{
		{10, 10, false, []bool{true, true}},
		{10, 9, true, []bool{false, true}},
		{9, 10, true, []bool{true, false}},
	} {
		r := newRun(t, "", options)
		for scenario, n := range map[string]int{"shared": tt.shared, "each": tt.each} {
			for i := range n {
				r.add(r.builtin.IterationDuration, time.Duration(i)*time.Second, 1, "scenario", scenario)
				r.add(r.builtin.Iterations, time.Duration(i)*time.Second, 1, "scenario", scenario)
			}
		}
		made := r.endsWith(tt.interrupted)
		require.Equal(t, []string{"each", "shared"}, []string{made.Steps[0].Variant, made.Steps[1].Variant})
		require.Equal(t, tt.complete, []bool{made.Steps[0].Complete, made.Steps[1].Complete})
		require.Equal(t, tt.interrupted, made.Interrupted)
	}

	r := newRun(t, "", oneScenario)
	for i := range 20 {
		r.add(r.builtin.IterationDuration, time.Duration(i)*100*time.Millisecond, 1, "scenario", "default")
	}
	s := r.endsWith(true).Steps[0]
	require.False(t, s.Complete)
	require.InDelta(t, 1.9, s.Window.Seconds, 1e-9, "as far as it has come")
}

func TestMergeOfSegments(t *testing.T) {
	segment := func(text string) string {
		sequence := "0,1"
		if text != "0:1" {
			sequence = "0,1/3,1"
		}

		return `{ "executionSegment": "` + text + `", "executionSegmentSequence": "` + sequence + `", "scenarios": {
			"ramp": { "executor": "ramping-vus", "stages": [ { "duration": "10s", "target": 9 }, { "duration": "10s", "target": 9 } ] },
			"few": { "executor": "per-vu-iterations", "vus": 1, "iterations": 3 } } }`
	}
	const argument = "?by=stage"
	whole, first, second := newRun(t, argument, segment("0:1")), newRun(t, argument, segment("0:1/3")), newRun(t, argument, segment("1/3:1"))
	random := rand.New(rand.NewPCG(5, 6))
	for i := range 1000 {
		at, took := time.Duration(i)*20*time.Millisecond, time.Duration(1+random.IntN(50))*time.Millisecond
		for _, r := range []*run{whole, []*run{first, second, second}[i%3]} {
			r.request(at, took, i%50 == 0, "scenario", "ramp", "name", fmt.Sprintf("http://shop/%d", i%3))
			r.add(r.builtin.Checks, at, float64(i%2), "scenario", "ramp", "check", "even")
			if i%333 == 0 {
				r.add(r.builtin.VUs, at, map[bool]float64{true: 9, false: 4.5}[r == whole])
			}
		}
	}
	for i := range 3 { // steps of one segment only
		for _, r := range []*run{whole, second} {
			r.add(r.builtin.IterationDuration, time.Duration(1+i)*time.Second, 5, "scenario", "few")
			r.add(r.builtin.Iterations, time.Duration(1+i)*time.Second, 1, "scenario", "few")
		}
	}
	want := whole.end()
	got, _, err := report.Merge(first.end(), second.end())
	require.NoError(t, err)
	require.Equal(t, names(want), names(got))
	for i := range want.Steps {
		w, g := &want.Steps[i], &got.Steps[i]
		require.Equal(t, w.Latency, g.Latency, w.Op)
		require.Equal(t, w.Histogram, g.Histogram)
		require.Equal(t, w.Extra, g.Extra)
		require.Equal(t, w.Complete, g.Complete, w.Op)
		require.InEpsilon(t, w.OpsPerSecond, g.OpsPerSecond, 0.001, "%s", w.Op)
	}
	require.Equal(t, want.Script.Metrics, got.Script.Metrics)
}

// Only the first addresses have steps, so memory is limited. TestSettings has the default of 2,000.
func TestTooManyOperations(t *testing.T) {
	const most, kinds = 200, 1000
	r := newRun(t, fmt.Sprintf("?series=%d", most), oneScenario)
	before := heap()
	for i := range kinds + most {
		name := fmt.Sprintf("http://shop/%d", i%kinds)
		r.request(time.Duration(i)*8*time.Millisecond, time.Duration(1+i%977)*time.Millisecond, false, "scenario", "default", "name", name)
	}
	r.weigh()
	grown := heap() - before
	r.registry = metrics.NewRegistry() // its tags, and their memory, belong to k6
	require.Less(t, grown, 6<<20)
	made := r.end()
	require.Len(t, made.Steps, most+1)
	require.Equal(t, most, made.Script.MostOps)
	other := made.Steps[0]
	require.Equal(t, report.OtherOp, other.Op)
	require.EqualValues(t, kinds-most, other.Operations)
	require.Contains(t, made.Markdown(), "There were more than 200 kinds of operations: the others are counted as (other).")
}

// A series needs more memory for more different durations; the rarest are merged.
func TestMemoryIsBoundedWhateverTheDurations(t *testing.T) {
	r := newRun(t, "", oneScenario)
	r.mostBytes = 4 << 20
	random := rand.New(rand.NewPCG(7, 8))
	for i := range 24 {
		tags := []string{"scenario", "default", "name", fmt.Sprintf("http://shop/%d", i)}
		for range 3000 + i {
			r.add(r.builtin.HTTPReqDuration, time.Second, math.Exp(random.Float64()*20)/1000, tags...)
		}
		if i%4 != 3 {
			continue
		}
		r.weigh()
		bytes := 0
		for _, s := range r.plan.scenarios["default"].steps[0].series {
			bytes += s.Bytes()
		}
		require.LessOrEqual(t, bytes, r.mostBytes)
	}
	made := r.end()
	var all int64
	for _, s := range made.Steps {
		all += s.Operations
	}
	require.EqualValues(t, 24*3000+23*24/2, all, "none is lost")
	require.Equal(t, report.OtherOp, made.Steps[0].Op)
}

func heap() int {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)

	return int(stats.HeapAlloc)
}

func TestSettings(t *testing.T) {
	gates := filepath.Join(t.TempDir(), "gates.json")
	require.NoError(t, os.WriteFile(gates, []byte(`{ "scenario": "shop", "absolute": [ { "op": "iteration", "p99": "5ms" } ] }`), 0o600))
	c, err := newConfig(paramsOf(t, "out/of?name=other&skip=1m30s&by=stage&series=7", oneScenario))
	require.NoError(t, err)
	require.Equal(t, Config{Dir: "out/of", Name: "other", Skip: 90 * time.Second, ByStage: true, MostOps: 7}, c)
	c, err = newConfig(paramsOf(t, "", oneScenario))
	require.NoError(t, err)
	require.Equal(t, Config{Dir: "results", Name: "shop", MostOps: 2000}, c)
	c, err = newConfig(paramsOf(t, "?gates="+gates, oneScenario))
	require.NoError(t, err)
	require.Equal(t, "shop", c.Gates.Scenario)

	for argument, why := range map[string]string{
		"?skp=1s":                           `unknown setting "skp": it must be one of by, gates, name, series, skip; did you mean skip?`,
		"?skip=10":                          `skip: "10" is no time: it must be such as 10s or 1m30s`,
		"?skip=-1s":                         `skip: "-1s" is no time: it must be such as 10s or 1m30s`,
		"?skip=10s":                         "skip: 10s leaves nothing of the scenario default, which takes 10s",
		"?by=vus":                           `by: "vus" is nothing that steps can be by: it must be stage`,
		"?series=2001":                      `series: "2001" is impossible: it must be a number from 1 to 2000`,
		"?name=a/b":                         `name: "a/b" cannot be the name of a report: it must be the beginning of a file's name, such as login`,
		"?name=" + strings.Repeat("x", 201): "the name of the report must have at most 200 bytes, but has 201: give another by name=",
		"?skip=1s&skip=2s":                  "skip is given more than once",
		"?gates=none.json":                  "gates: open none.json: no such file or directory",
		"?%zz":                              `"%zz" cannot be read: it must be such as results?skip=10s&by=stage`,
		"?name=x&gates=" + gates:            `gates: they are of scenario "shop", not of "x": give name=shop, or change their scenario`,
	} {
		_, err := newOutput(paramsOf(t, argument, oneScenario))
		require.EqualError(t, err, why, argument)
	}

	for path, name := range map[string]string{"/a/login.test.js": "login.test", "/-": "script", "/a/archive.tar": "archive"} {
		require.Equal(t, name, nameOf(&url.URL{Path: path}))
	}
	params := paramsOf(t, "", oneScenario)
	t.Setenv("RESULTS", "a shell's")
	params.Environment = map[string]string{"SWEEP_RESULTS": "elsewhere", "RESULTS": "a shell's"}
	params.RuntimeOptions.Env = params.Environment // as k6 does
	c, err = newConfig(params)
	require.NoError(t, err)
	require.Equal(t, "elsewhere", c.Dir)
	params.RuntimeOptions.Env["RESULTS"] = "given"
	c, err = newConfig(params)
	require.NoError(t, err)
	require.Equal(t, "given", c.Dir)
}
