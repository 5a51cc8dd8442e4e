package command

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

const bothKinds = `{"scenario": "cache", "absolute": [{"op": "get", "clients": 8, "p99": "10ms", "opsPerSecond": 1750}],
	"relative": {"baseline": "baselines/cache.json", "opsPerSecond": "-10%", "p99": "+25%"}}`

func TestGate(t *testing.T) {
	k := newK6(t)
	k.writeReport("good.json", steady(t, 1))
	k.writeReport("slow.json", steady(t, 0.7))
	k.writeReport("other.json", sweep(t, func(r *report.Report) { r.Host.Cores = 4 }, 1, 1.01, 0.99, 1.005))
	k.write("thresholds/cache.json", bothKinds)
	k.recordNear(t)

	for _, tt := range []struct {
		run, message string
		code         int
	}{
		{"good", "", 0},
		{"slow", "slow.json: 6 of 8 gates crossed", 99},
		{"other", "other.json: 5 of 8 gates undecided", 110},
	} {
		out, message, code := k.run("gate", tt.run+".json", "thresholds/cache.json")
		require.Equal(t, tt.message, message)
		require.Equal(t, tt.code, code)
		requireGolden(t, "gate-"+tt.run+".txt", out)

		out, message, code = k.run("gate", tt.run+".json", "thresholds/cache.json", "--json")
		require.Equal(t, tt.message, message)
		require.Equal(t, tt.code, code)
		requireGolden(t, "gate-"+tt.run+".json", out)
		var verdicts []report.Verdict
		require.NoError(t, json.Unmarshal([]byte(out), &verdicts))
		require.Len(t, verdicts, 8)
	}
}

func TestGateInAPullRequest(t *testing.T) {
	k := newK6(t)
	k.writeReport("good.json", steady(t, 1))
	k.writeReport("slow.json", steady(t, 0.7))
	k.write("thresholds/cache.json", bothKinds)
	k.recordNear(t)

	out, message, code := k.run("gate", "slow.json", "./thresholds/cache.json", "--format", "github")
	require.Equal(t, "slow.json: 6 of 8 gates crossed", message)
	require.Equal(t, 99, code)
	require.Equal(t, 6, strings.Count(out, "::error file=thresholds/cache.json,title=crossed%3A "), out)
	require.Contains(t, out, "title=crossed%3A p99 of get with 8 clients <= 10ms::11.3ms with 8 clients (median of 4 repeats)\n")
	out, _, code = k.run("gate", "good.json", "thresholds/cache.json", "--format", "github")
	require.Zero(t, code)
	require.Empty(t, out)
}

func TestGateFormatsThatThereAreNot(t *testing.T) {
	k := newK6(t)
	for want, args := range map[string][]string{
		`unknown format "xml": it must be one of github, json, text`: {"--format", "xml"},
		"--json is a format: --format is not needed":                 {"--json", "--format", "text"},
	} {
		_, message, code := k.run(append([]string{"gate", "run.json", "gates.json"}, args...)...)
		require.Contains(t, message, want)
		require.Equal(t, 104, code)
	}
}

func (k *k6) recordNear(t *testing.T) {
	t.Helper()
	for i, part := range []float64{1, 1.01, 0.99, 1.01, 0.99} {
		r := steady(t, part)
		r.Started = r.Started.Add(-time.Duration(i+1) * time.Hour)
		k.writeReport("recorded.json", r)
		_, message, code := k.run("record", "recorded.json")
		require.Zero(t, code, message)
	}
}

func TestGateThatPassesUndecided(t *testing.T) {
	k := newK6(t)
	k.writeReport("other.json", sweep(t, func(r *report.Report) { r.Host.Cores = 4 }, 1, 1.01, 0.99, 1.005))
	k.write("thresholds/cache.json", strings.Replace(bothKinds, `"absolute"`, `"undecided": "pass", "absolute"`, 1))
	k.recordNear(t)
	out, message, code := k.run("gate", "other.json", "thresholds/cache.json")
	require.Empty(t, message)
	require.Zero(t, code)
	require.Contains(t, out, "\nundecided  baseline fits: host.cores differs: 8 and 4\n")
}

func TestGateWithoutWhatItNeeds(t *testing.T) {
	k := newK6(t)
	k.writeReport("run.json", steady(t, 1))
	k.write("thresholds/cache.json", bothKinds)
	k.write("thresholds/wrong.json", `{"scenario": "cache", "absolute": [{"op": "get", "p98": "10ms"}]}`)
	for file, want := range map[string]string{
		"thresholds/missing.json": "thresholds/missing.json: file does not exist",
		"thresholds/wrong.json": `thresholds/wrong.json: absolute[0]: unknown key "p98"; ` +
			`known are op, clients, rate, opsPerSecond, p50, p90, p95, p99, p999, mean, standstill`,
	} {
		out, message, code := k.run("gate", "run.json", file)
		require.Empty(t, out)
		require.Equal(t, want, message)
		require.Equal(t, map[bool]int{false: 104, true: 1}[strings.HasSuffix(message, "does not exist")], code)
	}

	const record = "there is no baseline yet: run it 3 times, and after each run k6 x sweep record RUN.json -o thresholds/baselines/cache.json"
	out, message, code := k.run("gate", "run.json", "thresholds/cache.json")
	require.Contains(t, out, "UNDECIDED  baseline fits: not judged: "+record+"\n")
	require.Equal(t, "run.json: 1 of 4 gates undecided", message)
	require.Equal(t, 110, code)
	_, message, code = k.run("validate", "thresholds/cache.json")
	require.Equal(t, "1 file is invalid", message)
	require.Equal(t, 104, code)

	k.writeReport("thresholds/baselines/cache.json", steady(t, 1))
	_, message, code = k.run("gate", "run.json", "thresholds/cache.json")
	require.Equal(t, "thresholds/cache.json: baseline thresholds/baselines/cache.json: "+
		"it is a report, and not a baseline: k6 x sweep record REPORT makes one of it", message)
	require.Equal(t, 104, code)
}
