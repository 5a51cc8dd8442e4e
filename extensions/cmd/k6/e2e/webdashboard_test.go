package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// k6's web dashboard gets each metric in the panels of scripts/grafana/k6-dashboard.json, with the
// values of its type. The binary has no race detector, because k6 v2.2.0's dashboard reads
// thresholds while k6 judges them.
func TestWebDashboardHasTheMetricsOfItsPanels(t *testing.T) {
	t.Parallel()
	config, err := filepath.Abs(filepath.Join(root, "scripts/grafana/k6-dashboard.json"))
	require.NoError(t, err)
	record := filepath.Join(t.TempDir(), "record.ndjson")
	r := k6(t, options{
		binary: binary(t, "k6-xk6"), script: "testdata/options.js",
		env: map[string]string{defaultEnvMachbase: "", "MS": "5", "OPTIONS": `{"clients": [1, 3], "duration": "2s", "warmup": "0s", "pause": "0s"}`},
		environment: []string{
			"XK6_DASHBOARD_CONFIG=" + config, "K6_WEB_DASHBOARD=true", "K6_WEB_DASHBOARD_HOST=127.0.0.1", "K6_WEB_DASHBOARD_PORT=0",
			"K6_WEB_DASHBOARD_PERIOD=1s", "K6_WEB_DASHBOARD_RECORD=" + record,
		},
	})
	require.Equal(t, exitOK, r.code, r.output)

	types := map[string]string{}
	seconds := 0
	raw, err := os.ReadFile(record)
	require.NoError(t, err)
	for line := range bytes.Lines(raw) {
		var event struct {
			Event string
			Data  json.RawMessage
		}
		require.NoError(t, json.Unmarshal(line, &event))
		switch event.Event {
		case "metric":
			var known map[string]struct{ Type string }
			require.NoError(t, json.Unmarshal(event.Data, &known))
			for name, metric := range known {
				types[name] = metric.Type
			}
		case "snapshot":
			seconds++
		}
	}
	require.GreaterOrEqual(t, seconds, 3)

	panels, err := os.ReadFile(config)
	require.NoError(t, err)
	asked := regexp.MustCompile(`"query": "(\w+)\[\?!tags && (\w+)\]"`).FindAllStringSubmatch(string(panels), -1)
	require.Len(t, asked, bytes.Count(panels, []byte(`"query"`)))
	for _, query := range asked {
		want := map[string]string{"gauge": "value", "rate": "rate", "counter": "rate"}[types[query[1]]]
		require.Equal(t, want, query[2], "%s is a %q", query[1], types[query[1]])
	}
}
