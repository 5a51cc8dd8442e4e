package e2e

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
)

func outcome(t *testing.T, env map[string]string) *run {
	t.Helper()
	env[defaultEnvMachbase] = ""

	return k6(t, options{script: "testdata/outcome.js", env: env})
}

// No server listens here. A free port could soon belong to another test.
const nobody = "127.0.0.1:1"

func answering(t *testing.T, status int) string {
	t.Helper()
	url, _ := httpServer(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })

	return url + "/items?token=secret"
}

func grpcServer(t *testing.T, code codes.Code) string {
	t.Helper()

	return grpcServerThat(t, func(*grpc.Server) error { return status.Error(code, "on purpose") })
}

// grpcServerThat returns the address of a server that calls a function before each call, which may
// fail it.
func grpcServerThat(t *testing.T, before func(*grpc.Server) error) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var server *grpc.Server
	server = grpc.NewServer(grpc.UnaryInterceptor(
		func(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
			if err := before(server); err != nil {
				return nil, err
			}

			return handle(ctx, request)
		}))
	grpc_health_v1.RegisterHealthServer(server, health.NewServer())
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		server.Stop()
		require.NoError(t, <-served)
	})

	return listener.Addr().String()
}

func redisError(t *testing.T) string {
	t.Helper()

	return "redis://" + connServer(t, func(conn net.Conn) {
		in := bufio.NewReader(conn)
		for {
			var words int
			if _, err := fmt.Fscanf(in, "*%d\r\n", &words); err != nil {
				return
			}
			for range 2 * words {
				if _, err := in.ReadString('\n'); err != nil {
					return
				}
			}
			if _, err := conn.Write([]byte("-ERR on purpose\r\n")); err != nil {
				return
			}
		}
	})
}

func requireAllFailed(t *testing.T, r *run, why string) {
	t.Helper()
	require.NotEqual(t, exitOK, r.code, r.output)
	steps := r.report(t, "outcome").Steps
	require.Len(t, steps, 1)
	s := steps[0]
	require.Equal(t, "call", s.Op)
	require.Zero(t, s.Ops, "none succeeded")
	require.Equal(t, 20, s.Failed)
	require.Len(t, s.Extra.Errors, 1)
	for text, n := range s.Extra.Errors {
		require.Regexp(t, why, text)
		require.Equal(t, 20, n, "each operation counts once")
		require.NotContains(t, text, "secret")
	}
	require.Zero(t, s.OpsPerSecond)
}

func requireNoGateHeld(t *testing.T, r *run) {
	t.Helper()
	require.Equal(t, exitThreshold, r.code, r.output)
	gates := r.fileGates(t, "outcome")
	require.Len(t, gates, 3, "ops/s, p50, and that nothing failed")
	for name, held := range gates {
		require.False(t, held, "%v held", name)
	}
}

func TestStoppedServerFails(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		work, executor, address, why string
	}{
		{"get", "", "http://", "^http: GET http://127.0.0.1:[0-9]+: dial: connection refused$"},
		{"checked", "", "http://", "^http: GET .*: dial: connection refused$"},
		{"unjudged", "", "http://", "^http: GET .*: dial: connection refused$"},
		{"get", "plain", "http://", "^http: GET .*: dial: connection refused$"},
		{"get", "named", "http://", "^http: GET .*: dial: connection refused$"},
		{"async", "plain", "http://", "^http: GET .*: dial: connection refused$"},
		{"async", "named", "http://", "^http: GET .*: dial: connection refused$"},
		{"get", "portable", "http://", "^http: GET .*: dial: connection refused$"},
		{"socket", "", "ws://", "^websocket: ws://127.0.0.1:[0-9]+ did not answer$"},
	} {
		t.Run(tt.work+" "+tt.executor, func(t *testing.T) {
			t.Parallel()
			r := outcome(t, map[string]string{"WORK": tt.work, "EXECUTOR": tt.executor, "URL": tt.address + nobody})
			requireAllFailed(t, r, tt.why)
			requireNoGateHeld(t, r)
		})
	}
}

// The client of k6/x/redis retries for half a second.
func TestStoppedRedisFails(t *testing.T) {
	t.Parallel()
	for _, executor := range []string{"plain", "named"} {
		t.Run(executor, func(t *testing.T) {
			t.Parallel()
			r := outcome(t, map[string]string{
				"WORK": "redis", "EXECUTOR": executor, "URL": "redis://" + nobody, "OPTIONS": `{"clients": [10], "iterations": 2}`,
			})
			requireAllFailed(t, r, "connection refused")
			requireNoGateHeld(t, r)
		})
	}
}

// Without a server, each script ends with one line that names the setting to check.
func TestServersThatAreDown(t *testing.T) {
	t.Parallel()
	scripts := t.TempDir()
	for _, tt := range []struct {
		name, setting, scheme string
		env                   map[string]string
	}{
		{"new grpc", "GRPC_URL", "", nil},
		{"new http", "HTTP_URL", "http://", nil},
		{"new machbase", defaultEnvMachbase, "machbase://sys:secret@", nil},
		{"new memcached", "MEMCACHED_URL", "", nil},
		{"new nats", "NATS_URL", "nats://", nil},
		{"new postgres", "POSTGRES_URL", "postgres://postgres:secret@", nil},
		{"new redis", "REDIS_URL", "redis://:secret@", nil},
		{"cache-sweep", "MEMCACHED_URL", "", map[string]string{"TARGET": "memcached"}},
		{"cache-sweep", "REDIS_URL", "redis://", map[string]string{"TARGET": "redis"}},
		{"natsjs-kv-sweep", "NATS_URL", "nats://", nil},
		{"nats-core", "NATS_URL", "nats://", nil},
		{"postgres", "POSTGRES_URL", "postgres://postgres:secret@", nil},
		{"read-bulk", "MXGW_URL", "", nil},
		{"stock-rollup", defaultEnvMachbase, "machbase://sys:secret@", nil},
		{"ycsb", "REDIS_URL", "redis://", map[string]string{"STORE": "redis"}},
	} {
		t.Run(tt.name+" "+tt.setting, func(t *testing.T) {
			t.Parallel()
			script := tt.name + ".js"
			env := with(tt.env, map[string]string{tt.setting: tt.scheme + nobody, "CLIENTS": "2", "ITERATIONS": "200", "WARMUP": "0s"})
			if kind, is := strings.CutPrefix(tt.name, "new "); is {
				script = filepath.Join(scripts, kind+".js")
				code, _, stderr := sweep(t, "new", kind, script)
				require.Zero(t, code, stderr)
			}
			r := k6(t, options{script: script, env: with(map[string]string{defaultEnvMachbase: ""}, env)})
			require.Equal(t, exitAborted, r.code, r.output)
			said := slices.DeleteFunc(r.lines("level=error"), func(line string) bool { return strings.Contains(line, "the sweep ends early") })
			require.Len(t, said, 1, r.output)
			require.Contains(t, said[0], "refused")
			require.Contains(t, said[0], "Check the server and its address ("+tt.setting+")")
			require.NotContains(t, said[0], `\n`)
			require.NotContains(t, r.output, "secret")
		})
	}
}

func TestErrorsOfServersAreFailures(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		env map[string]string
		why string
	}{
		"404":                     {map[string]string{"WORK": "get", "URL": answering(t, 404)}, "^http: GET http://127.0.0.1:[0-9]+/items answered 404 Not Found$"},
		"500":                     {map[string]string{"WORK": "get", "URL": answering(t, 500)}, "answered 500 Internal Server Error$"},
		"404, plain function":     {map[string]string{"WORK": "get", "EXECUTOR": "plain", "URL": answering(t, 404)}, "answered 404 Not Found$"},
		"500, asynchronous":       {map[string]string{"WORK": "async", "EXECUTOR": "named", "URL": answering(t, 500)}, "answered 500 Internal Server Error$"},
		"web socket, 403":         {map[string]string{"WORK": "socket", "URL": "ws" + answering(t, 403)[len("http"):]}, "^websocket: ws://127.0.0.1:[0-9]+/items answered 403 Forbidden$"},
		"a check":                 {map[string]string{"WORK": "slip", "URL": answering(t, 200)}, "^check failed: has a body$"},
		"a check, plain function": {map[string]string{"WORK": "slip", "EXECUTOR": "plain", "URL": answering(t, 200)}, "^check failed: has a body$"},
		"much":                    {map[string]string{"WORK": "many"}, "^check failed: is there$"},
		"much, plain function":    {map[string]string{"WORK": "many", "EXECUTOR": "plain"}, "^check failed: is there$"},
		"gRPC, no permission":     {map[string]string{"WORK": "grpc", "URL": grpcServer(t, codes.Unauthenticated)}, "^grpc: grpc.health.v1.Health/Check answered UNAUTHENTICATED$"},
		"gRPC, an error":          {map[string]string{"WORK": "grpc", "URL": grpcServer(t, codes.NotFound)}, "^grpc: grpc.health.v1.Health/Check answered NOT_FOUND$"},
		"Redis":                   {map[string]string{"WORK": "redis", "EXECUTOR": "plain", "URL": redisError(t)}, "ERR on purpose"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := outcome(t, tt.env)
			requireAllFailed(t, r, tt.why)
			requireNoGateHeld(t, r)
		})
	}
}

// After the last measured operation, k6 still receives all samples.
func TestSamplesOfOperationsReachK6(t *testing.T) {
	t.Parallel()
	r := outcome(t, map[string]string{"WORK": "many"})
	require.Len(t, r.samples(t, "checks"), 2*10*301)
	require.Equal(t, float64(2*10*300), sum(r.samples(t, "checks"), map[string]string{"clients": "2"}))
	require.Equal(t, 2.0, sum(r.samples(t, "iterations"), nil))
}

func TestOperationsUnderK6sOwnExecutorsFail(t *testing.T) {
	t.Parallel()
	for work, url := range map[string]string{"get": answering(t, 404), "async": answering(t, 500)} {
		t.Run(work, func(t *testing.T) {
			t.Parallel()
			r := outcome(t, map[string]string{"WORK": work, "EXECUTOR": "own", "URL": url})
			require.Equal(t, exitThreshold, r.code, r.output)
			require.Len(t, r.samples(t, "sweep_op_failed"), 20)
			require.Equal(t, 20.0, sum(r.samples(t, "sweep_op_failed"), map[string]string{"op": "call"}))
			require.Len(t, r.lines("sweep.report: no sweep was measured"), 1, r.output)
			require.Len(t, r.samples(t, "http_reqs"), 20)
			require.Equal(t, 20.0, sum(r.samples(t, "iterations"), nil))
		})
	}
}

// gRPC calls fail after the server has died; earlier ones have not failed.
func TestCallsAfterAServerCrashFail(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	address := grpcServerThat(t, func(server *grpc.Server) error {
		if calls.Add(1) == 12 {
			go server.Stop()
			time.Sleep(100 * time.Millisecond)
		}

		return nil
	})
	r := outcome(t, map[string]string{"WORK": "grpc", "URL": address})
	require.Equal(t, exitThreshold, r.code, r.output)
	s := r.report(t, "outcome").Steps[0]
	require.InDelta(t, 12-2, s.Ops, 2, "the clients' first calls are not measured")
	require.Equal(t, 20, s.Ops+s.Failed)
	require.Equal(t, map[string]int{"grpc: grpc.health.v1.Health/Check answered UNAVAILABLE": s.Failed}, s.Extra.Errors)
}

func TestAGRPCCallThatTimesOutFails(t *testing.T) {
	t.Parallel()
	address := grpcServerThat(t, func(*grpc.Server) error {
		time.Sleep(500 * time.Millisecond)

		return nil
	})
	for name, env := range map[string]map[string]string{
		"sweep.run": {}, "sweep.op": {"EXECUTOR": "named"}, "a plain function": {"EXECUTOR": "plain"},
	} {
		t.Run(name, func(t *testing.T) {
			env["WORK"], env["URL"], env["OPTIONS"] = "late", address, `{"iterations": 3}`
			r := outcome(t, env)
			require.Equal(t, exitThreshold, r.code, r.output)
			s := r.report(t, "outcome").Steps[0]
			require.Zero(t, s.Ops)
			require.Equal(t, map[string]int{"grpc: grpc.health.v1.Health/Check answered DEADLINE_EXCEEDED": 6}, s.Extra.Errors)
		})
	}
}

// Work in a promise that is not awaited is not done when the function returns.
func TestAnOpThatLeavesAPromiseFails(t *testing.T) {
	t.Parallel()
	for executor, metric := range map[string]string{"named": "sweep_failed", "own": "sweep_op_failed"} {
		r := outcome(t, map[string]string{"WORK": "forgotten", "URL": answering(t, 200), "EXECUTOR": executor})
		require.NotEqual(t, exitOK, r.code, r.output)
		require.NotEmpty(t, r.lines("sweep.op('call', fn): fn left a promise that nobody awaits, or a timer"), r.output)
		require.Equal(t, 20.0, sum(r.samples(t, metric), map[string]string{"op": "call"}))
	}
}

func TestSystemTagsWithoutStatus(t *testing.T) {
	t.Parallel()
	for _, env := range []map[string]string{
		{"WORK": "grpc", "URL": grpcServer(t, codes.Unauthenticated)},
		{"WORK": "unjudged", "URL": "http://" + nobody},
		{"WORK": "get", "URL": answering(t, 404)},
	} {
		env["SYSTEM_TAGS"] = "url,method"
		r := outcome(t, env)
		requireAllFailed(t, r, "^(grpc|http): ")
	}
}

func TestAScriptWithoutTheModuleFails(t *testing.T) {
	t.Parallel()
	// Fewer than ten with the warm-up: ten failures within a second would end the sweep early.
	r := k6(t, options{script: "testdata/noimport.js", env: map[string]string{"URL": answering(t, 404), defaultEnvMachbase: ""}})
	require.Equal(t, exitMarkedFailed, r.code, r.output)
	require.Equal(t, 6.0, sum(r.samples(t, "sweep_failed"), nil))
	require.Zero(t, sum(r.samples(t, "sweep_ops"), map[string]string{"outcome": "ok"}))
	require.Equal(t, 6.0, sum(r.samples(t, "sweep_ops"), map[string]string{"outcome": "failed"}))
	require.Len(t, r.samples(t, "http_reqs"), 6+2)
}

// If all operations have failed, gates for fast operations do not hold.
func TestNoGateHoldsWhereAllHaveFailed(t *testing.T) {
	t.Parallel()
	env := map[string]string{"WORK": "get", "URL": answering(t, 200), "OPTIONS": `{"iterations": null, "duration": "500ms"}`}
	r := outcome(t, env)
	require.Equal(t, exitOK, r.code, "they hold where the operations succeed: %s", r.output)
	env["URL"] = answering(t, 404)
	r = outcome(t, env)
	requireNoGateHeld(t, r)
	require.Zero(t, r.report(t, "outcome").Steps[0].Ops)
}

func TestOperationsThatDoNotFail(t *testing.T) {
	t.Parallel()
	for name, env := range map[string]map[string]string{
		"an expected response": {"WORK": "expected", "URL": answering(t, 404)},
		"any response":         {"WORK": "unjudged", "URL": answering(t, 500)},
		"gRPC":                 {"WORK": "grpc", "URL": grpcServer(t, codes.OK)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env["GATES"] = "none"
			r := outcome(t, env)
			require.Equal(t, exitOK, r.code, r.output)
			s := r.report(t, "outcome").Steps[0]
			require.Equal(t, 20, s.Ops)
			require.Zero(t, s.Failed)
		})
	}
}

func requireEnded(t *testing.T, r *run, begin time.Time, why string) {
	t.Helper()
	require.Equal(t, exitAborted, r.code, r.output)
	require.Less(t, r.ended.Sub(begin), 20*time.Second, "it was asked to take two minutes")
	said := slices.DeleteFunc(r.lines(why), func(line string) bool { return !strings.Contains(line, "level=error") })
	require.Len(t, said, 1, "beside the table: %s", r.output)
	require.Contains(t, said[0], "no operation has succeeded, and ")
	require.Contains(t, said[0], "with one cause, ")
	require.Contains(t, said[0], "Check ")
	require.Empty(t, r.lines("operation failed: "))
	rep := r.report(t, "outcome")
	require.True(t, rep.Interrupted)
	require.NotEmpty(t, rep.Steps)
	for _, s := range rep.Steps { // a portable sweep also has the steps that did not run
		require.False(t, s.Complete)
		require.Zero(t, s.Ops)
	}
}

const long = `{"clients": [2, 4, 1, 8], "iterations": null, "duration": "30s", "maxDuration": "40s", "onError": "count", "op": "call"}`

func TestASweepThatCannotSucceedEnds(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		env map[string]string
		why string
	}{
		"wrong port":            {map[string]string{"WORK": "get", "URL": "http://" + nobody}, "dial: connection refused"},
		"wrong port, plain":     {map[string]string{"WORK": "get", "EXECUTOR": "plain", "URL": "http://" + nobody}, "dial: connection refused"},
		"wrong port, portable":  {map[string]string{"WORK": "get", "EXECUTOR": "portable", "URL": "http://" + nobody}, "dial: connection refused"},
		"wrong port, session":   {map[string]string{"WORK": "machbase", "URL": "machbase://sys:secret@" + nobody}, "connection refused"},
		"a slip":                {map[string]string{"WORK": "typo"}, "ReferenceError: foo is not defined"},
		"a slip, plain":         {map[string]string{"WORK": "typo", "EXECUTOR": "plain"}, "ReferenceError: foo is not defined"},
		"a slip, named":         {map[string]string{"WORK": "typo", "EXECUTOR": "named"}, "ReferenceError: foo is not defined"},
		"a page that is not in": {map[string]string{"WORK": "get", "URL": answering(t, 404)}, "answered 404 Not Found"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.env["OPTIONS"] = long
			begin := time.Now()
			r := outcome(t, tt.env)
			requireEnded(t, r, begin, tt.why)
			require.NotContains(t, r.output, "secret")
		})
	}
}

func TestASweepWithAWrongPasswordEnds(t *testing.T) {
	t.Parallel()
	right := serverURL(t)
	wrong := strings.Replace(right, ":"+password+"@", ":wrong@", 1)
	require.NotEqual(t, right, wrong)
	begin := time.Now()
	r := outcome(t, map[string]string{"WORK": "machbase", "URL": wrong, "OPTIONS": long})
	requireEnded(t, r, begin, "MachbaseError: ")
	require.NotEmpty(t, r.lines("Check user and password."))
}

func TestSweepContinuesAfterAServerCrash(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	url, _ := httpServer(t, func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(latency)
		if calls.Add(1) > 5 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	r := outcome(t, map[string]string{
		"WORK": "get", "URL": url, "OPTIONS": `{"iterations": null, "duration": "2500ms", "onError": "count"}`,
	})
	require.Equal(t, exitThreshold, r.code, r.output)
	s := r.report(t, "outcome").Steps[0]
	require.Equal(t, 5, s.Ops)
	require.Positive(t, s.Failed)
	require.True(t, s.Complete)
	require.Len(t, r.lines("operation failed: http: GET "), 1)
}
