package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	collector "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	otlp "go.opentelemetry.io/proto/otlp/metrics/v1"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
)

func address(t *testing.T, variable string) string {
	t.Helper()
	value := os.Getenv(variable)
	require.NotEmpty(t, value, "run the tests with `make test`, or as scripts/servers.sh with influxdb prometheus ... -- go test ./...")

	return value
}

func newRun() string { return fmt.Sprintf("e2e-%d", time.Now().UnixNano()) }

func TestPrometheusRemoteWrite(t *testing.T) {
	t.Parallel()
	server, name := address(t, "PROMETHEUS_URL"), newRun()
	r := k6(t, options{
		script: "cache-sweep.js", env: gets(t, "CLIENTS", "1,2", "DURATION", "4s", "MIX", "get:9,set:1"),
		args: []string{"--out", "experimental-prometheus-rw", "--tag", "instance=" + name},
		environment: []string{
			"K6_PROMETHEUS_RW_SERVER_URL=" + server + "/api/v1/write", "K6_PROMETHEUS_RW_PUSH_INTERVAL=1s", "K6_PROMETHEUS_RW_STALE_MARKERS=true",
		},
	})
	require.Equal(t, exitOK, r.code, r.output)

	for _, s := range r.report(t, "cache-sweep-memcached").Steps {
		for metric, want := range map[string]float64{
			`k6_sweep_ops_total{outcome="ok", `: float64(s.Ops), `k6_sweep_ops_total{outcome="failed", `: 0, "k6_sweep_failed_total{": 0,
			"k6_sweep_ops_per_second{": s.OpsPerSecond, "k6_sweep_p50{": s.LatencyMs.P50, "k6_sweep_p99{": s.LatencyMs.P99,
		} {
			series := fmt.Sprintf(`%sscenario="cache-sweep", instance="%s", clients="%d", op="%s"}`, metric, name, s.Clients, s.Op)
			require.InEpsilon(t, want+1, prometheusValue(t, server, "last_over_time("+series+"[10m])")+1, 1e-9, series)
			if metric == "k6_sweep_ops_per_second{" {
				require.GreaterOrEqual(t, prometheusValue(t, server, "count_over_time("+series+"[10m])"), 3.0, "a sample a second, but where two go out at once")
			}
		}
	}
	askPrometheus(t, server, name)
}

func prometheusValue(t *testing.T, server, expression string) float64 {
	t.Helper()
	response, err := http.Get(server + "/api/v1/query?" + url.Values{"query": {expression}}.Encode())
	require.NoError(t, err)
	defer response.Body.Close()
	var said struct {
		Data struct{ Result []struct{ Value [2]any } }
	}
	require.NoError(t, json.NewDecoder(response.Body).Decode(&said))
	require.Len(t, said.Data.Result, 1, expression)
	value, err := strconv.ParseFloat(said.Data.Result[0].Value[1].(string), 64)
	require.NoError(t, err)

	return value
}

func TestDashboardOfInfluxDB(t *testing.T) {
	t.Parallel()
	server, name := address(t, "INFLUXDB_URL"), newRun()
	r := k6(t, options{
		script: "cache-sweep.js", env: gets(t, "CLIENTS", "1,2", "DURATION", "3s", "WARMUP", "1s", "MIX", "get:9,set:1"),
		args: []string{"--out", "sweep-influxdb=" + server}, environment: []string{"K6_SWEEP_INFLUXDB_INSTANCE=" + name},
	})
	require.Equal(t, exitOK, r.code, r.output)
	askInfluxDB(t, server, name)
}

func TestOpenTelemetry(t *testing.T) {
	t.Parallel()
	for protocol, listen := range map[string]func(*testing.T, *receiver) string{"http/protobuf": listenHTTP, "grpc": listenGRPC} {
		received := &receiver{points: map[string]float64{}}
		endpoint := listen(t, received)
		environment := []string{"K6_OTEL_EXPORTER_PROTOCOL=" + protocol, "K6_OTEL_EXPORT_INTERVAL=1s"}
		for _, transport := range []string{"HTTP", "GRPC"} {
			environment = append(environment, "K6_OTEL_"+transport+"_EXPORTER_ENDPOINT="+endpoint, "K6_OTEL_"+transport+"_EXPORTER_INSECURE=true")
		}
		r := k6(t, options{
			script: "testdata/options.js", environment: environment, args: []string{"--out", "opentelemetry", "--tag", "instance=a"},
			env: map[string]string{defaultEnvMachbase: "", "OPTIONS": `{"clients": [1, 3], "iterations": 600}`},
		})
		require.Equal(t, exitOK, r.code, r.output)

		for _, s := range r.report(t, "work").Steps {
			for metric, want := range map[string]float64{
				"sweep_ops ok": float64(s.Ops), "sweep_ops failed": 0,
				"sweep_ops_per_second ": s.OpsPerSecond, "sweep_p50 ms ": s.LatencyMs.P50, "sweep_p99 ms ": s.LatencyMs.P99,
			} {
				key := fmt.Sprintf("%s work a %d work", metric, s.Clients)
				require.InEpsilon(t, want+1, received.last(key)+1, 1e-9, "%s: %s", protocol, key)
			}
		}
		require.GreaterOrEqual(t, received.count(), 2, "one every second, and the last")
	}
}

// receiver keeps the last value of each series: metric, unit, and the tags scenario, instance,
// clients and op.
type receiver struct {
	collector.UnimplementedMetricsServiceServer

	mu      sync.Mutex
	exports int
	points  map[string]float64
}

// Export implements the protocol.
func (r *receiver) Export(_ context.Context, request *collector.ExportMetricsServiceRequest) (*collector.ExportMetricsServiceResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.exports++
	for _, resource := range request.GetResourceMetrics() {
		for _, scope := range resource.GetScopeMetrics() {
			for _, metric := range scope.GetMetrics() {
				name := metric.GetName()
				if metric.GetUnit() != "" {
					name += " " + metric.GetUnit()
				}
				for _, p := range append(metric.GetGauge().GetDataPoints(), metric.GetSum().GetDataPoints()...) {
					r.points[seriesOf(name, p)] = p.GetAsDouble()
				}
			}
		}
	}

	return &collector.ExportMetricsServiceResponse{}, nil
}

func (r *receiver) last(series string) float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if value, came := r.points[series]; came {
		return value
	}

	return math.NaN()
}

func (r *receiver) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()

	return r.exports
}

func seriesOf(name string, p *otlp.NumberDataPoint) string {
	for _, tag := range []string{"outcome", "scenario", "instance", "clients", "op"} {
		name += " " + attribute(p.GetAttributes(), tag)
	}

	return name
}

func attribute(all []*common.KeyValue, key string) string {
	for _, a := range all {
		if a.GetKey() == key {
			return a.GetValue().GetStringValue()
		}
	}

	return ""
}

func listenHTTP(t *testing.T, r *receiver) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		var sent collector.ExportMetricsServiceRequest
		body, err := io.ReadAll(request.Body)
		if err == nil {
			err = proto.Unmarshal(body, &sent)
		}
		if err != nil || request.URL.Path != "/v1/metrics" {
			w.WriteHeader(http.StatusBadRequest)

			return
		}
		_, _ = r.Export(request.Context(), &sent)
	}))
	t.Cleanup(server.Close)

	return server.Listener.Addr().String()
}

func listenGRPC(t *testing.T, r *receiver) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := grpc.NewServer()
	collector.RegisterMetricsServiceServer(server, r)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)

	return listener.Addr().String()
}
