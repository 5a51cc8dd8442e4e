package e2e

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"

	"github.com/xk6-sweep/xk6-sweep/extensions/mxgateway/gatewaytest"
)

type gateway struct {
	address, key, keyWithoutRead, control string
}

func startedGateway(t *testing.T) *gateway {
	t.Helper()
	g := &gateway{freeAddress(t), "mxgw_test_e2e", "mxgw_noread_e2e", "http://" + freeAddress(t)}
	keys := filepath.Join(t.TempDir(), "keys")
	require.NoError(t, os.WriteFile(keys, []byte(g.key+" session:open,invoke:subscribe,invoke:read,events:read\n"+
		g.keyWithoutRead+" session:open,invoke:subscribe,events:read\n"), 0o600))
	cmd := exec.Command(builtServer(t, "mxgateway"), "-keys", keys, "-listen", g.address, "-control", strings.TrimPrefix(g.control, "http://"))
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	eventually(t, "the gateway does not start", func() bool {
		_, err := g.ask(t.Context(), http.MethodGet, "", "")

		return err == nil
	})

	return g
}

func (g *gateway) request(t *testing.T, method, path, body string) []byte {
	t.Helper()
	answer, err := g.ask(context.WithoutCancel(t.Context()), method, path, body)
	require.NoError(t, err)

	return answer
}

func (g *gateway) ask(ctx context.Context, method, path, body string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, g.control+"/"+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s /%s: %s: %s", method, path, response.Status, answer)
	}

	return answer, err
}

type readCalls struct {
	Language                                 string
	DurationMs                               float64
	TotalCalls, SuccessfulCalls, FailedCalls int
	TotalReadResults, CachedReadResults      int
	CallsPerSecond                           float64
	LatencyMs                                struct{ P50, P95, P99, Max, Mean float64 }
}

func (g *gateway) served(t *testing.T) readCalls {
	t.Helper()
	var summary struct{ Total readCalls }
	require.NoError(t, json.Unmarshal(g.request(t, http.MethodGet, "summary", ""), &summary))

	return summary.Total
}

func (g *gateway) openSessions(t *testing.T) int {
	t.Helper()
	var state struct{ Sessions int }
	require.NoError(t, json.Unmarshal(g.request(t, http.MethodGet, "", ""), &state))

	return state.Sessions
}

func (g *gateway) env(more ...string) map[string]string {
	return readBulkEnv(g.address, g.key, more...)
}

func readBulkEnv(address, key string, more ...string) map[string]string {
	env := map[string]string{
		defaultEnvMachbase: "", "MXGW_URL": address, "MXGW_KEY": key, "DURATION": "2s", "WARMUP": "0s", "PAUSE": "0s",
	}
	for i := 0; i < len(more); i += 2 {
		env[more[i]] = more[i+1]
	}

	return env
}

func readBulk(t *testing.T, env map[string]string) *run {
	t.Helper()
	r := k6(t, options{script: "read-bulk.js", env: env})
	require.NotContains(t, r.output, env["MXGW_KEY"])

	return r
}

// object returns the only line of published JSON in the output.
func (r *run) object(t *testing.T) (calls readCalls) {
	t.Helper()
	lines := r.lines(`{"language":"k6"`)
	require.Len(t, lines, 1, r.output)
	decoder := json.NewDecoder(strings.NewReader(lines[0]))
	decoder.DisallowUnknownFields()
	require.NoError(t, decoder.Decode(&calls))
	require.Equal(t, calls.TotalCalls, calls.SuccessfulCalls+calls.FailedCalls)
	require.LessOrEqual(t, calls.LatencyMs.P50, calls.LatencyMs.P95)
	require.LessOrEqual(t, calls.LatencyMs.P95, calls.LatencyMs.P99)
	require.LessOrEqual(t, calls.LatencyMs.P99, calls.LatencyMs.Max)
	if calls.TotalCalls == 0 {
		require.Zero(t, calls.CallsPerSecond, "nobody came as far as a call")
	} else {
		require.InEpsilon(t, float64(calls.TotalCalls)/calls.DurationMs*1000, calls.CallsPerSecond, 0.001)
	}

	return calls
}

func requireClose(t *testing.T, server, client float64) {
	t.Helper()
	require.GreaterOrEqual(t, client, 0.9*server)
	require.LessOrEqual(t, client, 3*server+20)
}

func TestReadBulkOfOneClient(t *testing.T) {
	calm(t)
	g := startedGateway(t)
	r := readBulk(t, g.env("BULK", "20"))
	require.Equal(t, exitOK, r.code, r.output)
	calls, served := r.object(t), g.served(t)
	require.Positive(t, calls.TotalCalls)
	require.Zero(t, calls.FailedCalls)
	require.Equal(t, served.TotalCalls, calls.TotalCalls, "there was no warm-up: each call is counted on both sides")
	require.Equal(t, 20*calls.TotalCalls, calls.TotalReadResults)
	require.Equal(t, served.CachedReadResults, calls.CachedReadResults)
	require.GreaterOrEqual(t, calls.DurationMs, 1000.0)
	require.LessOrEqual(t, calls.DurationMs, 10000.0)
	require.Zero(t, g.openSessions(t))

	rep := r.report(t, "read-bulk")
	require.Len(t, rep.Steps, 1)
	require.Equal(t, calls.TotalCalls, rep.Steps[0].Ops)
	require.Equal(t, "readBulk", rep.Steps[0].Op)
	require.Contains(t, rep.Target["version"], "emulator")
	require.Len(t, r.lines(`msg="backend: emulator`), 1, "for scripts/read-bulk.sh")
	requireClose(t, served.LatencyMs.P50, calls.LatencyMs.P50)
	require.Equal(t, calls.TotalReadResults, rep.Steps[0].Rows)
	require.Positive(t, rep.Steps[0].BytesReceived)
	require.Equal(t, float64(calls.CachedReadResults), sum(r.samples(t, "mxgateway_results_cached"), nil))
}

// The object is the last line of standard output, as drivers expect, and excludes the warm-up.
func TestReadBulkPrintsTheObjectLast(t *testing.T) {
	t.Parallel()
	g := startedGateway(t)
	readme, err := os.ReadFile(filepath.Join(root, "scenarios", "README.md"))
	require.NoError(t, err)
	found := regexp.MustCompile(`(?m)^scripts/servers\.sh with mxgateway -- bin/k6 (.*?) +# .*the JSON last$`).FindSubmatch(readme)
	require.NotNil(t, found, "scenarios/README.md has the command")
	cmd := exec.CommandContext(t.Context(), binary(t, "k6-race"), strings.Fields(string(found[1]))...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "K6_AUTO_EXTENSION_RESOLUTION=false", "K6_NO_USAGE_REPORT=true", "SWEEP_RESULTS="+t.TempDir())
	for name, value := range g.env("WARMUP", "1s") {
		if !ofStores.MatchString(name) {
			name = "SWEEP_" + name
		}
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	out, err := cmd.Output()
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	var calls readCalls
	require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &calls))
	var keys map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &keys))
	require.Len(t, keys, 9)
	require.Less(t, calls.TotalCalls, g.served(t).TotalCalls)
	require.Equal(t, calls.TotalReadResults, calls.CachedReadResults, "after a warm-up all tags have a value")
}

func TestReadBulkOfFiveClients(t *testing.T) {
	calm(t)
	g := startedGateway(t)
	r := readBulk(t, g.env("CLIENTS", "5", "DURATION", "3s"))
	require.Equal(t, exitOK, r.code, r.output)
	require.Empty(t, r.lines(`{"language"`), "the object is that of one client")
	s, served := r.report(t, "read-bulk").Steps[0], g.served(t)
	require.Equal(t, served.TotalCalls, s.Ops)
	require.Zero(t, s.Failed)
	requireClose(t, served.LatencyMs.P50, s.LatencyMs.P50)
	require.InEpsilon(t, served.CallsPerSecond, s.OpsPerSecond, 0.5)
}

func TestReadBulkSweep(t *testing.T) {
	t.Parallel()
	g := startedGateway(t)
	env := g.env("CLIENTS", "1,2,5,10", "ITERATIONS", "20", "CONNECTION", "shared", "PROTO", "reflection", "GATES", "../thresholds/read-bulk.json")
	delete(env, "DURATION")
	r := readBulk(t, env)
	require.Contains(t, []int{exitOK, exitThreshold, exitMarkedFailed}, r.code, r.output) // figures do not matter with the race detector
	steps := r.report(t, "read-bulk").Steps
	require.Len(t, steps, 4)
	for i, clients := range []int{1, 2, 5, 10} {
		require.Equal(t, clients, steps[i].Clients)
		require.Equal(t, 20*clients, steps[i].Ops)
		require.Zero(t, steps[i].Failed)
		require.True(t, steps[i].Complete)
	}
	require.Equal(t, 20*18, g.served(t).TotalCalls)
	require.Zero(t, g.openSessions(t))
}

func TestReadBulkFaults(t *testing.T) {
	t.Parallel()
	g := startedGateway(t)

	r := readBulk(t, g.env("MXGW_KEY", "mxgw_test_wrong"))
	require.Equal(t, exitAborted, r.code, r.output)
	calls := r.object(t)
	require.Zero(t, calls.SuccessfulCalls)
	require.Positive(t, calls.FailedCalls)
	require.LessOrEqual(t, calls.FailedCalls, 21, "a gateway that refuses is not asked again and again")
	require.Positive(t, calls.LatencyMs.P50)
	require.Zero(t, g.served(t).TotalCalls)

	r = readBulk(t, g.env("MXGW_KEY", g.keyWithoutRead))
	require.Equal(t, exitAborted, r.code, r.output)
	calls = r.object(t)
	require.Zero(t, calls.SuccessfulCalls)
	require.Positive(t, calls.FailedCalls)
	require.Positive(t, calls.LatencyMs.P50, "of calls that failed")
	require.Equal(t, calls.FailedCalls, r.report(t, "read-bulk").Steps[0].Failed)
	require.NotEmpty(t, r.lines("invoke:read"))

	g = startedGateway(t)
	g.request(t, http.MethodPost, "faults", "kind=status,code=UNAVAILABLE,skip=20,calls=5")
	r = readBulk(t, g.env())
	require.Equal(t, exitThreshold, r.code, r.output)
	calls = r.object(t)
	require.Equal(t, 5, calls.FailedCalls)
	require.Greater(t, calls.SuccessfulCalls, 20, "it goes on afterwards")
	require.Equal(t, g.served(t).TotalCalls, calls.TotalCalls)

	g = startedGateway(t)
	g.request(t, http.MethodPost, "faults", "kind=items,items=2,calls=10")
	r = readBulk(t, g.env())
	calls = r.object(t)
	require.Zero(t, calls.FailedCalls, "the schema has no place for a result that failed: it is one that was not cached")
	require.Equal(t, 6*calls.TotalCalls, calls.TotalReadResults)
	require.Equal(t, g.served(t).CachedReadResults, calls.CachedReadResults)
	require.Equal(t, exitThreshold, r.code, r.output)

	g = startedGateway(t)
	g.request(t, http.MethodPost, "faults", "kind=close,skip=10,calls=1")
	r = readBulk(t, g.env())
	require.Equal(t, exitThreshold, r.code, r.output)
	calls = r.object(t)
	require.Positive(t, calls.FailedCalls)
	require.Greater(t, calls.SuccessfulCalls, 10, "over a new connection")
}

func TestReadBulkOutage(t *testing.T) {
	t.Parallel()
	g := startedGateway(t)
	ctx, stop := context.WithTimeout(t.Context(), hang)
	defer stop()
	over := make(chan error, 1)
	r := k6(t, options{
		script: "read-bulk.js", env: g.env("DURATION", "6s"),
		measuring: func(*os.Process) { over <- g.outage(ctx, "1s") },
	})
	require.Equal(t, exitThreshold, r.code, r.output)
	require.NoError(t, <-over)
	calls, afterwards := r.object(t), g.served(t)
	require.Positive(t, calls.FailedCalls)
	require.Less(t, calls.FailedCalls, 50, "ten a second, not as many as can fail")
	require.Positive(t, afterwards.SuccessfulCalls)
	require.Zero(t, afterwards.FailedCalls)
	require.Greater(t, calls.SuccessfulCalls, afterwards.SuccessfulCalls, "there were some before it, too")
	require.Equal(t, calls.FailedCalls, r.report(t, "read-bulk").Steps[0].Failed)
}

func TestReadBulkCutOff(t *testing.T) {
	t.Parallel()
	g := startedGateway(t)
	g.request(t, http.MethodPost, "faults", "kind=slow,delay=1m,skip=20")
	env := g.env("ITERATIONS", "1000", "MAX_DURATION", "3s", "TIMEOUT", "1m")
	delete(env, "DURATION")
	r := readBulk(t, env)
	require.Equal(t, exitThreshold, r.code, r.output)
	calls, s := r.object(t), r.report(t, "read-bulk").Steps[0]
	require.Equal(t, 20, calls.SuccessfulCalls)
	require.Zero(t, calls.FailedCalls)
	require.False(t, s.Complete)
	require.Equal(t, 20, s.Ops)
	require.Equal(t, 1, s.Failed)
}

// outage makes ReadBulk UNAVAILABLE for a time, waits for its end, and resets the gateway's counts.
func (g *gateway) outage(ctx context.Context, lasting string) error {
	if _, err := g.ask(ctx, http.MethodPost, "faults", "kind=status,code=UNAVAILABLE,for="+lasting); err != nil {
		return err
	}
	for {
		answer, err := g.ask(ctx, http.MethodGet, "faults", "")
		if err != nil {
			return err
		}
		var faults []string
		if err := json.Unmarshal(answer, &faults); err != nil {
			return err
		}
		if len(faults) == 0 {
			_, err := g.ask(ctx, http.MethodDelete, "summary", "")

			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func ownGateway(t *testing.T, proto string) *gatewaytest.Server {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, proto))
	require.NoError(t, err)

	return gatewaytest.Start(t, gatewaytest.Options{Proto: string(text), Key: "mxgw_id_own"})
}

func TestReadBulkOfAGatewayThatDies(t *testing.T) {
	t.Parallel()
	server := ownGateway(t, "scenarios/lib/mxaccess_gateway.proto")
	r := k6(t, options{
		script: "read-bulk.js", env: readBulkEnv(server.Address, "mxgw_id_own", "DURATION", "4s"),
		measuring: func(*os.Process) { server.Stop() },
	})
	require.Equal(t, exitThreshold, r.code, r.output)
	calls := r.object(t)
	require.Positive(t, calls.SuccessfulCalls)
	require.Positive(t, calls.FailedCalls)
	require.Less(t, calls.FailedCalls, 50, "ten a second, not as many as can fail")
}

func TestReadBulkInterrupted(t *testing.T) {
	t.Parallel()
	server := ownGateway(t, "scenarios/lib/mxaccess_gateway.proto")
	r := k6(t, options{
		script: "read-bulk.js", env: readBulkEnv(server.Address, "mxgw_id_own", "DURATION", "60s"),
		shows: worked, measuring: func(k6 *os.Process) { _ = k6.Signal(os.Interrupt) },
	})
	require.Equal(t, exitInterrupted, r.code, r.output)
	calls := r.object(t)
	require.Positive(t, calls.SuccessfulCalls)
	require.Zero(t, calls.FailedCalls, "what was cut off is no failure")
	require.Eventually(t, func() bool { return server.Sessions() == 0 }, hang, 10*time.Millisecond)
}

func TestReadBulkWithoutGateway(t *testing.T) {
	t.Parallel()
	r := readBulk(t, readBulkEnv("127.0.0.1:1", "mxgw_id_own"))
	require.Equal(t, exitAborted, r.code, r.output)
	calls := r.object(t)
	require.Zero(t, calls.SuccessfulCalls)
	require.Positive(t, calls.FailedCalls)
}

func TestReadBulkWithAnotherProto(t *testing.T) {
	t.Parallel()
	const proto = "extensions/mxgateway/wire/testdata/vendor.proto"
	server := ownGateway(t, proto)
	env := readBulkEnv(server.Address, "mxgw_id_own", "PROTO", "../"+proto, "ITERATIONS", "500")
	delete(env, "DURATION")
	r := readBulk(t, env)
	require.Equal(t, exitOK, r.code, r.output)
	calls := r.object(t)
	require.Equal(t, 500, calls.SuccessfulCalls)
	require.Equal(t, 3000, calls.CachedReadResults)
	require.Equal(t, 500, server.Reads())
	require.Zero(t, server.Sessions())
}

func TestReadBulkOverTLS(t *testing.T) {
	t.Parallel()
	certificate, file := selfSigned(t)
	text, err := os.ReadFile(filepath.Join(root, "scenarios/lib/mxaccess_gateway.proto"))
	require.NoError(t, err)
	server := gatewaytest.Start(t, gatewaytest.Options{
		Proto: string(text), Key: "mxgw_id_own", TLS: &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12},
	})
	env := readBulkEnv(server.Address, "mxgw_id_own", "TLS_CA", file, "ITERATIONS", "50")
	delete(env, "DURATION")
	r := readBulk(t, env)
	require.Equal(t, exitOK, r.code, r.output)
	require.Equal(t, 50, r.object(t).SuccessfulCalls)

	env["TLS_CA"], env["TLS"], env["DURATION"], env["TIMEOUT"] = "", "true", "30s", "1s"
	delete(env, "ITERATIONS")
	r = readBulk(t, env)
	require.Equal(t, exitAborted, r.code, r.output)
	require.NotEmpty(t, r.lines("certificate"), r.output)
	require.Zero(t, r.object(t).SuccessfulCalls)
}

func selfSigned(t *testing.T) (tls.Certificate, string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true,
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}), 0o600))

	return tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: private}, file
}

func TestReadBulkSettings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		env  []string
		says string
	}{
		{[]string{"CONNECTION", "all"}, `CONNECTION must be one of vu, shared, but is "all"`},
		{[]string{"BULK", "0"}, `BULK must be an integer from 1 to 10000, but is "0"`},
		{[]string{"TAGS", "Machine.x"}, "TAGS must hold %03d or the like in the place of the tag's number"},
		{[]string{"TAGS", "A.x,B.x", "BULK", "3"}, "or be a comma-separated list of BULK tags"},
		{[]string{"TLS", "false", "TLS_SERVER_NAME", "x"}, "TLS_SERVER_NAME is for TLS, and TLS is false"},
		{[]string{"TLS", "false", "TLS_INSECURE", "true"}, "TLS_INSECURE is for TLS, and TLS is false"},
		{[]string{"MXGW_URL", "ho/st"}, "the url must be host:port or grpc://host:port, with grpcs:// for TLS, such as 127.0.0.1:50051"},
		{[]string{"MXGW_URL", "grpcs://host", "TLS", "false"}, "MXGW_URL begins with grpcs://, which is TLS, and TLS is false"},
		{[]string{"PROTO", "nowhere.proto"}, "nowhere.proto cannot be read"},
		{[]string{"PROTO", "../extensions/sweep/examples/health.proto"}, "there is no service MxAccessGateway in it, but grpc.health.v1.Health"},
		{[]string{"MXGW_KEY", "mxgw id"}, "apiKey must be printable ASCII without spaces"},
	} {
		r := refused(t, options{script: "read-bulk.js", env: readBulkEnv("127.0.0.1:1", "mxgw_id_own", tt.env...)})
		require.Contains(t, []int{exitInvalidConfig, exitScriptException}, r.code, r.output)
		require.Contains(t, strings.ReplaceAll(r.output, `\"`, `"`), tt.says)
	}
}

func TestReadBulkExample(t *testing.T) {
	t.Parallel()
	g := startedGateway(t)
	r := k6(t, options{script: "../extensions/mxgateway/examples/read-bulk.js", env: map[string]string{
		defaultEnvMachbase: "", "MXGW_URL": g.address, "MXGW_KEY": g.key,
	}})
	require.Equal(t, exitOK, r.code, r.output)
	require.Len(t, r.lines("TestMachine_002.TestChangingInt is "), 1, r.output)
	for i, clients := range []int{1, 5, 20} {
		require.Equal(t, 50*clients, r.report(t, "read-bulk-example").Steps[i].Ops)
	}
}

func TestGRPCSweepExample(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := grpc.NewServer()
	grpc_health_v1.RegisterHealthServer(server, health.NewServer())
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		server.Stop()
		require.NoError(t, <-served)
	})
	r := k6(t, options{script: "../extensions/mxgateway/examples/grpc-sweep.js", env: map[string]string{
		defaultEnvMachbase: "", "GRPC_URL": listener.Addr().String(), "PROTO": "../../sweep/examples/health.proto", "ITERATIONS": strconv.Itoa(exampleShare),
	}})
	requireExampleSteps(t, r, "grpc-sweep", "invoke")
	require.Equal(t, strconv.Itoa(exampleSteps[2]), r.samples(t, "sweep_ops")[len(r.samples(t, "sweep_ops"))-1].Data.Tags["clients"])
}
