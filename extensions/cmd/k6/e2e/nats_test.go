package e2e

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func natsEnv(t *testing.T, more ...string) map[string]string {
	t.Helper()
	env := map[string]string{defaultEnvMachbase: "", "NATS_URL": os.Getenv("NATS_URL")}
	require.NotEmpty(t, env["NATS_URL"], "run the tests with `make test`, or as scripts/servers.sh with machbase nats -- go test ./...")
	for i := 0; i < len(more); i += 2 {
		env[more[i]] = more[i+1]
	}

	return env
}

var natsjsRows = []string{
	"OrbSet", "MicroWrite", "OrbSetGet", "MicroWriteRead", "OrbGet", "MicroRead", "OrbList", "MicroList", "OrbListPagination", "MicroListPagination",
	"OrbSetLarge", "MicroWriteLarge", "OrbGetLarge", "MicroReadLarge", "OrbSetGetLarge", "MicroWriteReadLarge", "OrbDeleteLarge", "MicroDeleteLarge",
}

func TestNatsjsKV(t *testing.T) {
	began := time.Now()
	r := k6(t, options{script: "natsjs-kv.js", binary: withoutRace(t), env: natsEnv(t, "ITERATIONS", "10", "TABLES", "3", "KEYS", "250", "GATES", "../thresholds/natsjs-kv.json")})
	require.Equal(t, exitOK, r.code, r.output)
	requireRowsOfTheirOwnTime(t, r.report(t, "natsjs-kv").Steps, r.ended.Sub(began))
	steps := map[string]step{}
	for _, s := range r.report(t, "natsjs-kv").Steps {
		require.Zero(t, s.Failed, s.Op)
		require.True(t, s.Complete)
		require.Equal(t, 1, s.Clients)
		steps[s.Op] = s
	}
	require.Len(t, steps, 18+2+9, "the published rows, those that make it fair, and the compatible mode")
	for _, row := range natsjsRows {
		s, ok := steps[row]
		require.True(t, ok, row)
		want := 10
		if row == "MicroList" {
			want = 6 // the published number is the limit
		}
		require.Equal(t, want, s.Ops, row)
	}
	require.Equal(t, 10*250, steps["OrbList"].Rows)
	require.Equal(t, 6*3*250, steps["MicroList"].Rows)
	require.Equal(t, 6*250, steps["MicroListTable"].Rows)
	require.Greater(t, steps["MicroWriteLarge"].BytesSent, 10*1398104)

	table := r.table(t, "natsjs-kv")
	require.Contains(t, r.output, table, "what is shown is what is kept")
	require.Regexp(t, `(?m)^\| row +\| iterations \| +ns/op \| moved B/op \| failed \| published ns/op \|$`, table)
	require.Regexp(t, `(?m)^\| MicroWrite +\| +10 \| +[\d,]+ \| +[\d,]+ \| +0 \| +[\d,]+ \|$`, table)
	published, ratios := r.report(t, "natsjs-kv").Tables[0], r.report(t, "natsjs-kv").Tables[1]
	names, took, moved := column(t, published, "row"), column(t, published, "ns/op"), column(t, published, "moved B/op")
	require.Len(t, names, 29)
	for i, row := range natsjsRows {
		require.Equal(t, row, names[i])
		require.NotNil(t, column(t, published, "published ns/op")[i])
		require.InDelta(t, steps[row].LatencyMs.Mean*1e6, took[i], 1)
		require.InDelta(t, float64(steps[row].BytesSent+steps[row].BytesReceived)/float64(steps[row].Ops), moved[i], 1)
	}
	for _, want := range []string{
		`\| Set +\| MicroWrite / OrbSet +\| +\| +[0-9.]+ \| +- \| +0\.99 \|`, `\| Set +\| MicroWrite / OrbCompatSet +\| +\| +[0-9.]+ \| +- \| +- \|`,
		`\| List +\| MicroList / OrbList +\| as published  \| +[0-9.]+ \| +[0-9.]+ \| +74\.3\d \|`,
		`\| List +\| MicroListTable / OrbList +\| like for like \| +[0-9.]+ \| +[0-9.]+ \| +- \|`,
		`\| ListPagination +\| MicroListPagination / OrbListPagination +\| as published  \| +[0-9.]+ \| +[0-9.]+ \| +1\.00 \|`,
		`\| ListPagination +\| MicroListPaginationTable / OrbListPagination +\| like for like \| +[0-9.]+ \| +[0-9.]+ \| +- \|`,
		`\| GetLarge +\| MicroReadLarge / OrbGetLarge +\| +\| +[0-9.]+ \| +- \| +13\.48 \|`,
	} {
		require.Regexp(t, want, table)
	}
	require.NotContains(t, table, "OrbCompatList /")
	at := slices.Index(column(t, ratios, "compared"), any("MicroReadLarge / OrbGetLarge"))
	require.InEpsilon(t, steps["MicroReadLarge"].LatencyMs.Mean/steps["OrbGetLarge"].LatencyMs.Mean, column(t, ratios, "ratio")[at], 1e-9)
}

func requireRowsOfTheirOwnTime(t *testing.T, steps []step, whole time.Duration) {
	t.Helper()
	seconds := 0.0
	for _, s := range steps {
		seconds += s.Seconds
		require.GreaterOrEqual(t, s.Seconds, 0.999*float64(s.Ops)*s.LatencyMs.Mean/1000, "%s: the operations of its one client are part of its time", s.Op)
		require.InEpsilon(t, float64(s.Ops)/s.Seconds, s.OpsPerSecond, 1e-9, s.Op)
	}
	require.Less(t, seconds, whole.Seconds())
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	n, err := strconv.ParseFloat(text, 64)
	require.NoError(t, err)

	return n
}

func TestNatsjsKVOfSomeRows(t *testing.T) {
	t.Parallel()
	server := startNats(t, 1, "")[0] // another test uses the scenario's database on the shared server
	r := k6(t, options{script: "natsjs-kv.js", env: natsEnv(t, "NATS_URL", server.url, "ITERATIONS", "1200", "LAYOUT", "micro", "ROWS", "MicroWrite,MicroRead")})
	require.Equal(t, exitOK, r.code, r.output)
	steps := r.report(t, "natsjs-kv").Steps
	require.Len(t, steps, 2)
	require.Equal(t, 1200, steps[0].Ops)
	require.Equal(t, 1200, steps[1].Ops)
	require.Len(t, r.report(t, "natsjs-kv").Tables, 1, "there is nothing to compare with")
}

func TestNatsjsKVThatCannotFill(t *testing.T) {
	t.Parallel()
	server := startNats(t, 1, "max_payload: 100000")[0]
	r := k6(t, options{script: "natsjs-kv.js", env: natsEnv(t, "NATS_URL", server.url, "ITERATIONS", "3", "LAYOUT", "orb", "ROWS", "OrbGetLarge,OrbGet,OrbSetLarge")})
	require.Equal(t, exitThreshold, r.code, r.output)
	require.NotEmpty(t, r.lines("OrbGetLarge: put key"), r.output)
	steps := map[string]step{}
	for _, s := range r.report(t, "natsjs-kv").Steps {
		steps[s.Op] = s
	}
	require.Equal(t, 3, steps["OrbGet"].Ops)
	require.Equal(t, 3, steps["OrbSetLarge"].Failed)
	require.Equal(t, 1, steps["OrbGetLarge"].Failed, "the fill")
	require.Regexp(t, `(?m)^\| OrbGetLarge +\| +0 \| +- \| +- \|`, r.table(t, "natsjs-kv"))
}

func TestNatsjsKVSweep(t *testing.T) {
	t.Parallel()
	r := k6(t, options{script: "natsjs-kv-sweep.js", env: natsEnv(t, "CLIENTS", "1,4", "ITERATIONS", "40", "WARMUP", "0s", "PAUSE", "0s", "KEYS", "100")})
	require.Equal(t, exitOK, r.code, r.output)
	for _, layout := range []string{"orb", "orb-compat", "micro"} {
		for mix, ops := range map[string][]string{"put": {"set"}, "get": {"get"}, "mixed": {"get", "set"}} {
			rep := r.report(t, "natsjs-kv-sweep-"+layout+"-"+mix)
			require.Equal(t, "nats", rep.Target["kind"])
			require.Equal(t, layout, rep.Params["layout"])
			require.Len(t, rep.Steps, 2*len(ops))
			done := map[int]int{}
			for i, s := range rep.Steps {
				require.Equal(t, ops[i%len(ops)], s.Op)
				require.Zero(t, s.Failed)
				require.True(t, s.Complete)
				done[s.Clients] += s.Ops
			}
			require.Equal(t, map[int]int{1: 40, 4: 160}, done, "to the operation")
		}
	}
}

func TestNatsjsKVSweepWithGates(t *testing.T) {
	r := k6(t, options{script: "natsjs-kv-sweep.js", binary: withoutRace(t), env: natsEnv(t, "CLIENTS", "1,2", "ITERATIONS", "2600", "WARMUP", "100ms", "KEYS", "100",
		"LAYOUT", "micro", "MIX", "mixed", "GATES", "../thresholds/natsjs-kv-sweep.json")})
	require.Equal(t, exitOK, r.code, r.output)
	require.Contains(t, r.output, "gates and thresholds held")
	require.Len(t, r.report(t, "natsjs-kv-sweep-micro-mixed").Steps, 4)
}

func TestNatsCore(t *testing.T) {
	t.Parallel()
	r := k6(t, options{script: "nats-core.js", env: natsEnv(t, "CLIENTS", "1,8", "ITERATIONS", "40", "BATCH", "20", "WARMUP", "0s", "PAUSE", "0s")})
	require.Equal(t, exitOK, r.code, r.output)
	for work, op := range map[string]string{"publish": "publish", "pubsub": "deliver", "request": "request"} {
		steps := r.report(t, "nats-core-"+work).Steps
		require.Len(t, steps, 2, work)
		for i, clients := range []int{1, 8} {
			require.Equal(t, op, steps[i].Op)
			require.Equal(t, 40*clients, steps[i].Ops, "%s: messages are delivered once, and none is lost", work)
			require.Zero(t, steps[i].Failed)
			require.Positive(t, steps[i].LatencyMs.P50)
		}
	}
	published := r.report(t, "nats-core-publish").Steps[1]
	require.Equal(t, 8*40*20, published.Rows)
	require.Equal(t, map[string]int{"messages": 8 * 40 * 20}, published.Extra.Counters)
	require.Greater(t, published.BytesSent, 8*40*20*100)
	tables := r.report(t, "nats-core-publish").Tables
	require.Equal(t, []any{800.0, 6400.0}, column(t, tables[0], "messages"))
	require.InDelta(t, 6400/published.Seconds, column(t, tables[0], "messages/s")[1], 1)
	require.Regexp(t, `(?m)^\| +8 \| +1 \| +6,400 \| +[\d,]+ \| +[\d,.]+ \| +[\d,.]+ \|$`, r.output)
	require.Empty(t, r.report(t, "nats-core-request").Tables)

	passed := k6(t, options{script: "nats-core.js", env: natsEnv(t, "CLIENTS", "8", "ITERATIONS", "40", "BATCH", "20", "WARMUP", "0s", "PAUSE", "0s",
		"WORK", "pubsub")})
	require.Equal(t, exitOK, passed.code, passed.output)
	step := passed.report(t, "nats-core-pubsub").Steps[0]
	require.Equal(t, map[string]int{"messages": 8 * 40}, step.Extra.Counters, "a message that is sent and delivered is one")
	require.Equal(t, 8*40, step.Rows)
	require.Empty(t, passed.report(t, "nats-core-pubsub").Tables, "its operations are single messages")
}

func TestNatsCoreWithGates(t *testing.T) {
	gated := k6(t, options{script: "nats-core.js", binary: withoutRace(t), env: natsEnv(t, "CLIENTS", "1,2", "ITERATIONS", "4000", "WARMUP", "100ms", "WORK", "request",
		"GATES", "../thresholds/nats-core.json")})
	require.Equal(t, exitOK, gated.code, gated.output)
	require.Contains(t, gated.output, "gates and thresholds held")
}

func TestNatsSettings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		script, name, value, says string
	}{
		{"natsjs-kv.js", "LAYOUT", "macro", `LAYOUT must be all, or some of orb, orb-compat, micro with commas between them, but is "macro"`},
		{"natsjs-kv-sweep.js", "LAYOUT", "macro", `LAYOUT must be all, or some of orb, orb-compat, micro with commas between them, but is "macro"`},
		{"natsjs-kv.js", "ROWS", "OrbSet,Set", `ROWS must be all, or some of OrbSet, MicroWrite, `},
		{"natsjs-kv.js", "ITERATIONS", "0", `ITERATIONS must be an integer from 1 to 1000000, but is "0"`},
		{"natsjs-kv-sweep.js", "MIX", "half", `MIX must be all, or some of put, get, mixed with commas between them, but is "half"`},
		{"natsjs-kv-sweep.js", "GATES", "x", `GATES is for one scenario, and this run has 9`},
		{"nats-core.js", "WORK", "play", `WORK must be all, or some of publish, pubsub, request with commas between them, but is "play"`},
		{"nats-core.js", "GATES", "x", `GATES is for one scenario, and this run has 3`},
		{"nats-core.js", "NATS_URL", "http://host", "new Client: a server must look like nats://user:password@host:4222"},
	} {
		r := refused(t, options{script: tt.script, env: natsEnv(t, tt.name, tt.value)})
		require.Contains(t, []int{exitInvalidConfig, exitScriptException}, r.code, r.output)
		require.Contains(t, strings.ReplaceAll(r.output, `\"`, `"`), tt.says)
	}
	r := k6(t, options{script: "nats-core.js", env: natsEnv(t, "NATS_URL", "127.0.0.1:1", "CLIENTS", "1")})
	require.NotEqual(t, exitOK, r.code, r.output)
	require.NotEmpty(t, r.lines("cannot connect to 127.0.0.1:1: connection refused; is a nats-server running there?"), r.output)
}

type natsServer struct {
	url  string
	addr string
	path string
	conf string
	cmd  *exec.Cmd
}

func startNats(t *testing.T, number int, more string) []*natsServer {
	t.Helper()
	servers, routes := make([]*natsServer, number), make([]string, number)
	for i := range routes {
		routes[i] = freeAddress(t)
	}
	for i := range servers {
		dir := t.TempDir()
		s := &natsServer{addr: freeAddress(t), path: builtServer(t, "nats"), conf: filepath.Join(dir, "conf")}
		s.url = "nats://" + s.addr
		conf := fmt.Sprintf("server_name: server-%d\nlisten: %q\njetstream { store_dir: %q }\n%s\n", i, s.addr, dir, more)
		if number > 1 {
			conf += fmt.Sprintf("cluster { name: fault, listen: %q, routes: [ nats-route://%s ] }\n", routes[i], strings.Join(routes, ", nats-route://"))
		}
		require.NoError(t, os.WriteFile(s.conf, []byte(conf), 0o600))
		require.NoError(t, s.start())
		t.Cleanup(s.kill)
		servers[i] = s
	}
	for _, s := range servers {
		eventually(t, "nats-server does not start", s.answers)
	}

	return servers
}

func (s *natsServer) start() error {
	s.cmd = exec.Command(s.path, "--config", s.conf)

	return s.cmd.Start()
}

func (s *natsServer) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

func (s *natsServer) answers() bool {
	conn, err := net.Dial("tcp", s.addr)
	if err == nil {
		_ = conn.Close()
	}

	return err == nil
}

var acknowledged = regexp.MustCompile(`ACKNOWLEDGED (\d+) (\d+) (\d+)`)

func TestNatsServerOfAClusterIsKilledAndRestarted(t *testing.T) {
	t.Parallel()
	servers := startNats(t, 3, "")
	list := servers[0].url + "," + servers[1].url + "," + servers[2].url
	restarted := make(chan error, 1)
	r := k6(t, options{
		script: "testdata/nats_publish.js",
		env:    natsEnv(t, "SERVERS", list),
		measuring: func(*os.Process) {
			servers[0].kill()
			restarted <- servers[0].start()
		},
	})
	require.NoError(t, <-restarted)
	require.Equal(t, exitThreshold, r.code, r.output)
	steps := r.report(t, "publish").Steps
	require.Len(t, steps, 1)
	require.True(t, steps[0].Complete)
	require.GreaterOrEqual(t, steps[0].Failed, 4, "each client had a message under way")
	require.GreaterOrEqual(t, sum(r.samples(t, "nats_reconnects"), nil), 4.0)

	clients := acknowledged.FindAllStringSubmatch(r.output, -1)
	require.Len(t, clients, 4)
	total := 0
	counts := make([]string, 0, len(clients))
	for _, c := range clients {
		counts = append(counts, c[1]+":"+c[2])
		total += int(number(t, c[2]))
		require.Less(t, number(t, c[3]), 3000.0, "messages went through again at the end")
	}
	require.Equal(t, steps[0].Ops, total)

	check := k6(t, options{script: "testdata/nats_check.js", env: natsEnv(t, "SERVERS", list, "ACKNOWLEDGED", strings.Join(counts, ","))})
	require.Equal(t, exitOK, check.code, check.output)
	require.Contains(t, check.output, fmt.Sprintf("ALL %d ARE THERE", total))
}
