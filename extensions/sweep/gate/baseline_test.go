package gate

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/witness"
)

func TestBaselineOfSeveralRuns(t *testing.T) {
	b := &Baseline{}
	for i, part := range []float64{1, 1.02, 0.98} {
		r := steady(part)
		r.Started = time.Date(2026, 3, 1, 12, i, 0, 0, time.UTC)
		r.Gates = []report.Verdict{{Gate: "p99", Held: true, Outcome: "held"}}
		r.Steps[0].Witness = &report.Witness{LimitedBy: witness.Server, Why: "full", OverTime: &report.WitnessOverTime{EverySeconds: 1}}
		r.Steps[0].OverTime, r.Steps[0].Slowest = &report.OverTime{}, []report.Slow{{}}
		require.NoError(t, b.Add(r))
		require.Empty(t, b.Runs[i].Steps[0].Slowest)
		require.Nil(t, b.Runs[i].Steps[0].OverTime)
		require.Len(t, r.Gates, 1, "the run is left as it was")
		require.NotNil(t, r.Steps[0].Witness.OverTime)
		require.Nil(t, b.Runs[i].Gates)
		require.Nil(t, b.Runs[i].Steps[0].Witness.OverTime)
		require.Equal(t, witness.Server, b.Runs[i].Steps[0].LimitedBy())
	}
	require.ErrorContains(t, b.Add(b.Runs[1]), "the run of 2026-03-01T12:01:00Z is in the baseline already")
	other := steady(1)
	other.Host.Cores = 2
	require.EqualError(t, b.Add(other), "it does not fit to the recorded runs: host.cores differs: 8 and 2")
	require.ErrorIs(t, b.Add(changed(steady(1), func(r *report.Report) { r.Scenario = "queue" })), ErrDoesNotFit)
	require.Len(t, b.Runs, 3)
	values, _, doubt := b.values(report.Key{Op: "get", Clients: 8}, report.FigureOf("ops_per_second"))
	require.InDeltaSlice(t, []float64{8020, 8180.4, 7859.6}, values, 1e-6)
	require.Empty(t, doubt)
	b.Last(2)
	require.Len(t, b.Runs, 2)
	require.Equal(t, 1, b.Runs[0].Started.Minute())
}

func TestReadBaseline(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("..", "report", "testdata", "whole.json"))
	require.NoError(t, err)
	_, err = ReadBaseline(raw)
	require.EqualError(t, err, "it is a report, and not a baseline: k6 x sweep record REPORT makes one of it")
	first, err := report.Read(raw)
	require.NoError(t, err)
	one := &Baseline{}
	require.NoError(t, one.Add(first))
	require.Equal(t, "stock-rollup", one.Scenario)

	later := *one.Runs[0]
	later.Started = later.Started.Add(time.Hour)
	require.NoError(t, one.Add(&later))
	raw, err = one.JSON()
	require.NoError(t, err)
	read, err := ReadBaseline(raw)
	require.NoError(t, err)
	again, err := read.JSON()
	require.NoError(t, err)
	require.Equal(t, string(raw), string(again))
	require.Len(t, read.Runs, 2)

	edited := func(change func(map[string]any)) []byte {
		var whole map[string]any
		require.NoError(t, json.Unmarshal(raw, &whole))
		change(whole)
		out, err := json.Marshal(whole)
		require.NoError(t, err)

		return out
	}
	run := func(whole map[string]any, i int) map[string]any { return whole["runs"].([]any)[i].(map[string]any) }
	for wrong, broken := range map[string][]byte{
		"the baseline has no runs":                   edited(func(w map[string]any) { w["runs"] = []any{} }),
		`unknown key "run"`:                          edited(func(w map[string]any) { w["run"] = 1 }),
		"runs[1]: the run of":                        edited(func(w map[string]any) { run(w, 1)["started"] = run(w, 0)["started"] }),
		"runs[1]: stock-rollup is no b":              edited(func(w map[string]any) { run(w, 1)["interrupted"] = true }),
		"runs[0]: it does not fit":                   edited(func(w map[string]any) { w["scenario"] = "other" }),
		"runs[1]: the report is of schema":           edited(func(w map[string]any) { run(w, 1)["schema"] = "xk6-sweep/1 " }),
		"runs[0]: the report: missing property 'k6'": edited(func(w map[string]any) { delete(run(w, 0), "k6") }),
		"the file is empty":                          nil,
		`not a report: there is no k`:                []byte("{}"),
	} {
		_, err := ReadBaseline(broken)
		require.ErrorContains(t, err, wrong)
	}
}

func TestBaselineTellsWhatItCouldSee(t *testing.T) {
	require.Equal(t, "baseline of cache: 1 run of 4 steps, on Imaginary 9000 (8 cores, linux/amd64); it takes 2 more runs to judge by it",
		recorded(t, 1).String())
	text := near(t).String()
	require.Contains(t, text, "baseline of cache: 5 runs of 4 steps, on Imaginary 9000 (8 cores, linux/amd64)\n"+
		"  get with 1 client: ops/s differs by 1.0 %, a gate could see 4.2 %; p99 differs by 1.0 %, a gate could see 4.2 %\n")
	require.Contains(t, apart(t).String(), "  set with 8 clients: ops/s differs by 11 %, a gate could see 50 %")
}

var flawed = map[string]func(*report.Report){
	"the run was interrupted":                                     func(r *report.Report) { r.Interrupted = true },
	"the run has no steps":                                        func(r *report.Report) { r.Steps = nil },
	"it is the part 0:1/2 of a run: merge the parts first":        func(r *report.Report) { r.Params["segment"] = "0:1/2" },
	"the step of 8 clients is missing":                            func(r *report.Report) { r.Steps = r.Steps[:8] },
	"get with 1 client (repeat 2): incomplete":                    func(r *report.Report) { r.Steps[2].Complete = false },
	"set with 8 clients (repeat 4): 2 of 1,002 operations failed": func(r *report.Report) { r.Steps[15].Failed = 2 },
	"set with 8 clients (repeat 4): no operation succeeded":       func(r *report.Report) { r.Steps[15].Operations = 0 },
}

func TestRunThatIsNotRecorded(t *testing.T) {
	for problem, change := range flawed {
		require.EqualError(t, (&Baseline{}).Add(changed(steady(1), change)), "cache is no baseline: "+problem)
	}
}

// Recorded runs are read from the gate file's folder. Without any, the gates that need them are
// undecided and name the command that records some.
func TestLoadBaseline(t *testing.T) {
	for _, tt := range []struct {
		contents []byte
		err      error
		want     string
	}{
		{[]byte("{}"), nil, `baseline thresholds/b.json: not a report: there is no key "schema", which is to be "xk6-sweep/1"`},
		{nil, fs.ErrPermission, "baseline thresholds/b.json: permission denied"},
		{nil, fs.ErrNotExist, ""},
	} {
		f := parsed(t, strings.Replace(againstBaseline, `"relative"`, `"undecided": "pass", "relative"`, 1))
		err := f.LoadBaseline("thresholds/cache.json", func(path string) ([]byte, error) {
			require.Equal(t, "thresholds/b.json", path)

			return tt.contents, tt.err
		})
		if tt.want != "" {
			require.EqualError(t, err, tt.want)
		} else {
			require.NoError(t, err)
		}
		require.Equal(t, []string{"baseline fits", "every step complete and no operation failed"}, f.Plan(), "none was taken")
		record := "there is no baseline yet: run it 3 times, and after each run k6 x sweep record RUN.json -o thresholds/b.json"
		require.Equal(t, record, f.NoBaseline())
		require.Equal(t, report.Verdict{Gate: "baseline fits", Outcome: stats.Undecided, Detail: "not judged: " + record}, f.Judge(run(1))[0])
		require.EqualError(t, f.setBaseline(&Baseline{Scenario: "queue"}), `it is of scenario "queue", and must be of "cache"`)
		require.NoError(t, f.setBaseline(near(t)))
		require.Len(t, f.Plan(), 14)
		require.Empty(t, f.NoBaseline())
	}

	for _, none := range []string{
		`{"scenario": "cache", "absolute": [{"op": "get", "p99": "100ms"}]}`, `{"scenario": "cache", "relative": {"p99": "+10%"}}`,
	} {
		f := parsed(t, none)
		require.NoError(t, f.LoadBaseline("cache.json", nil))
		require.Empty(t, f.NoBaseline())
	}
}
