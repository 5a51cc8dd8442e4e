package sweep_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/grafana/sobek"
	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/errext/exitcodes"
	"go.k6.io/k6/v2/js/modulestest"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/jsmodule"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report/page"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/testrun"
)

func TestModuleExports(t *testing.T) {
	runtime := modulestest.NewRuntime(t)
	instance := jsmodule.New().NewModuleInstance(runtime.VU)
	named := instance.Exports().Named
	exports := instance.Exports()
	object, ok := exports.Default.(*sobek.Object)
	require.True(t, ok)
	for _, name := range []string{"run", "op", "step", "ready", "done", "options", "gates", "meta", "mark", "report", "settings"} {
		require.Contains(t, named, name)
		function := object.Get(name).ToObject(runtime.VU.Runtime())
		require.Equal(t, name, function.Get("name").String(), "that stack traces show")
		require.Same(t, function, object.Get(name), "made once, not at each use")
	}
	require.Same(t, object, object.Get("sweep"))
	require.Contains(t, named, "sweep")
	require.Nil(t, exports.Named, "k6 takes values from the default export")
}

func TestModuleIsCallable(t *testing.T) {
	runtime, _ := newModule(t)
	rt := runtime.VU.Runtime()
	options, err := rt.RunString(`JSON.stringify(sweep({ clients: [1, 8], duration: '1s' }))`)
	require.NoError(t, err)
	same, err := rt.RunString(`JSON.stringify(sweep.options({ clients: [1, 8], duration: '1s' }))`)
	require.NoError(t, err)
	require.Equal(t, same, options)
	for script, want := range map[string]string{
		`sweep.optoins({})`:                      "TypeError: there is no optoins here: use options",
		`sweep.variant === 'base'`:               "TypeError: there is no variant here: sweep.step().variant is that of the step at work",
		`sweep({ vus: [1, 8], duration: '1s' })`: "sweep.options: unknown option \"vus\": use clients, such as [1, 8, 64]: each number is a step",
		`sweep({ rates: [1], duration: '1s' })`:  "sweep.options: unknown option \"rates\": use rate, such as [100, 1000]: each number is a step",
		`sweep({ clients: [1], duration: '1s', variants: { base: () => 1 } })`: "sweep.options: variants must be an array of names, " +
			"such as ['base', 'change']; sweep.step().variant says which one is at work",
		`sweep({ clients: [NaN], duration: '1s' })`: "sweep.options: clients must be a number, a string, an array or an object, " +
			"and has something else in it, such as a function or NaN",
	} {
		_, err := rt.RunString(script)
		require.ErrorContains(t, err, want, script)
	}
}

// Thresholds are checked before any executor exists, so the import must register the metrics.
func TestModuleRegistersTheMetrics(t *testing.T) {
	runtime, _ := newModule(t)
	for name, kind := range map[string]metrics.MetricType{
		"sweep_ops_per_second": metrics.Gauge, "sweep_clients_done": metrics.Gauge,
		"sweep_p50": metrics.Gauge, "sweep_p90": metrics.Gauge, "sweep_p95": metrics.Gauge, "sweep_p99": metrics.Gauge,
		"sweep_p999": metrics.Gauge, "sweep_max": metrics.Gauge, "sweep_mean": metrics.Gauge,
		"sweep_ops": metrics.Counter, "sweep_failed": metrics.Counter, "sweep_incomplete": metrics.Counter,
	} {
		metric := runtime.VU.InitEnvField.Registry.Get(name)
		require.NotNil(t, metric, name)
		require.Equal(t, kind, metric.Type, name)
	}
}

func TestModuleWhoseMetricsAreTaken(t *testing.T) {
	runtime := modulestest.NewRuntime(t)
	runtime.VU.InitEnvField.Registry.MustNewMetric("sweep_ops", metrics.Trend)
	require.Panics(t, func() { jsmodule.New().NewModuleInstance(runtime.VU) })
}

func TestRunOutsideOfTheExecutor(t *testing.T) {
	runtime, _ := newModule(t)
	_, err := runtime.VU.Runtime().RunString(`for (;;) try { sweep.run(() => {}) } catch (e) {}`)
	require.ErrorContains(t, err, "sweep.run(fn) is called in the scenario's function, not in the init context: "+
		"export default function () { sweep.run(fn) }")
	var ends *errext.InterruptError
	require.ErrorAs(t, err, &ends, "it ends the test, and not the iteration")
	var code errext.HasExitCode
	require.ErrorAs(t, err, &code)
	require.Equal(t, exitcodes.InvalidConfig, code.ExitCode())
}

func TestRunTakesAFunction(t *testing.T) {
	runtime, _ := newModule(t)
	for argument, shown := range map[string]string{"": "undefined", "5": "5", `"fn"`: "fn", "{}": "an object", "new Array(4294967295)": "an array of 4294967295 elements", "null": "null"} {
		name, message := thrownBy(t, runtime, `sweep.run(`+argument+`)`)
		require.Equal(t, "TypeError", name)
		require.Equal(t, "sweep.run takes a function, or two as { base, change }, not "+shown, message)
	}
}

func TestMeta(t *testing.T) {
	runtime, results := newModule(t)
	_, err := runtime.VU.Runtime().RunString(`
		sweep.meta()
		sweep.meta({ target: { kind: "machbase", url: "machbase://sys:manager@192.0.2.1:5656/db" }, params: { code: "005930" } })
		sweep.meta({ target: { version: "8.5" } })
		sweep.meta({ params: { reuse: true } })`)
	require.NoError(t, err)
	require.Equal(t, map[string]any{"kind": "machbase", "version": "8.5", "url": "machbase://sys@192.0.2.1:5656/db"}, results.NewScenario(testrun.Start{Name: "any", Params: map[string]any{}}).Report.Target)
	require.Equal(t, map[string]any{"code": "005930", "reuse": true}, results.NewScenario(testrun.Start{Name: "any", Params: map[string]any{}}).Report.Params)
	require.Nil(t, results.NewScenario(testrun.Start{Name: "any", Params: map[string]any{}}).Server(), "not on this machine")
}

// Driver-specific addresses hold passwords in other places than URLs.
func TestMetaHasNoSecrets(t *testing.T) {
	runtime, results := newModule(t)
	_, err := runtime.VU.Runtime().RunString(`sweep.meta({
		target: { url: "host=h password='ge heim' user=u", replicas: ["postgres://me:geheim@db/x"] },
		base: { url: "host=b password=geheim" },
		params: { query: "select 1 where password = ?", source: "me:geheim@tcp(db:3306)/x", nested: { dsn: "user=u password=geheim" } },
	})`)
	require.NoError(t, err)
	rep := results.NewScenario(testrun.Start{Name: "any", Params: map[string]any{}}).Report
	require.Equal(t, map[string]any{
		"url": "host=h password=*** user=u", "replicas": []any{"postgres://me:***@db/x"}, "base": map[string]any{"url": "host=b password=***"},
	}, rep.Target)
	require.Equal(t, map[string]any{
		"query": "select 1 where password = ?", "source": "me:***@tcp(db:3306)/x", "nested": map[string]any{"dsn": "user=u password=***"},
	}, rep.Params)
}

func TestMetaErrors(t *testing.T) {
	runtime, results := newModule(t)
	for script, want := range map[string]string{
		`sweep.meta({ tarket: {} })`:                                `sweep.meta: unknown option "tarket"; known are scenario, target, base, params`,
		`sweep.meta({ target: "db" })`:                              `sweep.meta: option target must be`,
		`sweep.meta({ params: { sizes: [1, NaN] } })`:               `sweep.meta: option params.sizes[1] must be a finite number, not NaN`,
		`sweep.meta({ target: { ratio: 1 / 0 } })`:                  `sweep.meta: option target.ratio must be a finite number, not Infinity`,
		`sweep.meta({ params: { id: 9007199254740993n } })`:         `sweep.meta: params.id is 9007199254740993n, which would lose digits in a report: write it as a string`,
		`sweep.meta("db")`:                                          `sweep.meta: options must be an object, not db`,
		`sweep.meta({ target: { url: "sys:secret@h:1" } })`:         `sweep.meta: target.url is not a URL such as scheme://user@host:port`,
		`sweep.meta({ target: { url: "redis://u:secret@h:%zz" } })`: `sweep.meta: target.url is not a URL`,
	} {
		name, message := thrownBy(t, runtime, script)
		require.Equal(t, "TypeError", name, script)
		require.Contains(t, message, want, script)
		require.NotContains(t, message, "secret")
	}
	require.Empty(t, results.NewScenario(testrun.Start{Name: "any", Params: map[string]any{}}).Report.Target)
}

func TestReportWithoutARun(t *testing.T) {
	runtime, results := newModule(t)
	dir := filepath.Join(t.TempDir(), "a", "b")
	require.NoError(t, runtime.VU.Runtime().Set("dir", dir))
	files, err := runtime.VU.Runtime().RunString(`sweep.report({}, { dir })`)
	require.NoError(t, err)
	require.Equal(t, map[string]any{
		"stdout": "", "stderr": "sweep.report: no sweep was measured; the report of any other script comes of k6 run -o sweep=results\n",
	}, files.Export())
	require.NoDirExists(t, dir, "there is nothing to keep")

	results.Register("sweep")
	files, err = runtime.VU.Runtime().RunString(`sweep.report({}, { dir })`)
	require.NoError(t, err)
	require.Equal(t, map[string]any{"stdout": "", "stderr": "sweep.report: the test ended before its first step\n"}, files.Export())
}

func TestReport(t *testing.T) {
	runtime, results := newModule(t)
	for _, scenario := range []string{"hot", "cold"} {
		s := results.NewScenario(testrun.Start{Name: scenario, Params: map[string]any{"clients": []int64{8}}})
		s.Add([]report.Step{{Clients: 8, Repeat: 1, Op: scenario, Operations: 1234, Complete: true}})
	}
	dir := t.TempDir()
	require.NoError(t, runtime.VU.Runtime().Set("dir", dir))
	value, err := runtime.VU.Runtime().RunString(`sweep.report({}, { dir })`)
	require.NoError(t, err)
	shown, ok := value.Export().(map[string]any)
	require.True(t, ok)
	require.Len(t, shown, 1, "k6 writes to standard output and to nothing else")
	stdout := shown["stdout"].(string)
	files := map[string]string{}
	written, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, file := range written {
		raw, err := os.ReadFile(filepath.Join(dir, file.Name()))
		require.NoError(t, err)
		files[filepath.Join(dir, file.Name())] = string(raw)
	}
	ofRuns := slices.DeleteFunc(slices.Clone(page.Formats), func(f page.Format) bool { return f.Asked })
	require.Len(t, files, 2*len(ofRuns), "all formats of a run for each scenario")
	for _, scenario := range []string{"hot", "cold"} {
		base := filepath.Join(dir, scenario)
		var rep report.Report
		require.NoError(t, json.Unmarshal([]byte(files[base+".json"]), &rep))
		require.Equal(t, scenario, rep.Scenario)
		require.Equal(t, int64(1234), rep.Steps[0].Operations)
		require.Equal(t, rep.Markdown(), files[base+".md"])
		require.Contains(t, stdout, rep.Markdown())
		require.Contains(t, stdout, "report: "+base+page.Suffixes()+"\n")
		for _, suffix := range []string{".csv", ".bench.txt", ".junit.xml", ".html"} {
			require.Contains(t, files[base+suffix], scenario, suffix)
		}
	}
	require.Less(t, strings.Index(stdout, "hot"), strings.Index(stdout, "cold"), "in the order of the run")
}

func TestReportHasColoursWhereK6Has(t *testing.T) {
	runtime, results := newModule(t)
	s := results.NewScenario(testrun.Start{Name: "hot"})
	s.Add([]report.Step{{Clients: 8, Repeat: 1, Op: "hot", Operations: 1234, Complete: true}})
	s.Report.Gates = []report.Verdict{{Gate: "p99", Detail: "5 ms", Outcome: "crossed"}}
	require.NoError(t, runtime.VU.Runtime().Set("dir", t.TempDir()))
	for data, want := range map[string]string{
		`{ state: { isStdOutTTY: true }, options: { noColor: false } }`:  "\n\x1b[31mCROSSED\x1b[0m: p99",
		`{ state: { isStdOutTTY: true }, options: { noColor: true } }`:   "\nCROSSED: p99",
		`{ state: { isStdOutTTY: false }, options: { noColor: false } }`: "\nCROSSED: p99",
		`undefined`: "\nCROSSED: p99",
	} {
		value, err := runtime.VU.Runtime().RunString(`sweep.report(` + data + `, { dir })`)
		require.NoError(t, err)
		require.Contains(t, value.Export().(map[string]any)["stdout"], want, data)
	}
}

func TestReportOfWhatStandsSideBySide(t *testing.T) {
	runtime, results := newModule(t)
	for _, scenario := range []string{"cache_load", "cache-hot", "cache-cold"} {
		s := results.NewScenario(testrun.Start{Name: scenario})
		for _, variant := range []string{"a", "b"} {
			s.Add([]report.Step{{Clients: 8, Repeat: 1, Op: variant, Variant: variant, Operations: 1234, Complete: true}})
		}
	}
	dir := t.TempDir()
	require.NoError(t, runtime.VU.Runtime().Set("dir", dir))
	value, err := runtime.VU.Runtime().RunString(`sweep.report({}, { dir, together: 'cache' })`)
	require.NoError(t, err)
	require.NotContains(t, value.Export(), "stderr")
	read := func(name string) string {
		raw, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)

		return string(raw)
	}
	require.Contains(t, read("cache.md"), "# hot beside cold\n")
	require.Contains(t, read("cache.html"), "hot beside cold")
	require.Contains(t, read("cache-hot.html"), "b / a")
}

func TestReportWithTablesOfTheScript(t *testing.T) {
	runtime, results := newModule(t)
	s := results.NewScenario(testrun.Start{Name: "hot"})
	s.Add([]report.Step{{Clients: 8, Repeat: 1, Op: "get", Operations: 1234, Complete: true}})
	dir := t.TempDir()
	require.NoError(t, runtime.VU.Runtime().Set("dir", dir))
	shown := func(tables string) map[string]any {
		value, err := runtime.VU.Runtime().RunString(`sweep.report({}, { dir, tables: ` + tables + ` })`)
		require.NoError(t, err)

		return value.Export().(map[string]any)
	}
	kept := func(suffix string) string {
		raw, err := os.ReadFile(filepath.Join(dir, "hot"+suffix))
		require.NoError(t, err)

		return string(raw)
	}

	own := shown(`({ scenario, steps: [{ ops }] }) => [{
		title: 'In all', columns: [{ name: 'what' }, { name: 'ops', better: 'higher' }, { name: 'none' }, { name: 'also' }],
		rows: [[scenario, ops, 0 / 0, undefined]], notes: ['A note.'],
	}]`)
	require.NotContains(t, own, "stderr")
	require.Contains(t, own["stdout"], kept(".md"))
	for suffix, has := range map[string]string{
		".md":   "\nIn all\n\n| what |   ops | none | also |\n|------|------:|-----:|-----:|\n| hot  | 1,234 |    - |    - |\n\nA note.\n",
		".json": "[\n          \"hot\",\n          1234,\n          null,\n          null\n        ]", ".html": "<p>A note.</p>",
		".csv": "In all,1,ops,1234,",
	} {
		require.Contains(t, kept(suffix), has)
	}
	require.Nil(t, s.Report.Tables, "another call makes its own")

	for tables, why := range map[string]string{
		"() => { throw new Error('a slip') }": "Error: a slip",
		"() => 1":                             "the function must return an array of tables, not 1",
		"() => ({})":                          "tables: got object, want array",
		"() => [{ title: 'x', columns: [{ name: 'a' }], rows: [[1, 2]] }]":    "tables[0].rows[0] has 2 cells, and there are 1 column",
		"() => { const a = []; a.push(a); return a }":                         "TypeError: Converting circular structure to JSON",
		"() => [{ title: 'x', columns: [{ name: 'a' }], rows: [[() => 1]] }]": "",
	} {
		usual := shown(tables)
		if why == "" { // as JSON.stringify writes it
			require.NotContains(t, usual, "stderr")

			continue
		}
		require.Equal(t, "the report of hot is without the script's tables: "+why+"\n", usual["stderr"])
		require.Equal(t, s.Report.Markdown(), kept(".md"), "no report is lost with it")
		require.Contains(t, usual["stdout"], kept(".md"))
	}
	require.NotContains(t, shown("null"), "stderr")
	name, message := thrownBy(t, runtime, `sweep.report({}, { dir, tables: 1 })`)
	require.Equal(t, "TypeError", name)
	require.Equal(t, "sweep.report: tables must be a function that takes a report, not 1", message)
}

func TestReportErrors(t *testing.T) {
	runtime, results := newModule(t)
	results.NewScenario(testrun.Start{Name: "hot"})
	name, message := thrownBy(t, runtime, `sweep.report({}, { folder: "x" })`)
	require.Equal(t, "TypeError", name)
	require.Equal(t, `sweep.report: unknown option "folder"; known are dir, tables, together`, message)

	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.NoError(t, runtime.VU.Runtime().Set("dir", filepath.Join(file, "results")))
	// The table is printed even if the files cannot be written.
	value, err := runtime.VU.Runtime().RunString(`sweep.report({}, { dir })`)
	require.NoError(t, err)
	shown, ok := value.Export().(map[string]any)
	require.True(t, ok)
	require.Len(t, shown, 2)
	require.Contains(t, shown, "stdout")
	require.Contains(t, shown["stderr"], "the report of hot could not be written: ")

	name, message = thrownBy(t, runtime, `sweep.meta({ results: dir })`)
	require.Equal(t, "SweepError", name)
	require.Contains(t, message, "the results cannot be kept")
}

func TestMetaOfACache(t *testing.T) {
	runtime, results := newModule(t)
	for facts, want := range map[string]string{
		`{ memory: 1 }`:                                "sweep.meta: cache must have memory and item",
		`{ memory: 1, item: 1, pids: [0] }`:            "sweep.meta: cache.pids must be process ids, not 0",
		`{ memory: 1, item: 1, vmHwm: 1, pids: [1] }`:  "sweep.meta: cache.vmHwm and cache.pids exclude each other",
		`{ memory: 1, item: 1, vmHwm: -1, pids: [1] }`: "sweep.meta: cache must have memory and item",
	} {
		name, message := thrownBy(t, runtime, fmt.Sprintf(`sweep.meta({ cache: %s })`, facts))
		require.Equal(t, "TypeError", name)
		require.Contains(t, message, want)
	}
	_, err := runtime.VU.Runtime().RunString(`
		sweep.meta({ scenario: "one", params: { who: "one" }, cache: { memory: 4, item: 1, vmHwm: 6 } })`)
	require.NoError(t, err)
	s := results.NewScenario(testrun.Start{Name: "one", Params: map[string]any{}})
	reading := measure.Reading{Elapsed: 10e9, Complete: true, Counters: measure.Counters{"hits": 800, "misses": 200}}
	steps := report.NewSteps(&reading, report.Step{Clients: 1, Repeat: 1}, "get", report.CPUSeconds{})
	s.Add(steps)
	require.Equal(t, map[string]any{"who": "one"}, s.Report.Params)
	require.EqualValues(t, 6, s.Report.Steps[0].Extra.VMHWMBytes)
}

func TestMetaTriesTheFolderOfTheResults(t *testing.T) {
	runtime, _ := newModule(t)
	dir := filepath.Join(t.TempDir(), "a", "b")
	require.NoError(t, runtime.VU.Runtime().Set("dir", dir))
	_, err := runtime.VU.Runtime().RunString(`sweep.meta({ results: dir })`)
	require.NoError(t, err)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

// Each test run of a process has its own results, shared by modules and executors.
func TestResultsOf(t *testing.T) {
	a, b := metrics.NewRegistry(), metrics.NewRegistry()
	require.Same(t, testrun.Of(a), testrun.Of(a))
	require.NotSame(t, testrun.Of(a), testrun.Of(b))
}

func TestModuleAndExecutorShareTheResults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [1], "iterations": 2}`, `sweep.run(() => sleep(10))`)
		script := s.VUs[0].Script
		require.NoError(t, script.Set("dir", t.TempDir()))
		_, err := script.RunString(`sweep.meta({ target: { version: "8.5" }, params: { table: "TICK" } })`)
		require.NoError(t, err)
		_, err = s.Run(t.Context())
		require.NoError(t, err)
		script.ClearInterrupt()
		stdout, err := script.RunString(`sweep.report({}, { dir }).stdout`)
		require.NoError(t, err)
		require.Contains(t, stdout.String(), "| 8.5 | rollup   |       1 |          2 | 100/s |")
	})
}
