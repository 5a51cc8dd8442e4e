package k6x

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"
	"gopkg.in/guregu/null.v3"
)

func vuState(size int) (*lib.State, chan metrics.SampleContainer) {
	registry := metrics.NewRegistry()
	out := make(chan metrics.SampleContainer, size)

	return &lib.State{
		Samples: out, Tags: lib.NewVUStateTags(registry.RootTagSet()),
		BuiltinMetrics: metrics.RegisterBuiltinMetrics(registry),
		Options:        lib.Options{SystemTags: &metrics.DefaultSystemTagSet},
	}, out
}

func sampleOf(state *lib.State, metric *metrics.Metric, value float64, tags ...string) metrics.Sample {
	set := state.Tags.GetCurrentValues().Tags
	for i := 0; i < len(tags); i += 2 {
		set = set.With(tags[i], tags[i+1])
	}

	return metrics.Sample{TimeSeries: metrics.TimeSeries{Metric: metric, Tags: set}, Time: time.Now(), Value: value}
}

func TestFailingSamples(t *testing.T) {
	const all, responses = true, false
	state, _ := vuState(0)
	b := state.BuiltinMetrics
	of := func(metric *metrics.Metric, value float64, tags ...string) metrics.Sample {
		return sampleOf(state, metric, value, tags...)
	}
	// request returns a request's samples, without http_req_failed if failed is null.
	request := func(failed null.Bool, url, status string, tags ...string) metrics.Samples {
		tags = append([]string{"method", "GET", "url", url, "status", status}, tags...)
		samples := metrics.Samples{of(b.HTTPReqs, 1, tags...), of(b.HTTPReqDuration, 3, tags...)}
		if failed.Valid {
			samples = append(samples, of(b.HTTPReqFailed, metrics.B(failed.Bool), tags...))
		}

		return samples
	}
	failed, expected, whatever := null.BoolFrom(true), null.BoolFrom(false), null.Bool{}
	const secret, plain = "http://user:secret@host:8080/items/7?token=secret#secret", "http://h/"
	for name, tt := range map[string]struct {
		checks  bool
		samples metrics.SampleContainer
		want    string
	}{
		"a check that holds":           {all, of(b.Checks, 1, "check", "is 200"), ""},
		"a check that fails":           {all, of(b.Checks, 0, "check", "is 200"), "check failed: is 200"},
		"a check that fails, untagged": {all, of(b.Checks, 0), "a check failed"},
		"checks are not asked for":     {responses, of(b.Checks, 0, "check", "is 200"), ""},

		"an expected response":       {all, request(expected, plain, "404"), ""},
		"an unexpected response":     {responses, request(failed, secret, "404"), "http: GET http://host:8080/items/7 answered 404 Not Found"},
		"a status without a name":    {all, request(failed, plain, "599"), "http: GET http://h/ answered 599"},
		"no answer":                  {all, request(failed, secret, "0", "error", "dial: connection refused"), "http: GET http://host:8080/items/7: dial: connection refused"},
		"no answer, any is expected": {all, request(whatever, plain, "0", "error", "EOF"), "http: GET http://h/: EOF"},
		"an error, any is expected":  {all, request(whatever, plain, "500"), ""},
		"no answer is expected":      {all, request(expected, plain, "0"), ""},
		"no system tags":             {all, of(b.HTTPReqFailed, 1), "http: failed"},
		"a name for an address":      {all, request(failed, "item page", "500"), "http: GET item page answered 500 Internal Server Error"},
		"an address that is none":    {all, request(failed, "http://u:p@h:x/a?token=1", "500"), "http: GET h:x/a answered 500 Internal Server Error"},

		"gRPC":                      {all, of(b.GRPCReqDuration, 3, "name", "/a.B/C", "status", "0"), ""},
		"gRPC, unauthenticated":     {all, of(b.GRPCReqDuration, 3, "name", "/a.B/C", "status", "16"), "grpc: a.B/C answered UNAUTHENTICATED"},
		"gRPC, cancelled":           {all, of(b.GRPCReqDuration, 3, "url", "h:1/a.B/C", "status", "1"), "grpc: h:1/a.B/C answered CANCELLED"},
		"gRPC, a status of its own": {all, of(b.GRPCReqDuration, 3, "name", "/a.B/C", "status", "77"), "grpc: a.B/C answered status 77"},

		"a web socket":                 {all, of(b.WSSessions, 1, "url", "ws://h/", "status", "101"), ""},
		"a web socket that is refused": {all, metrics.Samples{of(b.WSConnecting, 1), of(b.WSSessions, 1, "url", "ws://u:p@h/?t=1", "status", "403")}, "websocket: ws://h/ answered 403 Forbidden"},
		"a web socket without answer":  {all, metrics.ConnectedSamples{Samples: []metrics.Sample{of(b.WSSessions, 1, "url", "ws://h/")}}, "websocket: ws://h/ did not answer"},

		"other metrics": {all, metrics.Samples{of(b.Iterations, 0), of(b.DataSent, 0), {}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := Failure(state, tt.samples, tt.checks)
			if tt.want == "" {
				require.NoError(t, err)
			} else {
				require.EqualError(t, err, tt.want)
			}
		})
	}
}
