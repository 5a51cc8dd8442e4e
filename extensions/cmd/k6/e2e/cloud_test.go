package e2e

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	cloudapi "github.com/grafana/k6-cloud-openapi-client-go/k6"
	"github.com/klauspost/compress/snappy"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	_ "go.k6.io/k6/v2/output/cloud/expv2" // registers the messages of the cloud protocol
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoregistry"
)

const (
	cloudToken    = "token-of-an-account"
	cloudRunToken = "token-of-a-test-run"
	cloudStack    = 7
	cloudProject  = 70
	cloudTest     = 700
	cloudRun      = 7000
)

// cloud is a fake Grafana Cloud for k6 v2.2.0. It answers with the types of k6's client, and
// decodes the metrics that k6 sends.
type cloud struct {
	url string
	t   *testing.T

	mu       sync.Mutex
	requests []string
	// options and start belong to the test that k6 created.
	options  map[string]any
	start    map[string]any
	archive  []string
	archived struct{ Env map[string]string }
	ended    map[string]any
	series   map[string][]cloudValue
	period   int
	logs     strings.Builder
}

type cloudValue struct {
	Time time.Time
	// Value is a Counter's sum.
	Value float64
	// Last, Count, Min, Max and Avg belong to a Gauge.
	Last, Min, Max, Avg float64
	Count               int
}

func startCloud(t *testing.T) *cloud {
	t.Helper()
	c := &cloud{t: t, series: map[string][]cloudValue{}}
	mux := http.NewServeMux()
	handle := func(pattern, token string, answer func(w http.ResponseWriter, body []byte)) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			assert.NoError(t, err)
			c.mu.Lock()
			defer c.mu.Unlock()
			if !strings.Contains(pattern, "metrics") && !strings.Contains(pattern, "logs") {
				c.requests = append(c.requests, r.Method+" "+r.URL.Path)
			}
			if got := r.Header.Get("Authorization"); token != "" && got != "Bearer "+token && got != "Token "+token {
				assert.Fail(t, "another token than the one for it", pattern)
				w.WriteHeader(http.StatusUnauthorized)

				return
			}
			w.Header().Set("Content-Type", "application/json")
			answer(w, body)
		})
	}

	// k6 cloud login
	handle("GET /cloud/v6/auth", cloudToken, func(w http.ResponseWriter, _ []byte) {
		c.answer(w, http.StatusOK, cloudapi.NewAuthenticationResponse(cloudStack, cloudProject))
	})
	// k6 cloud run
	handle("POST /cloud/v6/validate_options", cloudToken, c.validate)
	// k6 cloud run --local-execution
	handle("POST /cloud/v6/projects/70/load_tests", cloudToken, func(w http.ResponseWriter, _ []byte) {
		test := cloudapi.NewLoadTestApiModelWithDefaults()
		test.SetId(cloudTest)
		c.answer(w, http.StatusCreated, test)
	})
	handle("POST /provisioning/v1/load_tests/700/start_local_execution", cloudToken, func(w http.ResponseWriter, body []byte) {
		c.read(body, &c.start)
		c.options, _ = c.start["options"].(map[string]any)
		c.answer(w, http.StatusOK, c.execution())
	})
	handle("PUT /upload", "", func(_ http.ResponseWriter, body []byte) { c.unpack(body) })
	handle("GET /cloud/v6/test_runs/7000", cloudToken, func(w http.ResponseWriter, _ []byte) {
		run := cloudapi.NewTestRunApiModelWithDefaults()
		run.SetStatus("initializing")
		run.SetStatusHistory([]cloudapi.StatusApiModel{})
		run.SetDistribution([]cloudapi.DistributionZoneApiModel{})
		run.SetResultDetails(cloudapi.ResultDetailsApiModelAsTestRunApiModelResultDetails(cloudapi.NewResultDetailsApiModel("")))
		run.SetOptions(map[string]any{})
		c.answer(w, http.StatusOK, run)
	})
	handle("POST /metrics", cloudRunToken, c.push)
	handle("POST /logs", cloudRunToken, func(w http.ResponseWriter, body []byte) {
		c.logs.Write(body)
		w.WriteHeader(http.StatusNoContent)
	})
	handle("POST /provisioning/v1/test_runs/7000/notify", cloudRunToken, func(w http.ResponseWriter, body []byte) {
		c.read(body, &c.ended)
		w.WriteHeader(http.StatusNoContent)
	})
	// k6 run -o cloud
	handle("POST /v1/tests", cloudToken, func(w http.ResponseWriter, body []byte) {
		c.read(body, &c.start) // a form would contain the archive
		c.answer(w, http.StatusOK, map[string]any{"reference_id": fmt.Sprint(cloudRun), "config": map[string]any{}})
	})
	handle("POST /v2/metrics/7000", cloudToken, c.push)
	handle("POST /v1/tests/7000", cloudToken, func(_ http.ResponseWriter, body []byte) { c.read(body, &c.ended) })
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		assert.Fail(t, "k6 asks what the cloud does not have", "%s %s", r.Method, r.URL)
		w.WriteHeader(http.StatusNotFound)
	})

	server := httptest.NewUnstartedServer(mux)
	c.url = "http://" + server.Listener.Addr().String() // before the first request
	server.Start()
	t.Cleanup(server.Close)

	return c
}

func (c *cloud) answer(w http.ResponseWriter, status int, answer any) {
	w.WriteHeader(status)
	assert.NoError(c.t, json.NewEncoder(w).Encode(answer))
}

func (c *cloud) read(body []byte, into any) {
	assert.NoError(c.t, json.Unmarshal(body, into), string(body))
}

func (c *cloud) validate(w http.ResponseWriter, body []byte) {
	var asked struct{ Options map[string]any }
	c.read(body, &asked)
	c.options = asked.Options
	for _, executor := range executors(c.options) {
		if executor == "client-sweep" {
			c.answer(w, http.StatusBadRequest, cloudapi.NewErrorResponseApiModel(
				*cloudapi.NewErrorApiModel("unknown executor: "+executor, "error")))

			return
		}
	}
	// This cloud runs nothing; the conversation ends here.
	c.answer(w, http.StatusForbidden, cloudapi.NewErrorResponseApiModel(*cloudapi.NewErrorApiModel("no hours left", "error")))
}

func executors(options map[string]any) (names []string) {
	scenarios, _ := options["scenarios"].(map[string]any)
	for _, s := range scenarios {
		scenario, _ := s.(map[string]any)
		names = append(names, fmt.Sprint(scenario["executor"]))
	}
	slices.Sort(names)

	return slices.Compact(names)
}

// execution returns the answer to a local test: one value per second.
func (c *cloud) execution() any {
	text := func(s string) cloudapi.NullableString { return *cloudapi.NewNullableString(&s) }
	number := func(n int32) cloudapi.NullableInt32 { return *cloudapi.NewNullableInt32(&n) }
	config := cloudapi.NewRuntimeConfig(
		*cloudapi.NewMetricsRuntimeConfig(c.url+"/metrics", text("1s"), number(1), text("1s"), text("2s"), number(1), number(1000)),
		*cloudapi.NewTracesRuntimeConfig(c.url+"/traces", map[string]string{}, "http"),
		*cloudapi.NewFilesRuntimeConfig(c.url+"/files", "/", map[string]string{}, "POST"),
		*cloudapi.NewLogsRuntimeConfig(c.url+"/logs", c.url+"/tail", 900, "1s", "info", 10000, []string{"level"}),
		*cloudapi.NewSecretsRuntimeConfig(c.url+"/secret?name={key}", "plaintext"), cloudRunToken)

	return cloudapi.NewStartLocalExecutionTestResponse(cloudRun, *config, text(c.url+"/upload"), c.url+"/run")
}

func (c *cloud) unpack(body []byte) {
	r := tar.NewReader(bytes.NewReader(body))
	for {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if !assert.NoError(c.t, err) {
			return
		}
		c.archive = append(c.archive, filepath.Base(header.Name))
		if header.Name == "metadata.json" {
			assert.NoError(c.t, json.NewDecoder(r).Decode(&c.archived))
		}
	}
}

func (c *cloud) push(_ http.ResponseWriter, body []byte) {
	kind, err := protoregistry.GlobalTypes.FindMessageByName("metrics.MetricSet")
	if !assert.NoError(c.t, err) {
		return
	}
	pushed := kind.New().Interface()
	plain, err := snappy.Decode(nil, body)
	assert.NoError(c.t, err)
	assert.NoError(c.t, proto.Unmarshal(plain, pushed))
	text, err := protojson.Marshal(pushed)
	assert.NoError(c.t, err)
	type values struct{ Values []cloudValue }
	var set struct {
		TestRunID         string `json:"testRunId"`
		AggregationPeriod int
		Metrics           []struct {
			Name       string
			TimeSeries []struct {
				Labels                                    []struct{ Name, Value string }
				CounterSamples, GaugeSamples, RateSamples values
			}
		}
	}
	c.read(text, &set)
	assert.Equal(c.t, fmt.Sprint(cloudRun), set.TestRunID)
	c.period = set.AggregationPeriod
	for _, metric := range set.Metrics {
		for _, s := range metric.TimeSeries {
			tags := map[string]string{}
			for _, label := range s.Labels {
				tags[label.Name] = label.Value
			}
			key := cloudSeries(metric.Name, tags)
			c.series[key] = slices.Concat(c.series[key], s.CounterSamples.Values, s.GaugeSamples.Values, s.RateSamples.Values)
		}
	}
}

func cloudSeries(metric string, tags map[string]string) string {
	for _, tag := range []string{"outcome", "scenario", "clients", "op"} {
		if value := tags[tag]; value != "" {
			metric += " " + tag + "=" + value
		}
	}

	return metric
}

func (c *cloud) environment() []string {
	return []string{
		"K6_CLOUD_HOST=" + c.url, "K6_CLOUD_HOST_V6=" + c.url, "K6_CLOUD_TOKEN=" + cloudToken,
		fmt.Sprintf("K6_CLOUD_STACK_ID=%d", cloudStack), fmt.Sprintf("K6_CLOUD_PROJECT_ID=%d", cloudProject), "K6_CLOUD_TRACES_ENABLED=false",
	}
}

func (c *cloud) requireReport(t *testing.T, steps []step) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range steps {
		tags := map[string]string{"scenario": "work", "clients": fmt.Sprint(s.Clients), "op": s.Op}
		for outcome, want := range map[string]int{"ok": s.Ops, "failed": s.Failed} {
			var got float64
			key := cloudSeries("sweep_ops", with(tags, map[string]string{"outcome": outcome}))
			require.NotEmpty(t, c.series[key], "%s is not among %v", key, slices.Sorted(maps.Keys(c.series)))
			for _, v := range c.series[key] {
				got += v.Value
			}
			require.InDelta(t, want, got, 1e-6, key)
		}

		seconds := map[time.Time]bool{}
		for metric, want := range map[string]float64{
			"sweep_ops_per_second": s.OpsPerSecond, "sweep_p50": s.LatencyMs.P50, "sweep_p99": s.LatencyMs.P99, "sweep_mean": s.LatencyMs.Mean,
		} {
			key := cloudSeries(metric, tags)
			values := slices.SortedFunc(slices.Values(c.series[key]), func(a, b cloudValue) int { return a.Time.Compare(b.Time) })
			require.NotEmpty(t, values, key)
			require.InEpsilon(t, want, values[len(values)-1].Last, 1e-9, key)
			var samples int
			for _, v := range values {
				require.False(t, v.Min > v.Last || v.Last > v.Max || v.Avg < v.Min, "%s: %+v", key, v)
				require.Zero(t, v.Time.Unix()%int64(c.period), key)
				samples += v.Count
				seconds[v.Time] = true
			}
			require.GreaterOrEqual(t, samples, 3, "%s: one a second, but where two go out at once", key)
		}
		if c.period == 1 {
			require.GreaterOrEqual(t, len(seconds), 3, "values of several seconds")
		}

		failed := 0.0
		for _, v := range c.series[cloudSeries("sweep_failed", tags)] {
			failed += v.Value
		}
		require.InDelta(t, s.Failed, failed, 1e-6, "no failure is missing")
	}
}

func swept(portable bool, threshold string) map[string]string {
	most := "1m"
	if portable {
		most = "8s"
	}

	return map[string]string{
		defaultEnvMachbase: "", "MS": "20", "FAIL_EVERY": "10",
		"OPTIONS": fmt.Sprintf(`{"clients": [1, 3], "duration": "4s", "warmup": "0s", "pause": "0s", "maxDuration": "%s", "gracefulStop": "0s",
			"allowFailed": true, "portable": %t, "thresholds": {%s}}`, most, portable, threshold),
	}
}

func TestGrafanaCloudLocalExecution(t *testing.T) {
	t.Parallel()
	for name, is := range map[string]struct {
		portable  bool
		threshold string
		args      []string
		code      int
		executor  string
	}{
		"held, client-sweep": {false, `"sweep_ops{clients:3}": ["count>0"]`, nil, exitOK, "client-sweep"},
		"crossed, portable":  {true, `"sweep_ops_per_second{clients:3}": ["value<1"]`, []string{"--no-archive-upload"}, exitThreshold, "per-vu-iterations"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := startCloud(t)
			r := k6(t, options{
				command: []string{"cloud", "run", "--local-execution"}, script: "testdata/options.js", args: is.args,
				env: swept(is.portable, is.threshold), environment: c.environment(),
			})
			require.Equal(t, is.code, r.code, r.output)

			requests := []string{
				"POST /cloud/v6/projects/70/load_tests", "POST /provisioning/v1/load_tests/700/start_local_execution", "PUT /upload",
				"GET /cloud/v6/test_runs/7000", "POST /provisioning/v1/test_runs/7000/notify",
			}
			if is.args == nil {
				require.Contains(t, c.archive, "metadata.json")
				require.Contains(t, c.archive, "options.js")
				require.Equal(t, "20", c.archived.Env["MS"], "what -e gives goes along")
				require.NotContains(t, c.archived.Env, "HOME", "what the environment has does not")
			} else {
				requests = slices.Delete(requests, 2, 3)
				require.Nil(t, c.start["archive_size"])
			}
			require.Equal(t, requests, c.requests)
			require.Equal(t, []string{is.executor}, executors(c.options))
			require.EqualValues(t, 3, c.start["max_vus"])
			require.Contains(t, c.options, "thresholds")
			require.Equal(t, 1, c.period)
			c.requireReport(t, r.report(t, "work").Steps)

			require.Equal(t, "script_execution_completed", c.ended["event_type"], "%v", c.ended)
			require.Nil(t, c.ended["error"], "a crossed threshold is none: the cloud judges the thresholds itself")
		})
	}
}

func TestGrafanaCloudGetsTheAbortReason(t *testing.T) {
	t.Parallel()
	c := startCloud(t)
	env := swept(false, "")
	env["FAIL_EVERY"] = "1"
	env["OPTIONS"] = strings.Replace(env["OPTIONS"], `"allowFailed": true, `, "", 1)
	r := k6(t, options{
		command: []string{"cloud", "run", "--local-execution"}, script: "testdata/options.js", env: env, environment: c.environment(),
	})
	require.Equal(t, exitAborted, r.code, r.output)
	said, _ := c.ended["error"].(map[string]any)
	require.EqualValues(t, 8036, said["code"], "%v", c.ended)
	require.Contains(t, said["reason"], "nothing in it can succeed")
}

func TestGrafanaCloudOutput(t *testing.T) {
	t.Parallel()
	c := startCloud(t)
	config := filepath.Join(t.TempDir(), "config.json")
	require.NoError(t, os.WriteFile(config, []byte("{}"), 0o600))
	login := exec.CommandContext(t.Context(), binary(t, "k6-race"), "cloud", "login", "--config", config, "--token", cloudToken, "--stack", "team")
	login.Env = append(os.Environ(), "K6_CLOUD_HOST_V6="+c.url)
	said, err := login.CombinedOutput()
	require.NoError(t, err, string(said))
	require.Equal(t, []string{"GET /cloud/v6/auth"}, c.requests)
	require.NotContains(t, string(said), cloudToken)

	for name, portable := range map[string]bool{"client-sweep": false, "portable": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := startCloud(t)
			r := k6(t, options{
				script: "testdata/options.js", args: []string{"--config", config, "--out", "cloud"},
				env:         swept(portable, `"sweep_ops{clients:3}": ["count>0"], "sweep_p99{clients:1}": ["value<0.001"]`),
				environment: []string{"K6_CLOUD_HOST=" + c.url, "K6_CLOUD_TRACES_ENABLED=false"},
			})
			require.Equal(t, exitThreshold, r.code, r.output)
			require.Equal(t, []string{"POST /v1/tests", "POST /v1/tests/7000"}, c.requests)
			require.EqualValues(t, 3, c.start["vus"])
			require.Equal(t, 3, c.period)
			c.requireReport(t, r.report(t, "work").Steps)

			require.EqualValues(t, 1, c.ended["result_status"], "failed")
			require.EqualValues(t, 3, c.ended["run_status"], "finished")
			for name, want := range map[string]map[string]any{
				"sweep_incomplete":     {"count==0": false},
				"sweep_ops{clients:3}": {"count>0": false},
				"sweep_p99{clients:1}": {"value<0.001": true},
			} {
				require.Contains(t, c.start["thresholds"], name)
				require.Contains(t, c.ended["thresholds"], name)
				verdicts, _ := c.ended["thresholds"].(map[string]any)
				require.Equal(t, want, verdicts[name], "%s: true is a threshold that was crossed", name)
			}
		})
	}
}

// k6 cloud run on the cloud's machines: the cloud checks the options first, and its refusal of an
// unknown executor ends the command.
func TestGrafanaCloudChecksExecutors(t *testing.T) {
	t.Parallel()
	for executor, says := range map[string]string{"client-sweep": "unknown executor: client-sweep", "per-vu-iterations": "no hours left"} {
		c := startCloud(t)
		r := k6(t, options{
			command: []string{"cloud", "run"}, script: "testdata/options.js", environment: c.environment(),
			env: swept(executor != "client-sweep", ""),
		})
		require.NotEqual(t, exitOK, r.code)
		require.Contains(t, r.output, says)
		require.Equal(t, []string{executor}, executors(c.options))
		require.Equal(t, []string{"POST /cloud/v6/validate_options"}, c.requests)
		require.NoFileExists(t, filepath.Join(r.results, "work.json"))
	}
}
