package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func ycsbEnv(t *testing.T, more ...string) map[string]string {
	t.Helper()
	env := cachesEnv(t, more...)
	env["SQLITE_URL"] = filepath.Join(t.TempDir(), "ycsb.db")
	for _, name := range []string{"NATS_URL", "POSTGRES_URL"} {
		env[name] = os.Getenv(name)
		require.NotEmpty(t, env[name], "run the tests with `make test`, or as scripts/servers.sh with machbase memcached redis nats postgres -- go test ./...")
	}
	env[defaultEnvMachbase] = serverURL(t)

	return env
}

// inDatabase returns the URL of another database in a Redis, which no other test uses.
func inDatabase(url, database string) string { return strings.TrimSuffix(url, "/") + "/" + database }

// Each store runs each workload, or names the unsupported operations. A changed record is detected.
func TestYCSBOnAllStores(t *testing.T) {
	t.Parallel()
	env := ycsbEnv(t)
	env["REDIS_URL"] = inDatabase(env["REDIS_URL"], "5")
	r := k6(t, options{script: "testdata/ycsb.js", env: env, args: []string{"--log-format", "raw"}})
	require.Equal(t, exitOK, r.code, r.output)
	type came struct {
		Store, Work                                      string
		Error                                            string
		Succeeded, Failed, Wrong, Missing, Records, Left int
	}
	all := map[string]came{}
	for _, line := range r.lines(`{"store"`) {
		var one came
		require.NoError(t, json.Unmarshal([]byte(line), &one), line)
		all[one.Store+" "+one.Work] = one
	}
	const (
		noOrder  = "ycsb: option mix.scan: this store cannot read records in the order of their keys"
		noUpdate = "ycsb: option mix must have no update and no readModifyWrite: rows of a tag table do not change"
	)
	for _, store := range []string{"redis", "memcached", "umem", "nats", "postgres", "sqlite", "machbase"} {
		for _, work := range []string{"load e", "load", "a", "b", "c", "d", "e", "f"} {
			got, want := all[store+" "+work], came{Store: store, Work: work, Succeeded: 200}
			scans := store == "redis" || store == "postgres" || store == "sqlite"
			switch {
			case work == "load":
				want.Succeeded = 100
			case strings.HasSuffix(work, "e") && !scans:
				want = came{Store: store, Work: work, Error: noOrder}
			case work == "load e":
				want.Succeeded = 100
			case store == "machbase" && (work == "a" || work == "b" || work == "f"):
				want = came{Store: store, Work: work, Error: noUpdate}
			case work == "e":
				require.Greater(t, got.Records, 400, "5.5 records a scan, on average: %s", r.output)
				want.Records = got.Records
			case store == "machbase" && work == "d": // rows become readable a moment after their inserts
				require.Equal(t, got.Missing, got.Failed)
				want.Succeeded, want.Failed, want.Missing = 200-got.Failed, got.Failed, got.Failed
			}
			require.Equal(t, want, got, r.output)
		}
	}
	for _, store := range []string{"redis", "memcached", "postgres", "sqlite"} {
		got := all[store+" spoilt"]
		require.Positive(t, got.Wrong, r.output)
		require.Equal(t, got.Wrong, got.Failed)
		require.Equal(t, 20, got.Succeeded+got.Failed)
	}
}

func opsOf(t *testing.T, steps []step) map[string]int {
	t.Helper()
	ops := map[string]int{}
	for _, s := range steps {
		require.Zero(t, s.Failed)
		require.True(t, s.Complete)
		ops[s.Op] += s.Ops
	}

	return ops
}

func TestScenarioYCSB(t *testing.T) {
	t.Parallel()
	env := map[string]string{
		defaultEnvMachbase: "", "SQLITE_URL": filepath.Join(t.TempDir(), "ycsb.db") + "?_pragma=journal_mode(wal)", "STORE": "sqlite", "RECORD_COUNT": "200",
		"FIELD_COUNT": "3", "DATA_INTEGRITY": "true",
	}
	run := with(env, map[string]string{"CLIENTS": "1", "WARMUP": "0s", "PAUSE": "0s", "PHASE": "run"})

	r := k6(t, options{script: "ycsb.js", env: with(run, map[string]string{"ITERATIONS": "10"})})
	require.Equal(t, exitAborted, r.code, r.output)
	require.Contains(t, r.output, "10 of 10 records cannot be read: load them first, with -e PHASE=load -e STORE=sqlite")

	r = k6(t, options{script: "ycsb.js", env: with(env, map[string]string{"PHASE": "load", "LOAD_CLIENTS": "4"})})
	require.Equal(t, exitOK, r.code, r.output)
	loaded := r.report(t, "ycsb-load-sqlite")
	require.Equal(t, map[string]int{"INSERT": 200}, opsOf(t, loaded.Steps), "each record once, by 4 clients")
	require.Equal(t, 4, loaded.Steps[0].Clients)

	// A client with this seed draws exactly these counts: see TestSeedsMakeExactCounts in
	// workload/ycsb.
	r = k6(t, options{script: "ycsb.js", env: with(run, map[string]string{"WORKLOAD": "a", "ITERATIONS": "10000", "SQLITE_URL": env["SQLITE_URL"] + "&_pragma=synchronous(off)"})})
	require.Equal(t, exitOK, r.code, r.output)
	require.Equal(t, map[string]int{"READ": 5042, "UPDATE": 4958}, opsOf(t, r.report(t, "ycsb-sqlite-a").Steps))

	r = k6(t, options{script: "ycsb.js", env: with(run, map[string]string{"WORKLOAD": "f", "ITERATIONS": "500"})})
	require.Equal(t, exitOK, r.code, r.output)
	rep := r.report(t, "ycsb-sqlite-f")
	ops := opsOf(t, rep.Steps)
	require.Equal(t, 500, ops["READ"]+ops["READ-MODIFY-WRITE"], "each counts once")
	require.Len(t, rep.Tables, 1)
	whole, read, update := column(t, rep.Tables[0], "whole ms"), column(t, rep.Tables[0], "read ms"), column(t, rep.Tables[0], "update ms")
	require.InEpsilon(t, whole[0], read[0].(float64)+update[0].(float64), 0.02, "the whole is its parts")
}

func TestScenarioYCSBComparesStores(t *testing.T) {
	t.Parallel()
	env := cachesEnv(t, "RECORD_COUNT", "50", "FIELD_LENGTH", "20", "DATA_INTEGRITY", "true", "WARMUP", "0s", "PAUSE", "0s", "CLIENTS", "2", "ITERATIONS", "200")
	env["REDIS_URL"] = inDatabase(env["REDIS_URL"], "6")
	r := k6(t, options{script: "ycsb.js", env: with(env, map[string]string{"STORE": "redis,memcached", "MIX": "read:3,update:1"})})
	require.Equal(t, exitOK, r.code, r.output)
	for _, store := range []string{"redis", "memcached"} {
		require.Equal(t, map[string]int{"INSERT": 50}, opsOf(t, r.report(t, "ycsb-load-"+store).Steps))
		ops := opsOf(t, r.report(t, "ycsb-"+store+"-mix").Steps)
		require.Equal(t, 400, ops["READ"]+ops["UPDATE"])
		require.Equal(t, store, r.report(t, "ycsb-"+store+"-mix").Target["kind"])
	}
	_, err := os.Stat(filepath.Join(r.results, "ycsb.html"))
	require.NoError(t, err, "side by side")

	env["REDIS_URL"] = strings.TrimSuffix(env["REDIS_URL"], "6") + "7"
	r = k6(t, options{script: "ycsb.js", env: with(env, map[string]string{"WORKLOAD": "e", "BASE": "READ_ALL_FIELDS=false"})})
	require.Equal(t, exitOK, r.code, r.output)
	variants := map[string]int{}
	for _, s := range r.report(t, "ycsb-redis-e-duet").Steps {
		variants[s.Variant] += s.Ops
	}
	require.Equal(t, map[string]int{"base": variants["base"], "change": variants["change"]}, variants)
	require.Positive(t, variants["base"])

	delete(env, "CLIENTS")
	delete(env, "ITERATIONS")
	r = k6(t, options{script: "ycsb.js", env: with(env, map[string]string{"WORKLOAD": "b", "RATE": "200", "DURATION": "500ms", "PHASE": "run"})})
	require.Equal(t, exitOK, r.code, r.output)
	ops := opsOf(t, r.report(t, "ycsb-redis-b").Steps)
	require.Equal(t, 100, ops["READ"]+ops["UPDATE"])
}

func TestScenarioYCSBRefuses(t *testing.T) {
	t.Parallel()
	for says, env := range map[string]map[string]string{
		"memcached has no SCAN: it does not know the order of its keys; set another WORKLOAD or MIX, or STORE": {"STORE": "memcached", "WORKLOAD": "e"},
		"machbase has no UPDATE: rows of a tag table do not change":                                            {"STORE": "machbase", "WORKLOAD": "a"},
		"machbase has no READ-MODIFY-WRITE: rows of a tag table do not change":                                 {"STORE": "machbase", "MIX": "readModifyWrite:1"},
		"WRITE_ALL_FIELDS must be true: nats keeps a record as one value":                                      {"STORE": "nats", "WRITE_ALL_FIELDS": "false"},
		"STORE must be all, or some of redis, memcached, umem, nats, postgres, sqlite, machbase":               {"STORE": "mysql"},
		"option maxScanLength must be from 5 to 100000, not 4":                                                 {"WORKLOAD": "e", "MIN_SCAN_LENGTH": "5", "MAX_SCAN_LENGTH": "4"},
		"MIX must be shares of read, update, insert, scan, readModifyWrite":                                    {"MIX": "delete:1"},
		"nothing in the script reads the setting CLIENTS; sweep.options({...}) does":                           {"PHASE": "load", "CLIENTS": "2"},
	} {
		t.Run(says, func(t *testing.T) {
			t.Parallel()
			r := k6(t, options{script: "ycsb.js", env: with(env, map[string]string{defaultEnvMachbase: ""})})
			require.Equal(t, exitInvalidConfig, r.code, r.output)
			require.Len(t, r.lines(says), 1, r.output)
		})
	}
}

// The example draws the workload in JavaScript.
func TestExampleYCSB(t *testing.T) {
	t.Parallel()
	r := k6(t, options{script: "../extensions/sweep/examples/ycsb.js", env: cachesEnv(t)})
	require.Equal(t, exitOK, r.code, r.output)
	ops := opsOf(t, r.report(t, "ycsb").Steps)
	require.Equal(t, 5*500, ops["READ"]+ops["READ-MODIFY-WRITE"], "1 client and 4")
	require.InDelta(t, 1250, ops["READ"], 150)
}
