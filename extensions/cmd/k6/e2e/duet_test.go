package e2e

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	sweepreport "github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// duetReport reads the report of a duet, and checks that both variants of each step did something
// and that the log has the line about the duet.
func duetReport(t *testing.T, r *run, scenario string) *sweepreport.Report {
	t.Helper()
	require.Equal(t, exitOK, r.code, r.output)
	raw, err := os.ReadFile(filepath.Join(r.results, scenario+".json"))
	require.NoError(t, err)
	rep, err := sweepreport.Read(raw)
	require.NoError(t, err)
	require.NotEmpty(t, rep.Duets)
	kinds := slices.DeleteFunc(slices.Clone(rep.Duets), func(d sweepreport.Duet) bool { return d.Op == sweepreport.TotalOp })
	require.Len(t, rep.Steps, 2*len(kinds))
	for i := range rep.Steps {
		s := &rep.Steps[i]
		require.Positive(t, s.Operations)
		require.Zero(t, s.Failed)
		require.NotNil(t, rep.DuetOf(s))
		require.NotNil(t, s.OverTime)
		require.NotEmpty(t, s.Slowest)
	}
	for i := range rep.Duets {
		require.Contains(t, r.output, rep.DuetLine(&rep.Duets[i]))
	}

	return rep
}

func short(more map[string]string) map[string]string {
	env := map[string]string{"CLIENTS": "4", "DURATION": "1s", "WARMUP": "200ms", "PAUSE": "0s", "QUIET": "0s"}
	maps.Copy(env, more)

	return env
}

func TestDuetsOfScenarios(t *testing.T) {
	t.Parallel()
	loadStock(t)
	machbase := newDoor(t).url
	caches := cachesEnv(t, "MEMCACHED_URL", slowed(t, os.Getenv("MEMCACHED_URL")))
	nats := natsEnv(t, "NATS_URL", slowed(t, os.Getenv("NATS_URL")))
	for _, tt := range []struct {
		script, report string
		env            map[string]string
		base           map[string]any // expected target.base in the report
		ops            []string
	}{
		{
			"stock-rollup.js", "stock-rollup-duet", map[string]string{"REUSE": "true", "BASE": "REUSE=false,TIMEOUT=30s"},
			map[string]any{"reuse": false, "driver": "native"}, []string{"rollup"},
		},
		{"stock-rollup.js", "stock-rollup-duet", map[string]string{"IN_GO": "true", "BASE": "IN_GO=false"}, nil, []string{"rollup"}},
		{"stock-tick.js", "stock-tick-duet", map[string]string{"BASE_URL": machbase, "IN_GO": "true"}, nil, []string{"tick"}},
		{"stock-union.js", "stock-union-duet", map[string]string{"BASE_MACHBASE_URL": machbase, "BASE": "UNION=1s"}, nil, []string{"union"}},
		{
			"stock-bench.js", "stock-bench-duet", map[string]string{"CLIENTS": "1", "BASE": "REUSE=true"},
			map[string]any{"reuse": true}, []string{"rollup", "tick"},
		},
		{
			"cache-sweep.js", "cache-sweep-memcached-duet", with(caches, map[string]string{"KEYS": "100", "BASE_URL": caches["MEMCACHED_URL"], "BASE": "PIPELINE=4"}),
			map[string]any{"url": "memcached://" + caches["MEMCACHED_URL"], "pipeline": 4.0}, []string{"get", "set"},
		},
		{
			"nats-core.js", "nats-core-request-duet", with(nats, map[string]string{"WORK": "request", "BASE": "BATCH=10,VALUE=10"}),
			map[string]any{"batch": nil, "value": 10.0}, []string{"request"},
		},
		{
			"nats-core.js", "nats-core-pubsub-duet", with(nats, map[string]string{"WORK": "pubsub", "BASE_NATS_URL": nats["NATS_URL"]}),
			map[string]any{"kind": "nats"}, []string{"deliver"},
		},
		{
			"natsjs-kv-sweep.js", "natsjs-kv-sweep-orb-mixed-duet",
			with(nats, map[string]string{"LAYOUT": "orb", "MIX": "mixed", "KEYS": "50", "BASE_URL": nats["NATS_URL"]}),
			map[string]any{"kind": "nats"}, []string{"get", "set"},
		},
	} {
		t.Run(tt.report, func(t *testing.T) {
			t.Parallel()
			env := with(map[string]string{defaultEnvMachbase: machbase}, tt.env)
			rep := duetReport(t, k6(t, options{script: tt.script, env: short(env)}), tt.report)
			var ops []string
			for _, d := range rep.Duets {
				if d.Op != sweepreport.TotalOp {
					ops = append(ops, d.Op)
				}
			}
			require.Equal(t, len(ops) > 1, len(rep.Duets) > len(ops), "several kinds of operations have a total")
			require.Equal(t, tt.ops, ops)
			base, is := rep.Target["base"].(map[string]any)
			require.True(t, is)
			for name, want := range tt.base {
				require.Equal(t, want, base[name], name)
			}
		})
	}
}

func TestSettingsOfABase(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		script string
		env    map[string]string
		says   string
	}{
		{"stock-rollup.js", map[string]string{"BASE": "CODE=A"}, `BASE must be settings with commas between them, such as DRIVER=value, of DRIVER, REUSE, TIMEOUT, IN_GO, but is "CODE=A"`},
		{"stock-union.js", map[string]string{"BASE": "UNION=3m"}, `UNION of BASE must be one of 1m, 1s, but is "3m"`},
		{"stock-rollup.js", map[string]string{"BASE_URL": "machbase://a:1", "BASE_MACHBASE_URL": "machbase://a:2"}, `BASE_URL and BASE_MACHBASE_URL exclude each other: set one of them`},
		{"cache-sweep.js", map[string]string{"TARGET": "memcached,redis", "BASE_URL": "127.0.0.1:1"}, `BASE_URL is for one server: set one of memcached, redis, or BASE_MEMCACHED_URL`},
		{"cache-sweep.js", map[string]string{"BASE_URLS": "127.0.0.1:1"}, `nothing in the script reads the setting BASE_URLS; did you mean BASE_URL?`},
		{"stock-append.js", map[string]string{"BASE_URL": "machbase://a:1"}, `nothing in the script reads the setting BASE_URL; its settings are MACHBASE_URL,`},
		{"cache-hitrate.js", map[string]string{"BASE": "CONFIG=100m-512b"}, `nothing in the script reads the setting BASE; its settings are TARGET,`},
	} {
		r := refused(t, options{script: tt.script, env: with(noMachbase, tt.env)})
		require.Equal(t, exitInvalidConfig, r.code, r.output)
		require.Contains(t, strings.ReplaceAll(r.output, `\"`, `"`), tt.says)
	}
	portable := refused(t, options{script: "cache-sweep.js", env: with(cachesEnv(t), short(map[string]string{"PORTABLE": "true", "BASE": "PIPELINE=2", "KEYS": "10", "MAX_DURATION": "5s"}))})
	require.Equal(t, exitInvalidConfig, portable.code, portable.output)
	require.Contains(t, portable.output, "sweep.run({ base, change }) cannot go with portable: it needs the executor client-sweep")
}
