package command

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/cmd/state"
	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/lib/fsext"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report/page"
)

var update = flag.Bool("update", false, "write the golden files of testdata anew")

func requireGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

// k6 is a k6 with files in memory.
type k6 struct {
	t           *testing.T
	gs          *state.GlobalState
	out, errOut bytes.Buffer
}

func newK6(t *testing.T) *k6 {
	t.Helper()
	k := &k6{t: t, gs: state.NewGlobalState(t.Context())}
	k.gs.FS = fsext.NewMemMapFs()
	k.gs.Stdout.Writer, k.gs.Stdout.IsTTY = &k.out, false
	k.gs.Stderr.Writer = &k.errOut

	return k
}

func (k *k6) write(file, contents string) {
	k.t.Helper()
	require.NoError(k.t, fsext.WriteFile(k.gs.FS, file, []byte(contents), 0o644))
}

func (k *k6) writeReport(file string, r *report.Report) {
	k.t.Helper()
	raw, err := r.JSON()
	require.NoError(k.t, err)
	k.write(file, string(raw))
}

func (k *k6) file(name string) string {
	k.t.Helper()
	raw, err := fsext.ReadFile(k.gs.FS, name)
	require.NoError(k.t, err)

	return string(raw)
}

// run runs `k6 x sweep` as k6 does, and returns its output, the error with its hint as k6 logs it,
// and the exit code.
func (k *k6) run(args ...string) (out, message string, code int) {
	k.t.Helper()
	k.out.Reset()
	root := &cobra.Command{Use: "k6", SilenceUsage: true, SilenceErrors: true}
	x := &cobra.Command{Use: "x", DisableFlagParsing: true}
	root.AddCommand(x)
	x.AddCommand(newCommand(k.gs))
	root.SetOut(k.gs.Stdout)
	root.SetErr(k.gs.Stdout)
	root.SetArgs(append([]string{"x", "sweep"}, args...))
	err := root.Execute()
	if err == nil {
		return k.out.String(), "", 0
	}

	message, fields := errext.Format(err)
	if hint, hinted := fields["hint"].(string); hinted {
		message += "\nhint: " + hint
	}
	var coded errext.HasExitCode
	require.True(k.t, errors.As(err, &coded), "%v has no exit code", err)

	return k.out.String(), message, int(coded.ExitCode())
}

// sweep makes a report of the scenario cache with 1 and 8 clients and an operation get. speeds are
// relative, one for each repeat.
func sweep(t *testing.T, change func(*report.Report), speeds ...float64) *report.Report {
	t.Helper()
	r := &report.Report{
		Schema: report.Schema, Scenario: "cache", Started: time.Date(2026, 3, 1, 12, 30, 0, 0, time.UTC),
		Host:   report.Host{CPU: "Imaginary 9000", Cores: 8, MemBytes: 64 << 30, OS: "linux/amd64"},
		K6:     "v2.2.0",
		Target: map[string]any{"kind": "memcached", "version": "1.6.38", "driver": "text"},
		Params: map[string]any{"clients": []int64{1, 8}, "warmup": "2s"},
	}
	for _, clients := range []int{1, 8} {
		for i, speed := range speeds {
			r.Steps = append(r.Steps, step(t, clients, clients, i+1, speed))
		}
	}
	if change != nil {
		change(r)
	}

	return r
}

func step(t *testing.T, clients, here, repeat int, speed float64) report.Step {
	t.Helper()
	var durations, times, operations measure.Distribution
	const each = 250
	for range here {
		for i := range each {
			durations.Record(time.Duration(float64(clients*(i+1)) / speed * float64(time.Millisecond) / each))
		}
		times.Record(time.Duration(float64(time.Second) / speed))
		operations.Record(each)
	}
	reading := measure.Reading{
		Started: true, Elapsed: time.Duration(float64(time.Second) / speed), Ended: here, Complete: true,
		Ops:         []measure.Totals{{Op: "get", Durations: durations}},
		ClientTimes: times, ClientOps: operations,
	}
	steps := report.NewSteps(&reading, report.Step{Clients: clients, Repeat: repeat, PerClient: each}, "get", report.CPUSeconds{K6: 0.5})

	return steps[0]
}

func steady(t *testing.T, part float64) *report.Report {
	t.Helper()

	return sweep(t, nil, part, 1.01*part, 0.99*part, 1.005*part)
}

func TestHelp(t *testing.T) {
	k := newK6(t)
	for _, args := range [][]string{
		{}, {"ab", "--help"}, {"compare", "--help"}, {"merge", "--help"}, {"report", "--help"}, {"record", "--help"}, {"gate", "--help"}, {"history", "--help"}, {"validate", "--help"}, {"schema", "--help"}, {"new", "--help"},
	} {
		out, message, code := k.run(args...)
		require.Empty(t, message)
		require.Zero(t, code)
		requireGolden(t, strings.Join(append(args[:min(1, len(args))], "help.txt"), "-"), out)
	}
}

func TestShellsOfferValues(t *testing.T) {
	k := newK6(t)
	for args, want := range map[string]string{
		"report --format":       strings.Join(page.FormatNames(), "\n"),
		"gate --format":         "github\njson\ntext",
		"history show --format": "html\njson\nmd",
		"ab --gate":             "opsPerSecond=-5%\n",
		"schema":                "gates\nreport",
	} {
		k.out.Reset()
		root := newCommand(k.gs)
		root.SetOut(k.gs.Stdout)
		root.SetArgs(append(append([]string{"__complete"}, strings.Fields(args)...), ""))
		require.NoError(t, root.Execute())
		require.Contains(t, k.out.String(), want, args)
	}
}

func TestWrongUse(t *testing.T) {
	k := newK6(t)
	for _, tt := range []struct{ args, message string }{
		{"compere a.json", "unknown command \"compere\"\nhint: use one of ab, compare, gate, history, merge, new, record, report, schema, validate; see k6 x sweep --help"},
		{"--loud", "unknown flag: --loud\nhint: use: k6 x sweep [flags]; see k6 x sweep --help"},
		{"compare", "compare needs an old run and at least one new run to compare with it\nhint: use: k6 x sweep compare OLD NEW... [flags]; see k6 x sweep compare --help"},
		{"compare a.json", "compare needs an old run and at least one new run to compare with it\nhint: use: k6 x sweep compare OLD NEW... [flags]; see k6 x sweep compare --help"},
		{"compare a.json b.json --tolerance 0.05", "a tolerance of \"0.05\" is impossible: it must be from 0% and below 100%, such as 5%\nhint: use: k6 x sweep compare OLD NEW... [flags]; see k6 x sweep compare --help"},
		{"compare a.json b.json --loud", "unknown flag: --loud\nhint: use: k6 x sweep compare OLD NEW... [flags]; see k6 x sweep compare --help"},
		{"merge a.json", "merge needs at least 2 parts\nhint: use: k6 x sweep merge PART... [-o FILE] [flags]; see k6 x sweep merge --help"},
		{"report", "report needs one run, or up to 8 side by side\nhint: use: k6 x sweep report RUN... [--format FORMAT | --all] [-o FILE] [flags]; see k6 x sweep report --help"},
		{"report a.json b.json --all", "--all writes the files of one run: name one, or leave --all out\nhint: use: k6 x sweep report RUN... [--format FORMAT | --all] [-o FILE] [flags]; see k6 x sweep report --help"},
		{"report a.json b.json --format csv", "the format \"csv\" is for one run: several can be had as html or md\nhint: use: k6 x sweep report RUN... [--format FORMAT | --all] [-o FILE] [flags]; see k6 x sweep report --help"},
		{"report a.json --format pdf", "unknown format \"pdf\": it must be one of " + sortedFormats() + "\nhint: use: k6 x sweep report RUN... [--format FORMAT | --all] [-o FILE] [flags]; see k6 x sweep report --help"},
		{"record", "record needs at least one run\nhint: use: k6 x sweep record RUN... [-o FILE] [--force] [--last N] [flags]; see k6 x sweep record --help"},
		{"gate a.json", "gate needs a run and a file of gates\nhint: use: k6 x sweep gate RUN GATES [flags]; see k6 x sweep gate --help"},
		{"gate a.json b.json c.json", "gate needs a run and a file of gates\nhint: use: k6 x sweep gate RUN GATES [flags]; see k6 x sweep gate --help"},
		{"schema", "schema needs one of gates, report\nhint: use: k6 x sweep schema gates|report [flags]; see k6 x sweep schema --help"},
		{"schema thresholds", "unknown schema \"thresholds\": it must be one of gates, report\nhint: use: k6 x sweep schema gates|report [flags]; see k6 x sweep schema --help"},
		{"validate", "validate needs at least one file\nhint: use: k6 x sweep validate FILE... [flags]; see k6 x sweep validate --help"},
	} {
		out, message, code := k.run(strings.Fields(tt.args)...)
		require.Empty(t, out, tt.args)
		require.Equal(t, tt.message, message, tt.args)
		require.Equal(t, 104, code, tt.args)
	}
}
