package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/umemcache/umemtest"
)

func cachesEnv(t *testing.T, more ...string) map[string]string {
	t.Helper()
	env := map[string]string{defaultEnvMachbase: "", "UMEM_URL": umemtest.Start(t, umemtest.Options{}).Address()}
	for _, name := range []string{"MEMCACHED_URL", "MEMCACHED_PID", "REDIS_URL", "REDIS_PID"} {
		env[name] = os.Getenv(name)
		require.NotEmpty(t, env[name], "run the tests with `make test`, or as scripts/servers.sh with machbase memcached redis -- go test ./...")
	}
	for i := 0; i < len(more); i += 2 {
		env[more[i]] = more[i+1]
	}

	return env
}

type cacheStep struct {
	step
	ClientWaitMs *struct {
		Answers        int
		Mean, P99, Max float64
	}
	Extra struct {
		Hits, Misses, Hot, HotHits                                                           int
		VMHWMSince                                                                           time.Time
		Errors                                                                               map[string]int
		HitRate, HotHitRate, VMHWMBytes, PerMemoryHitRate, HitsPerSecondMem, OutMibPerSecond *float64
	}
}

func cacheSteps(t *testing.T, r *run, scenario string) (steps []cacheStep) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(r.results, scenario+".json"))
	require.NoError(t, err, r.output)
	var rep struct{ Steps []cacheStep }
	require.NoError(t, json.Unmarshal(raw, &rep))
	code, stdout, stderr := sweep(t, "validate", filepath.Join(r.results, scenario+".json"))
	require.Zero(t, code, stdout+stderr)

	return rep.Steps
}

// A small configuration: its accesses, 4 * 1 MiB * 80 / 20 / 2000, and the hot ones in the timed
// pass.
const (
	smallAccesses = 8388
	smallHot      = 6668
)

func smallHitRate(t *testing.T, more ...string) map[string]string {
	t.Helper()

	return cachesEnv(t, append([]string{"MEMORY", "1048576", "ITEM", "2000", "CLIENTS", "7", "OTHER_MEMORY", "true"}, more...)...)
}

func TestHitRateOfAllServersSideBySide(t *testing.T) {
	t.Parallel()
	targets := []string{"memcached", "umem", "redis"}
	began := time.Now().Truncate(time.Millisecond)
	r := k6(t, options{script: "cache-hitrate.js", env: smallHitRate(t, "TARGET", strings.Join(targets, ","), "UMEM_PID", fmt.Sprint(os.Getpid()))})
	require.Equal(t, exitOK, r.code, r.output)
	for _, target := range targets {
		steps := cacheSteps(t, r, "cache-hitrate-"+target)
		require.Len(t, steps, 1)
		s := steps[0]
		require.Equal(t, 7, s.Clients)
		require.Equal(t, "getOrSet", s.Op)
		require.Zero(t, s.PerClient)
		require.True(t, s.Complete)
		require.Equal(t, smallAccesses, s.Ops, "each access once, although 7 clients cannot share them evenly")
		require.Zero(t, s.Failed)
		require.Equal(t, smallAccesses, s.Extra.Hits+s.Extra.Misses)
		require.Equal(t, smallHot, s.Extra.Hot, "the check figure")
		require.InDelta(t, 100*float64(s.Extra.Hits)/smallAccesses, *s.Extra.HitRate, 1e-9)
		require.Positive(t, *s.Extra.VMHWMBytes)
		require.False(t, s.Extra.VMHWMSince.Before(began), "what the server did before is no part of it")
		require.LessOrEqual(t, *s.Extra.PerMemoryHitRate, *s.Extra.HitRate)
		require.Positive(t, *s.Extra.HitsPerSecondMem)
		require.Positive(t, *s.Extra.OutMibPerSecond)
		require.Positive(t, s.BytesReceived)
		require.Equal(t, target, r.report(t, "cache-hitrate-"+target).Target["kind"])
		require.Regexp(t, `(?m)^\| `+target+` +\| +\d+\.\d\d \| +\d+\.\d\d \| +[\d,]+ \|`, r.output)
	}
	for i, target := range targets {
		tables := r.report(t, "cache-hitrate-"+target).Tables
		require.Len(t, tables, 1)
		if i < len(targets)-1 {
			require.Equal(t, []any{target}, column(t, tables[0], "server"))
		} else {
			require.Equal(t, []any{"memcached", "umem", "redis"}, column(t, tables[0], "server"), "the last has all side by side")
		}
		rates := column(t, tables[0], "hit_rate %")
		require.InDelta(t, *cacheSteps(t, r, "cache-hitrate-"+target)[0].Extra.HitRate, rates[len(rates)-1], 0, "in full")
	}
	require.Contains(t, r.output, "Hit rate, memory 1048576, item 2000: 8388 accesses per pass")
	require.NotContains(t, r.output, "published", "there is nothing published of it")
	for _, says := range []string{
		"memcached: THE SERVER HAS 67108864 BYTES, but the benchmark needs 1048576.",
		"redis: THE SERVER HAS NO MEMORY LIMIT, but the benchmark needs 1048576 bytes.",
		"umem: the server does not tell its memory limit; that it is 1048576 bytes is not verified.",
	} {
		require.Contains(t, r.output, says)
	}
}

func tellRedis(t *testing.T, server string, commands ...string) {
	t.Helper()
	address, err := url.Parse(server)
	require.NoError(t, err)
	conn, err := net.Dial("tcp", address.Host)
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.SetDeadline(time.Now().Add(hang)))
	for _, command := range commands {
		_, err := fmt.Fprintf(conn, "%s\r\n", command)
		require.NoError(t, err)
		answer := make([]byte, len("+OK\r\n"))
		_, err = io.ReadFull(conn, answer)
		require.NoError(t, err)
		require.Equal(t, "+OK\r\n", string(answer), command)
	}
}

// A hit rate means nothing if the server's memory differs from the benchmark's, or if it does not
// evict.
func TestHitRateChecksServerMemory(t *testing.T) {
	t.Parallel()
	memory := func(bytes int, policy string) []string {
		return []string{fmt.Sprint("CONFIG SET maxmemory ", bytes), "CONFIG SET maxmemory-policy " + policy}
	}
	env := cachesEnv(t, "CLIENTS", "2")
	maps.Copy(env, ownRedis(t))
	redis := strings.TrimPrefix(env["REDIS_URL"], "redis://")
	for _, c := range []struct {
		redis, env []string
		says       string
	}{
		{nil, []string{"TARGET", "memcached"}, "memcached at " + env["MEMCACHED_URL"] + " has a memory limit of 67108864 bytes, and MEMORY is 134217728: " +
			"start it with --memory-limit 128, and without --disable-evictions; OTHER_MEMORY=true measures it as it is"},
		{memory(0, "allkeys-lru"), []string{"TARGET", "umem,redis"}, "redis at " + redis + " has no memory limit, and MEMORY is 134217728 bytes: " +
			"start it with --maxmemory 134217728 --maxmemory-policy allkeys-lru"},
		{memory(133000000, "noeviction"), []string{"TARGET", "redis"}, "does not evict what the benchmark writes (maxmemory-policy noeviction): start it with"},
		{memory(133000000, "volatile-lru"), []string{"TARGET", "redis"}, "does not evict what the benchmark writes (maxmemory-policy volatile-lru): start it with"},
		{memory(132000000, "allkeys-lru"), []string{"TARGET", "redis"}, "has a memory limit of 132000000 bytes, and MEMORY is 134217728: start it with"},
		{memory(132000000, "allkeys-lru"), []string{"TARGET", "redis", "CONFIG", "100m-512b", "MEMORY", "", "ITEM", ""},
			"has a memory limit of 132000000 bytes, and CONFIG=100m-512b is 104857600: start it with"},
	} {
		if c.redis != nil {
			tellRedis(t, env["REDIS_URL"], c.redis...)
		}
		of := with(env, map[string]string{"MEMORY": "134217728", "ITEM": "2000"})
		for i := 0; i < len(c.env); i += 2 {
			of[c.env[i]] = c.env[i+1]
		}
		r := k6(t, options{script: "cache-hitrate.js", env: of})
		require.Equal(t, exitAborted, r.code, r.output)
		require.Len(t, r.lines(c.says), 1, r.output)
		require.NoDirExists(t, r.results, "nothing was measured")
	}

	tellRedis(t, env["REDIS_URL"], memory(8400000, "allkeys-lfu")...)
	r := k6(t, options{script: "cache-hitrate.js", env: with(env, map[string]string{"MEMORY": "8388608", "ITEM": "20000", "TARGET": "redis"})})
	require.Equal(t, exitOK, r.code, r.output)
	target := r.report(t, "cache-hitrate-redis").Target
	require.InDelta(t, 8400000, target["memoryLimit"], 0, "within 1 %")
	require.Equal(t, true, target["evicts"])
	require.NotContains(t, r.output, "THE SERVER")
	require.NotContains(t, r.output, "VmHWM counts since")
}

func TestHitRateWithOtherNumbersOfClients(t *testing.T) {
	t.Parallel()
	for _, clients := range []string{"1", "64"} {
		r := k6(t, options{script: "cache-hitrate.js", env: smallHitRate(t, "CLIENTS", clients, "VMHWM", "4194304", "REDIS_PID", "",
			"TARGET", "redis", "GATES", "../thresholds/cache-hitrate.json")})
		if r.code != exitOK { // a fast machine needs less than 0.1 s; on a busy one the server may stall
			require.Contains(t, []int{exitThreshold, exitMarkedFailed}, r.code, r.output)
			require.Len(t, r.lines("level=error"), 1, r.output)
			require.NotEmpty(t, append(r.lines("gate undecided: ops/s"), r.lines("but it stood still")...), r.output)
		}
		s := cacheSteps(t, r, "cache-hitrate-redis")[0]
		require.Equal(t, smallAccesses, s.Ops)
		require.Equal(t, smallHot, s.Extra.Hot)
		require.InDelta(t, 4194304, *s.Extra.VMHWMBytes, 0)
		require.InDelta(t, *s.Extra.HitRate/4, *s.Extra.PerMemoryHitRate, 1e-9)
	}
}

// Pogocache uses one of the other protocols; the report says that its memory is unknown.
func TestHitRateWithoutMemory(t *testing.T) {
	t.Parallel()
	env := smallHitRate(t, "TARGET", "pogocache", "POGOCACHE_PROTOCOL", "memcached")
	env["POGOCACHE_URL"] = strings.Replace(env["MEMCACHED_URL"], "127.0.0.1", "localhost", 1)
	env["MEMORY"], env["POGOCACHE_PID"] = "1048576", "999999999"
	r := k6(t, options{script: "cache-hitrate.js", env: env})
	require.Equal(t, exitOK, r.code, r.output)
	s := cacheSteps(t, r, "cache-hitrate-pogocache")[0]
	require.Equal(t, smallHot, s.Extra.Hot)
	require.Nil(t, s.Extra.VMHWMBytes)
	require.Nil(t, s.Extra.PerMemoryHitRate)
	require.Contains(t, r.output, "pogocache: VmHWM is unknown, so figures with it are missing: set POGOCACHE_PID")
}

func TestHitRateSettings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		env  []string
		says string
	}{
		{[]string{"TARGET", "mongo"}, `TARGET must be all, or some of memcached, umem, redis, pogocache with commas between them, but is "mongo"`},
		{[]string{"TARGET", "redis,redis"}, `TARGET must be all, or some of memcached, umem, redis, pogocache with commas between them, but is "redis,redis"`},
		{[]string{"CONFIG", "3g"}, `CONFIG must be one of 2g-513k, 100m-512b, random-2g-1m, random-100m-1k, but is "3g"`},
		{[]string{"CONFIG", "2g-513k", "ITEM", "50"}, "CONFIG and ITEM exclude each other: set one of them"},
		{[]string{"MEMORY", "5000"}, "MEMORY and ITEM must both be set"},
		{[]string{"TARGET", "all", "VMHWM", "5"}, "VMHWM is for one server: set one TARGET, or NAME_PID for each"},
		{[]string{"POGOCACHE_PROTOCOL", "http", "TARGET", "pogocache"}, `POGOCACHE_PROTOCOL must be one of resp, memcached, but is "http"`},
	} {
		r := refused(t, options{script: "cache-hitrate.js", env: cachesEnv(t, tt.env...)})
		require.Equal(t, exitInvalidConfig, r.code, r.output)
		require.Contains(t, strings.ReplaceAll(r.output, `\"`, `"`), tt.says)
	}
}

func TestHitRateWithoutServer(t *testing.T) {
	t.Parallel()
	r := k6(t, options{script: "cache-hitrate.js", env: smallHitRate(t, "MEMCACHED_URL", "127.0.0.1:1")})
	require.NotEqual(t, exitOK, r.code, r.output)
	require.NotEmpty(t, r.lines("cannot connect to 127.0.0.1:1"), r.output)
}

func TestCacheSweep(t *testing.T) {
	t.Parallel()
	targets := []string{"memcached", "umem", "redis"}
	r := k6(t, options{script: "cache-sweep.js", env: cachesEnv(t, "TARGET", strings.Join(targets, ","), "CLIENTS", "1,4,16", "ITERATIONS", "200",
		"WARMUP", "100ms", "KEYS", "1000", "PAUSE", "0s")})
	require.Equal(t, exitOK, r.code, r.output)
	for _, target := range targets {
		steps := cacheSteps(t, r, "cache-sweep-"+target)
		require.Len(t, steps, 6)
		for i, clients := range []int{1, 4, 16} {
			get, set := steps[2*i], steps[2*i+1]
			require.Equal(t, "get", get.Op)
			require.Equal(t, "set", set.Op)
			require.Equal(t, 200*clients, get.Ops+set.Ops, "to the operation")
			require.Zero(t, get.Failed+set.Failed)
			require.Equal(t, get.Ops, get.Extra.Hits+get.Extra.Misses)
			if target == "umem" { // its set deletes first
				require.Greater(t, *get.Extra.HitRate, 90.0)
			} else {
				require.InDelta(t, 100, *get.Extra.HitRate, 0, "all keys were written before")
			}
			require.Positive(t, get.BytesReceived)
			require.True(t, get.Complete)
			wait := get.ClientWaitMs
			require.NotNil(t, wait, "clients take turns at event loops")
			require.InDelta(t, 200*clients/16, wait.Answers, float64(200*clients/32), "of one answer in sixteen")
			require.Positive(t, wait.Mean)
			require.LessOrEqual(t, wait.P99, wait.Max)
			// Not the means: the mean of every sixteenth answer can include the slowest one.
			require.Less(t, wait.Max, 1.05*max(get.LatencyMs.Max, set.LatencyMs.Max), "a wait is a part of the latency")
		}
	}
}

func TestCacheSweepInPipelines(t *testing.T) {
	t.Parallel()
	r := k6(t, options{script: "cache-sweep.js", env: cachesEnv(t, "TARGET", "memcached", "CLIENTS", "1,4", "ITERATIONS", "640", "WARMUP", "0s",
		"KEYS", "1000", "PIPELINE", "64")})
	require.Equal(t, exitOK, r.code, r.output)
	steps := cacheSteps(t, r, "cache-sweep-memcached")
	require.Equal(t, 640, steps[0].Ops+steps[1].Ops)
	require.Equal(t, 4*640, steps[2].Ops+steps[3].Ops)

	multi := k6(t, options{script: "cache-sweep.js", env: cachesEnv(t, "TARGET", "redis", "CLIENTS", "2", "DURATION", "300ms", "WARMUP", "0s",
		"KEYS", "1000", "MIX", "getMulti:9,set:1", "BATCH", "20")})
	require.Equal(t, exitOK, multi.code, multi.output)
	s := cacheSteps(t, multi, "cache-sweep-redis")[0]
	require.Equal(t, "getMulti", s.Op)
	require.Equal(t, 20*s.Ops, s.Extra.Hits)
	require.GreaterOrEqual(t, s.Seconds, 0.3)
	require.Less(t, s.Seconds, 5.0, "it ends by its duration, on a busy machine too")
}

func TestCacheSweepInPipelinesWithGates(t *testing.T) {
	gated := k6(t, options{script: "cache-sweep.js", binary: withoutRace(t), env: cachesEnv(t, "TARGET", "memcached", "CLIENTS", "1,2", "ITERATIONS", "40000",
		"WARMUP", "0s", "KEYS", "1000", "PIPELINE", "2", "GATES", "../thresholds/cache-sweep.json")})
	require.Equal(t, exitOK, gated.code, gated.output)
}

// A pipeline is timed once: 1,000 operations in pipelines of 50 are 20 timings, too few for p99.
func TestPercentilesOfPipelinesRestOnPipelines(t *testing.T) {
	gates := gateFile(t, `{ "scenario": "cache-sweep", "absolute": [{ "op": "get", "p50": "1m", "p99": "1m" }] }`)
	r := k6(t, options{script: "cache-sweep.js", env: cachesEnv(t, "TARGET", "memcached", "CLIENTS", "1", "ITERATIONS", "1000", "WARMUP", "0s",
		"KEYS", "1000", "MIX", "get:1", "PIPELINE", "50", "GATES", gates)})
	require.Equal(t, exitMarkedFailed, r.code, r.output)
	require.Equal(t, 1000, cacheSteps(t, r, "cache-sweep-memcached")[0].Ops)
	undecided := strings.Join(r.lines("UNDECIDED: "), "\n")
	require.Contains(t, undecided, "p99 of 20 pipelines rests on 0 of them", r.output)
	require.NotContains(t, undecided, "p50", r.output)
	table := r.table(t, "cache-sweep-memcached")
	require.Regexp(t, `\| *\([0-9.]+ms\) *\|`, table)
	require.Contains(t, table, "A pipeline counts as one.")
}

func TestMissesOfPrefilledKeysFail(t *testing.T) {
	t.Parallel()
	for allow, code := range map[string]int{"false": exitThreshold, "true": exitOK} {
		env := with(cachesEnv(t, "TARGET", "redis", "CLIENTS", "4", "DURATION", "2s", "WARMUP", "0s", "KEYS", "1000", "MIX", "get:1",
			"ALLOW_MISSES", allow), ownRedis(t))
		server := env["REDIS_URL"]
		env["REDIS_URL"] = slowed(t, server)
		r := k6(t, options{script: "cache-sweep.js", env: env, measuring: func(*os.Process) { tellRedis(t, server, "FLUSHALL") }})
		require.Equal(t, code, r.code, r.output)
		s := cacheSteps(t, r, "cache-sweep-redis")[0]
		require.Positive(t, s.Extra.Hits)
		require.Positive(t, s.Extra.Misses)
		require.Equal(t, s.Ops+s.Failed, s.Extra.Hits+s.Extra.Misses, "both are in the step")
		if code == exitOK {
			require.Zero(t, s.Failed)
		} else {
			require.Equal(t, s.Extra.Misses, s.Failed)
			require.Contains(t, s.Extra.Errors, "a prefilled key is missing: the server has lost, evicted or expired it, or it was deleted; "+
				"option allowMisses: true counts such a read as done")
		}
	}
}

func TestPrefillThatIsRefusedEndsTheRun(t *testing.T) {
	t.Parallel()
	r := k6(t, options{script: "cache-sweep.js", env: cachesEnv(t, "TARGET", "memcached", "CLIENTS", "1,4", "ITERATIONS", "1000", "WARMUP", "0s",
		"KEYS", "100", "VALUE", "2000000")})
	require.Equal(t, exitAborted, r.code, r.output)
	require.NotEmpty(t, r.lines("prefill of key key:000000000000: the store refused to keep the value: the server says: object too large for cache"), r.output)
	require.Len(t, r.report(t, "cache-sweep-memcached").Steps, 1, "the next step does not begin")
	require.Zero(t, r.report(t, "cache-sweep-memcached").Steps[0].Ops)
}

func TestExamplesOfRun(t *testing.T) {
	t.Parallel()
	for module, op := range map[string]string{"memcached": "get", "resp": "get", "umemcache": "getOrSet"} {
		r := k6(t, options{script: "../extensions/" + module + "/examples/run.js", env: cachesEnv(t, "ITERATIONS", strconv.Itoa(exampleShare))})
		requireExampleSteps(t, r, "run", op)
	}
}

func TestExampleOfCommands(t *testing.T) {
	t.Parallel()
	r := k6(t, options{script: "../extensions/resp/examples/commands.js", env: cachesEnv(t)})
	require.Equal(t, exitOK, r.code, r.output)
	steps := r.report(t, "commands").Steps
	require.Len(t, steps, 2*len(exampleSteps))
	for i := 0; i < len(steps); i += 2 {
		require.Equal(t, fixedShare*steps[i].Clients, steps[i].Ops+steps[i+1].Ops)
		require.Zero(t, steps[i].Failed+steps[i+1].Failed)
	}
}

func TestRunIsInterruptedByCtrlC(t *testing.T) {
	t.Parallel()
	var interrupted time.Time
	r := k6(t, options{
		script: "cache-sweep.js",
		env:    cachesEnv(t, "TARGET", "redis", "CLIENTS", "4", "DURATION", "10m", "WARMUP", "0s", "KEYS", "1000"),
		shows:  worked,
		measuring: func(k6 *os.Process) {
			interrupted = time.Now()
			_ = k6.Signal(os.Interrupt)
		},
	})
	require.Equal(t, exitInterrupted, r.code, r.output)
	require.Less(t, r.ended.Sub(interrupted), 20*time.Second)
	require.True(t, r.report(t, "cache-sweep-redis").Interrupted)
	for _, s := range cacheSteps(t, r, "cache-sweep-redis") {
		require.Positive(t, s.Ops)
		require.Zero(t, s.Failed, "what Ctrl-C cuts off is nobody's failure")
	}
}

func TestRespPassword(t *testing.T) {
	t.Parallel()
	env := smallHitRate(t, "TARGET", "redis")
	address, err := url.Parse(env["REDIS_URL"])
	require.NoError(t, err)
	address.User = url.UserPassword("nobody", password)
	env["REDIS_URL"] = address.String()
	r := k6(t, options{script: "cache-hitrate.js", env: env})
	require.NotEqual(t, exitOK, r.code)
	require.NotEmpty(t, r.lines("WRONGPASS"), r.output)
}
