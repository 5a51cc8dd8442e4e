package sweep_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/lib/executor"
	"go.k6.io/k6/v2/metrics"
	"gopkg.in/guregu/null.v3"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/testrun"
)

func TestThresholdsWithoutSamplesAreRefused(t *testing.T) {
	registerDurations(t)
	const plain = `{"clients": [1, 8, 64], "iterations": 10, "tags": {"kind": "x"}}`
	const open = `{"rate": [100, 1000], "preAllocatedVUs": 4, "duration": "1s"}`
	const find = `{"find": {"max": 64, "min": 2, "p99": "5ms"}, "duration": "1s"}`
	beside := map[string]lib.ExecutorConfig{"ramp": executor.NewRampingVUsConfig("ramp")}
	for name, tt := range map[string]struct {
		config, threshold string
		beside            map[string]lib.ExecutorConfig
		problem           string // empty: accepted
	}{
		"any step":                 {config: plain, threshold: "sweep_p99", problem: "k6 judges a Gauge by its last value, and there are several (clients 1, 8, 64): write one threshold for each, such as sweep_p99{clients:64}"},
		"a step":                   {config: plain, threshold: "sweep_p99{clients:64}"},
		"no such step":             {config: plain, threshold: "sweep_p99{clients:61}", problem: "no sample has clients:61; there are clients 1, 8, 64"},
		"of an outcome":            {config: plain, threshold: "sweep_ops{outcome:failed}"},
		"of no outcome":            {config: plain, threshold: "sweep_ops{outcome:bad}", problem: "no sample has outcome:bad; there are outcome ok, failed"},
		"of a counter":             {config: plain, threshold: "sweep_failed{clients:61}", problem: "no sample has clients:61; there are clients 1, 8, 64"},
		"no such tag":              {config: plain, threshold: "sweep_p99{client:64}", problem: "no sample has the tag client; there are clients, kind, op, run, scenario, variant; did you mean clients?"},
		"a phase":                  {config: plain, threshold: "sweep_p99{phase:measure}", problem: "no sample has the tag phase; there are clients, kind, op, run, scenario"},
		"a tag of the run":         {config: plain, threshold: "sweep_p99{run:7,clients:8}"},
		"another run":              {config: plain, threshold: "sweep_p99{run:8}", problem: "no sample has run:8; there are run 7"},
		"a tag of the scenario":    {config: plain, threshold: "sweep_p99{ kind : 'x', clients:8}"},
		"another scenario":         {config: plain, threshold: "sweep_p99{scenario:other,clients:8}", problem: "no sample has scenario:other; there are scenario rollup"},
		"no rate":                  {config: plain, threshold: "sweep_p99{rate:100}", problem: "no sample has the tag rate; there are clients, kind, op, run, scenario"},
		"any operation":            {config: plain, threshold: "sweep_p99{op:own,clients:8}"},
		"a named operation":        {config: `{"clients": [1], "iterations": 1, "opNames": ["get", "set"]}`, threshold: "sweep_p99{op:get}"},
		"no such operation":        {config: `{"clients": [1], "iterations": 1, "opNames": ["get", "set"]}`, threshold: "sweep_p99{op:own}", problem: "no sample has op:own; there are op get, set"},
		"a slip":                   {config: `{"clients": [1], "iterations": 1, "opNames": ["lookup", "set"]}`, threshold: "sweep_p99{op:lokup}", problem: "no sample has op:lokup; there are op lookup, set; did you mean lookup?"},
		"nobody may name them":     {config: `{"clients": [1], "iterations": 1, "opNames": ["get", "set"]}`, threshold: "sweep_p99{op:rollup}"},
		"clients have no op":       {config: plain, threshold: "sweep_clients_done{op:get}", problem: "no sample has the tag op; there are clients, kind, run, scenario"},
		"steps have no op":         {config: plain, threshold: "sweep_incomplete{op:get}", problem: "no sample has the tag op; there are clients, kind, run, scenario"},
		"a rate":                   {config: open, threshold: "sweep_p99{rate:1000}"},
		"no such rate":             {config: open, threshold: "sweep_p99{rate:500}", problem: "no sample has rate:500; there are rate 100, 1000"},
		"clients of a rate":        {config: open, threshold: "sweep_p99{rate:100,clients:4}"},
		"no such clients":          {config: open, threshold: "sweep_p99{rate:100,clients:5}", problem: "no sample has clients:5; there are clients 4"},
		"a step of a search":       {config: find, threshold: "sweep_p99{clients:17}"},
		"a step beyond a search":   {config: find, threshold: "sweep_p99{clients:65}", problem: "no sample has clients:65; there are clients 2 to 64"},
		"no number":                {config: find, threshold: "sweep_p99{clients:all}", problem: "no sample has clients:all; there are clients 2 to 64"},
		"a module's durations":     {config: plain, threshold: "cache_op_duration{op:get}", problem: "the metric has no samples in a sweep: sweep_p50 to sweep_max"},
		"those of setup":           {config: plain, threshold: "cache_op_duration{group:::setup}"},
		"a variant":                {config: `{"clients": [1], "iterations": 1, "variants": ["a", "b"]}`, threshold: "sweep_p99{variant:a}"},
		"no such variant":          {config: `{"clients": [1], "iterations": 1, "variants": ["a", "b"]}`, threshold: "sweep_p99{variant:c}", problem: "no sample has variant:c; there are variant a, b"},
		"several operations":       {config: `{"clients": [1], "iterations": 1, "opNames": ["get", "set"]}`, threshold: "sweep_p99", problem: "k6 judges a Gauge by its last value, and there are several (op get, set): write one threshold for each, such as sweep_p99{op:set}"},
		"several of everything":    {config: `{"rate": [1, 5], "preAllocatedVUs": 4, "duration": "1s", "variants": ["a", "b"]}`, threshold: "sweep_p99{op:x}", problem: "k6 judges a Gauge by its last value, and there are several (rate 1, 5; variant a, b): write one threshold for each, such as sweep_p99{op:x,rate:5,variant:b}"},
		"several steps' clients":   {config: plain, threshold: "sweep_clients_done", problem: "k6 judges a Gauge by its last value, and there are several (clients 1, 8, 64): write one threshold for each, such as sweep_clients_done{clients:64}"},
		"what a search finds":      {config: find, threshold: "sweep_p99"},
		"one step":                 {config: `{"clients": [1], "iterations": 1}`, threshold: "sweep_p99"},
		"a Counter":                {config: plain, threshold: "sweep_ops"},
		"not the sweep's":          {config: plain, threshold: "other{clients:61}"},
		"of another executor":      {config: plain, threshold: "sweep_p99{scenario:ramp,op:own}", beside: beside, problem: "no sample has scenario:ramp; there are scenario rollup"},
		"it has no steps":          {config: plain, threshold: "sweep_p99{clients:61}", beside: beside, problem: "no sample has clients:61; there are clients 1, 8, 64"},
		"it may call the module":   {config: plain, threshold: "cache_op_duration{op:get}", beside: beside},
		"which of two sweeps":      {config: plain, threshold: "sweep_p99{clients:8}", beside: sweepBeside(t), problem: "k6 judges a Gauge by its last value, and there are several (scenario other, rollup): write one threshold for each, such as sweep_p99{clients:8,scenario:rollup}"},
		"the other one":            {config: plain, threshold: "sweep_p99{clients:7}", beside: sweepBeside(t)},
		"the step of another one":  {config: plain, threshold: "sweep_p99{clients:7,scenario:rollup}", beside: sweepBeside(t), problem: "no sample has clients:7; there are clients 1, 8, 64"},
		"of neither":               {config: plain, threshold: "sweep_p99{clients:6}", beside: sweepBeside(t), problem: "no sample has clients:6; there are clients 7, 8, 1, 64"},
		"a scenario that is not":   {config: plain, threshold: "sweep_p99{scenario:fourth}", beside: sweepBeside(t), problem: "no sample has scenario:fourth; there are scenario other, rollup"},
		"with what is not of both": {config: plain, threshold: "sweep_p99{clients:7,kind:x}", beside: sweepBeside(t), problem: "no sample has the tag kind; there are clients, op, run, scenario"},
	} {
		t.Run(name, func(t *testing.T) {
			config := scenarioOf(t, "rollup", tt.config)
			options := lib.Options{Thresholds: thresholdsOfTest(t, map[string][]string{tt.threshold: {"value<10"}})}
			if tt.beside != nil {
				options.Scenarios = lib.ScenarioConfigs{"rollup": config}
				for name, other := range tt.beside {
					options.Scenarios[name] = other
				}
			}
			registry := metrics.NewRegistry()
			_, err := stream.Register(registry)
			require.NoError(t, err)
			registry.MustNewMetric("cache_op_duration", metrics.Trend, metrics.Time)
			registry.MustNewMetric("other", metrics.Gauge)
			test := &lib.TestRunState{
				TestPreInitState: &lib.TestPreInitState{Registry: registry},
				Options:          options, RunTags: registry.RootTagSet().With("run", "7"),
			}
			err = testrun.Of(registry).CheckThresholds(config.(testrun.Sweep), test)
			if tt.problem == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, "threshold "+tt.threshold+": "+tt.problem)
			}
			test.RuntimeOptions.NoThresholds = null.BoolFrom(true)
			require.NoError(t, testrun.Of(registry).CheckThresholds(config.(testrun.Sweep), test), "k6 looks at none")
		})
	}
}

func sweepBeside(t *testing.T) map[string]lib.ExecutorConfig {
	t.Helper()

	return map[string]lib.ExecutorConfig{
		"other": scenarioOf(t, "other", `{"executor": "client-sweep", "clients": [7, 8], "iterations": 10}`),
	}
}
