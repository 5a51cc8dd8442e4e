package e2e

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection"

	sweepreport "github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// exampleSteps are the examples' numbers of clients.
var exampleSteps = []int{1, 4, 16}

// Operations per client: the ITERATIONS of the tests, and those of examples without settings.
const (
	exampleShare = 50
	fixedShare   = 200
)

func example(t *testing.T, name string, env map[string]string) *run {
	t.Helper()
	env[defaultEnvMachbase] = ""
	if strings.HasPrefix(name, "../../../examples/") { // which last for a time by default
		env["ITERATIONS"], env["WARMUP"] = strconv.Itoa(exampleShare), "200ms"
	}

	return k6(t, options{script: filepath.Join("../extensions/sweep/examples", name), env: env})
}

func requireExampleSteps(t *testing.T, r *run, scenario, op string) {
	t.Helper()
	requireSteps(t, r, exampleShare, scenario, op)
}

func requireSteps(t *testing.T, r *run, share int, scenario, op string) {
	t.Helper()
	requireOnlySlow(t, r)
	rep := r.report(t, scenario)
	require.Len(t, rep.Steps, len(exampleSteps))
	for i, clients := range exampleSteps {
		s := rep.Steps[i]
		require.Equal(t, clients, s.Clients)
		require.Equal(t, op, s.Op)
		require.Equal(t, share, s.PerClient)
		require.Equal(t, share*clients, s.Ops)
		require.Zero(t, s.Failed)
		require.Equal(t, s.Overlap == nil || *s.Overlap >= 0.95, s.Complete)
	}
}

func requireOnlySlow(t *testing.T, r *run) {
	t.Helper()
	if r.code == exitThreshold {
		require.Contains(t, r.output, "thresholds on metrics 'sweep_p99{clients:16}' have been crossed")

		return
	}
	require.Equal(t, exitOK, r.code, r.output)
}

// requirePhases checks the tags of a Trend with a sample per call: samples of the measured phase
// have the step's clients, all others belong to the warm-up.
func requirePhases(t *testing.T, r *run, trend string) int {
	t.Helper()
	points := r.samples(t, trend)
	measured, warmUp := map[string]int{}, 0
	for _, p := range points {
		clients, phase := p.Data.Tags["clients"], p.Data.Tags["phase"]
		require.NotEqual(t, clients == "", phase == "", "a sample is of one phase: %v", p.Data.Tags)
		if clients == "" {
			warmUp++
		} else {
			measured[clients]++
		}
	}
	for _, clients := range exampleSteps {
		require.Equal(t, exampleShare*clients, measured[strconv.Itoa(clients)], "with %d clients", clients)
	}
	require.Len(t, measured, len(exampleSteps))
	require.Greater(t, warmUp, 1+4+16, "each client's first call, and a warm-up")

	return len(points)
}

func httpServer(t *testing.T, handler http.HandlerFunc) (url string, requests *atomic.Int64) {
	t.Helper()
	requests = &atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		handler(w, r)
	}))
	t.Cleanup(server.Close)

	return server.URL, requests
}

func TestExampleHTTP(t *testing.T) {
	t.Parallel()
	url, requests := httpServer(t, func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(latency)
		_, _ = w.Write([]byte("hello"))
	})
	r := example(t, "../../../examples/http.js", map[string]string{"HTTP_URL": url})
	requireExampleSteps(t, r, "http", "get")
	require.Equal(t, requests.Load(), int64(requirePhases(t, r, "http_req_duration")))
}

func TestNewScriptsRun(t *testing.T) {
	t.Parallel()
	address, _ := postgresURL(t)
	for kind, tt := range map[string]struct {
		scenario, op string
		env          map[string]string
	}{
		"memcached": {"memcached", "lookup", cachesEnv(t)},
		"nats":      {"nats", "request", natsEnv(t)},
		"machbase":  {"machbase", "select", map[string]string{defaultEnvMachbase: serverURL(t)}},
		"postgres":  {"postgres-rows", "select", map[string]string{defaultEnvMachbase: "", "POSTGRES_URL": address.String()}},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "mine.js")
			code, stdout, stderr := sweep(t, "new", kind, file)
			require.Zero(t, code, stderr)
			require.Contains(t, stdout, "k6 run "+file)
			iterations := map[string]string{"ITERATIONS": strconv.Itoa(exampleShare), "WARMUP": "200ms"}
			requireExampleSteps(t, k6(t, options{script: file, env: with(tt.env, iterations)}), tt.scenario, tt.op)
			code, _, stderr = sweep(t, "new", kind, file)
			require.Equal(t, exitInvalidConfig, code)
			require.Contains(t, stderr, "mine.js: it is there already")
		})
	}
	code, _, stderr := sweep(t, "new", "postgresql")
	require.Equal(t, exitInvalidConfig, code)
	require.Contains(t, stderr, "did you mean postgres?")
}

func TestExampleHTTPCountsFailures(t *testing.T) {
	t.Parallel()
	// The first answers are correct, because a sweep without any success ends early.
	var answers atomic.Int64
	url, _ := httpServer(t, func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(latency)
		if answers.Add(1) > 10 {
			w.WriteHeader(http.StatusTeapot)
		}
	})
	r := example(t, "../../../examples/http.js", map[string]string{"HTTP_URL": url, "CLIENTS": "1,4"})
	require.Equal(t, exitThreshold, r.code, r.output)
	s := r.report(t, "http").Steps[1]
	require.Zero(t, s.Ops)
	require.Equal(t, map[string]int{"http: GET " + url + " answered 418 I'm a teapot": 4 * exampleShare}, s.Extra.Errors)
}

func fullReport(t *testing.T, r *run, scenario string) (rep struct {
	Steps []struct {
		step
		Rate float64
	}
	Search struct {
		Of, Bound  string
		Max, Found float64
		Bracket    struct{ Low, High float64 }
	}
}) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(r.results, scenario+".json"))
	require.NoError(t, err, r.output)
	require.NoError(t, json.Unmarshal(raw, &rep))

	return rep
}

func TestExampleOpenLoop(t *testing.T) {
	calm(t)
	url, requests := httpServer(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("hello")) })
	r := example(t, "open-loop.js", map[string]string{"HTTP_URL": url})
	require.Equal(t, exitOK, r.code, r.output)
	steps := fullReport(t, r, "open-loop").Steps
	require.Len(t, steps, 2)
	sent := r.samples(t, "http_reqs")
	for i, rate := range []int{100, 500} {
		s := steps[i]
		require.Equal(t, float64(rate), s.Rate)
		require.Equal(t, 8, s.Clients)
		require.Equal(t, 3*rate, s.Ops, "three seconds of it")
		require.True(t, s.Complete)
		require.InDelta(t, 3, s.Seconds, 1)
		require.Equal(t, float64(3*rate), sum(sent, map[string]string{"rate": strconv.Itoa(rate)}))
	}
	require.Equal(t, float64(requests.Load()), sum(sent, nil))
	require.Equal(t, float64(2*8), sum(sent, map[string]string{"phase": "warmup"}), "the first calls of the clients")
	requireSoundPage(t, browser(t), r, "open-loop")
}

// Compares two servers in one run: each call goes to the server of its variant, and the slower one
// is detected.
func TestExampleDuet(t *testing.T) {
	calm(t)
	answering := func(after time.Duration) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(after)
			_, _ = w.Write([]byte("hello"))
		}
	}
	base, toBase := httpServer(t, answering(10*time.Millisecond))
	change, toChange := httpServer(t, answering(20*time.Millisecond))
	r := example(t, "duet.js", map[string]string{"BASE_URL": base, "HTTP_URL": change, "DURATION": "4s"})
	require.Equal(t, exitOK, r.code, r.output)

	raw, err := os.ReadFile(filepath.Join(r.results, "duet.json"))
	require.NoError(t, err)
	rep, err := sweepreport.Read(raw)
	require.NoError(t, err)
	require.Equal(t, base, rep.Target["base"].(map[string]any)["url"])
	require.Len(t, rep.Steps, 4)
	require.Len(t, rep.Duets, 2)
	requested := map[string]int64{}
	for i := range rep.Steps {
		s := &rep.Steps[i]
		require.True(t, s.Complete)
		require.Positive(t, s.CPU.K6)
		d := rep.DuetOf(s)
		require.NotNil(t, d)
		requested[s.Variant] += s.Operations
		rate, mean := d.Of("opsPerSecond"), d.Of("mean")
		require.NotNil(t, rate, d.Why)
		// Not the intervals, which are wide after a few seconds.
		require.Less(t, rate.Ratio, 0.8)
		require.Greater(t, mean.Ratio, 1.25)
		require.Contains(t, r.output, rep.DuetLine(d))
	}
	require.LessOrEqual(t, rep.Steps[0].Latency.Mean*1.2, rep.Steps[1].Latency.Mean)
	require.LessOrEqual(t, toBase.Load()-requested[sweepreport.Base], int64(500), "its own calls, and some to warm up")
	require.GreaterOrEqual(t, toChange.Load(), rep.Steps[1].Operations+rep.Steps[3].Operations)
	for _, variant := range []string{sweepreport.Base, sweepreport.Change} {
		samples := r.samples(t, "sweep_p95")
		require.True(t, slices.ContainsFunc(samples, func(p point) bool { return p.Data.Tags["variant"] == variant }))
	}
	b := browser(t)
	b.open(t, filepath.Join(r.results, "duet.html"))
	require.Empty(t, pageFaults(t, b))
}

// A server that is fast for up to four concurrent clients.
func TestExampleAsync(t *testing.T) {
	t.Parallel()
	url, _ := httpServer(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("hello")) })
	r := example(t, "async.js", map[string]string{"HTTP_URL": url})
	require.Equal(t, exitOK, r.code, r.output)
	steps := fullReport(t, r, "async").Steps
	require.Len(t, steps, 2)
	for _, s := range steps {
		require.Equal(t, 50*s.Clients, s.Ops)
		require.True(t, s.Complete)
	}

	r = k6(t, options{script: "testdata/ready.js", env: map[string]string{defaultEnvMachbase: ""}})
	require.Equal(t, exitOK, r.code, r.output)
	require.Equal(t, 4*10, fullReport(t, r, "ready").Steps[0].Ops)
	var connected, worked []time.Time
	for _, p := range r.samples(t, "connected") {
		connected = append(connected, p.Data.Time)
	}
	for _, p := range r.samples(t, "worked") {
		worked = append(worked, p.Data.Time)
	}
	require.Len(t, connected, 4)
	require.Len(t, worked, 4*(1+10))
	for _, at := range worked {
		require.False(t, at.Before(slices.MaxFunc(connected, time.Time.Compare)), "a client works while another one connects")
	}
}

func TestExampleFind(t *testing.T) {
	calm(t)
	var inside atomic.Int64
	url, _ := httpServer(t, func(http.ResponseWriter, *http.Request) {
		defer inside.Add(-1)
		if inside.Add(1) > 4 {
			time.Sleep(600 * time.Millisecond)
		}
		time.Sleep(5 * time.Millisecond)
	})
	r := k6(t, options{
		script: "../extensions/sweep/examples/find.js", environment: noWitness,
		env: with(noMachbase, map[string]string{"HTTP_URL": url, "P99": "500ms"}),
	})
	require.Equal(t, exitOK, r.code, r.output)
	rep := fullReport(t, r, "find")
	require.Equal(t, "clients", rep.Search.Of)
	require.Equal(t, "p99 <= 500ms", rep.Search.Bound)
	require.Equal(t, 64.0, rep.Search.Max)
	require.Equal(t, 4.0, rep.Search.Found)
	var tried []int
	steps := map[int]int{}
	for _, s := range rep.Steps {
		if steps[s.Clients]++; steps[s.Clients] == 1 {
			tried = append(tried, s.Clients)
		}
	}
	require.Equal(t, []int{1, 2, 4, 8, 6, 5}, tried)
	require.Equal(t, 4.0, rep.Search.Bracket.Low)
	require.Equal(t, 5.0, rep.Search.Bracket.High)
	require.GreaterOrEqual(t, min(steps[4], steps[5]), 4, "both sides of the answer are tried again")
}

func TestExampleOp(t *testing.T) {
	t.Parallel()
	var heads atomic.Int64
	url, requests := httpServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			heads.Add(1)
		}
		time.Sleep(latency)
		_, _ = w.Write([]byte("hello"))
	})
	const share = 300
	r := example(t, "op.js", map[string]string{"HTTP_URL": url})
	require.Equal(t, exitOK, r.code, r.output)
	steps := r.report(t, "op").Steps
	require.Len(t, steps, 4)
	for i, s := range steps {
		clients := []int{1, 4}[i/2]
		require.Equal(t, clients, s.Clients)
		require.Equal(t, []string{"get", "head"}[i%2], s.Op)
		require.Equal(t, share/2*clients, s.Ops, "half of the operations are of each kind")
		require.Zero(t, s.Failed)
		require.Positive(t, s.LatencyMs.P50)
	}
	require.Equal(t, int64((share/2+1)*(1+4)), heads.Load(), "and each client's first call, unmeasured")
	require.Equal(t, 2*heads.Load(), requests.Load())
	require.Empty(t, r.samples(t, "sweep_op_duration"), "those are of operations outside of sweeps")
	requireSoundPage(t, browser(t), r, "op")
}

type countingListener struct {
	net.Listener
	accepted atomic.Int64
}

func (l *countingListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err == nil {
		l.accepted.Add(1)
	}

	return conn, err
}

func TestExampleGRPC(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	counting := &countingListener{Listener: listener}
	var calls atomic.Int64
	server := grpc.NewServer(grpc.UnaryInterceptor(
		func(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
			calls.Add(1)
			time.Sleep(latency)

			return handle(ctx, request)
		}))
	grpc_health_v1.RegisterHealthServer(server, health.NewServer())
	reflection.Register(server)
	served := make(chan error, 1)
	go func() { served <- server.Serve(counting) }()
	t.Cleanup(func() {
		server.Stop()
		require.NoError(t, <-served)
	})

	r := example(t, "../../../examples/grpc.js", map[string]string{"GRPC_URL": listener.Addr().String()})
	requireExampleSteps(t, r, "grpc", "check")
	require.Equal(t, calls.Load(), int64(requirePhases(t, r, "grpc_req_duration")))
	require.Equal(t, int64(1+4+16), counting.accepted.Load(), "one connection for each client of each step")
}

func TestExampleRedis(t *testing.T) {
	t.Parallel()
	address := ownRedis(t)["REDIS_URL"]
	parsed, err := redis.ParseURL(address)
	require.NoError(t, err)
	client := redis.NewClient(parsed)
	t.Cleanup(func() { _ = client.Close() })

	before := redisGets(t, client)
	r := example(t, "../../../examples/redis.js", map[string]string{"REDIS_URL": address})
	requireExampleSteps(t, r, "redis", "get")
	require.Equal(t, redisGets(t, client)-before, requirePhases(t, r, "iteration_duration"), "each call is one GET")
	left, err := client.Exists(t.Context(), "xk6-sweep-example").Result()
	require.NoError(t, err)
	require.Zero(t, left, "the key that it has set is gone")
}

var redisGetCalls = regexp.MustCompile(`cmdstat_get:calls=(\d+)`)

func redisGets(t *testing.T, client *redis.Client) int {
	t.Helper()
	info, err := client.Info(t.Context(), "commandstats").Result()
	require.NoError(t, err)
	found := redisGetCalls.FindStringSubmatch(info)
	if found == nil {
		return 0
	}
	calls, err := strconv.Atoi(found[1])
	require.NoError(t, err)

	return calls
}
