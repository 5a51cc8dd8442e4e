package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const root = "../../../.."

const (
	exitOK               = 0
	exitOther            = 1 // such as an unwritable file
	exitThreshold        = 99
	exitInvalidConfig    = 104
	exitInterrupted      = 105
	exitScriptException  = 107
	exitAborted          = 108
	hang                 = 5 * time.Minute // only a hanging run takes this long
	password             = "manager"
	noDataHint           = "scenarios/stock-load.js"
	defaultEnvMachbase   = "MACHBASE_URL"
	defaultEnvMachbaseID = "MACHBASE_PID"
)

func binary(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(root, "bin", name))
	require.NoError(t, err)
	require.FileExists(t, path, "run `make %s` first", filepath.Join("bin", name))

	return path
}

// withoutRace returns the binary for scripts and reports that are only read, and for processes that
// a command starts many times.
func withoutRace(t *testing.T) string {
	t.Helper()

	return binary(t, "k6-xk6")
}

func serverURL(t *testing.T) string {
	t.Helper()
	url := os.Getenv(defaultEnvMachbase)
	require.NotEmpty(t, url, "run the tests with `make test`, or as scripts/servers.sh with machbase -- go test ./...")

	return url
}

type run struct {
	code    int
	output  string // standard output and error
	results string // folder of the reports
	points  string // file of all samples, one JSON object per line
	ended   time.Time
}

type options struct {
	script string // file in scenarios/ or testdata/, or an absolute path
	// command is k6's command; nil means run, which also writes all samples to a file.
	command []string
	binary  string
	env     map[string]string // values for -e
	args    []string
	// environment has additional variables of k6, NAME=value.
	environment []string
	// measuring is called when the first step is being measured or, if `shows` is set, when k6's
	// output matches it.
	measuring func(k6 *os.Process)
	shows     string
}

// measured matches k6's progress line during a measured phase.
var measured = regexp.MustCompile(`clients? +[0-9,]+/[0-9,]+ ops|clients? +[0-9.a-z]+/[0-9.a-z]+s`)

// worked matches it after an operation, or after a second.
const worked = `clients? +[1-9][0-9,]*/[0-9,]+ ops|clients? +[1-9][0-9.a-z]*/[0-9.a-z]+s`

// k6 runs a script with the race detector. A hanging run or a data race fails the test.
func k6(t *testing.T, o options) *run {
	t.Helper()
	dir := t.TempDir()
	r := &run{results: filepath.Join(dir, "results"), points: filepath.Join(dir, "points.json")}

	command := o.command
	if command == nil {
		command = []string{"run", "--out", "json=" + r.points}
	}
	args := slices.Concat(command, []string{"--no-color"}, o.args)
	environment := append(slices.Clip(o.environment), "SWEEP_RESULTS="+r.results)
	if command[0] == "cloud" { // it does not pass environment variables to scripts
		o.env = with(o.env, map[string]string{"RESULTS": r.results, "QUIET": "0s"})
		delete(o.env, defaultEnvMachbase)
	} else if _, set := o.env[defaultEnvMachbase]; !set {
		o.env = with(o.env, map[string]string{defaultEnvMachbase: serverURL(t)})
	}
	if _, set := o.env["QUIET"]; !set { // other tests use the same servers
		environment = append(environment, "SWEEP_QUIET=0s")
	}
	for name, value := range o.env {
		if command[0] == "run" && ofStores.MatchString(name) { // not every script reads them
			environment = append(environment, name+"="+value)
		} else {
			args = append(args, "-e", name+"="+value)
		}
	}

	ctx, cancel := context.WithTimeout(t.Context(), hang)
	defer cancel()
	program := o.binary
	if program == "" {
		program = binary(t, "k6-race")
	}
	cmd := exec.CommandContext(ctx, program, append(args, script(o.script))...)
	cmd.Env = append(os.Environ(), "K6_AUTO_EXTENSION_RESOLUTION=false", "K6_NO_USAGE_REPORT=true")
	cmd.Env = append(cmd.Env, environment...)
	output := &watchedOutput{when: measured, then: func() {
		if o.measuring != nil {
			o.measuring(cmd.Process)
		}
	}}
	if o.shows != "" {
		output.when = regexp.MustCompile(o.shows)
	}
	cmd.Stdout, cmd.Stderr = output, output

	err := cmd.Run()
	r.ended = time.Now()
	output.called.Wait()
	r.output = output.String()
	r.code = cmd.ProcessState.ExitCode()

	require.NoError(t, ctx.Err(), "k6 hangs:\n%s", r.output)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	require.NotContains(t, r.output, "DATA RACE")
	require.NotContains(t, r.output, "panic:")
	require.NotContains(t, r.output, password, "the password is shown")

	return r
}

// refused runs a script that k6 refuses before a client begins.
func refused(t *testing.T, o options) *run {
	t.Helper()
	o.binary = withoutRace(t)

	return k6(t, o)
}

func script(name string) string {
	if strings.HasPrefix(name, "testdata/") || filepath.IsAbs(name) {
		return name
	}

	return filepath.Join(root, "scenarios", name)
}

// watchedOutput records k6's output, and calls then once when a part matches when.
type watchedOutput struct {
	mu     sync.Mutex
	all    bytes.Buffer
	seen   bool
	when   *regexp.Regexp
	then   func()
	called sync.WaitGroup
}

func (w *watchedOutput) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.seen && w.when.Match(p) {
		w.seen = true
		w.called.Go(w.then)
	}

	return w.all.Write(p)
}

func (w *watchedOutput) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()

	return w.all.String()
}

func (r *run) lines(text string) []string {
	var found []string
	for line := range strings.Lines(r.output) {
		if strings.Contains(line, text) {
			found = append(found, line)
		}
	}

	return found
}

type report struct {
	Schema      string
	Scenario    string
	Interrupted bool
	K6          string
	Target      map[string]any
	Params      map[string]any
	Steps       []step
	Tables      []madeTable
}

type madeTable struct {
	Title   string
	Columns []struct{ Name, Unit string }
	Rows    [][]any
}

type step struct {
	Clients, Repeat, PerClient int
	Op, Variant                string
	Ops, Failed                int
	Complete                   bool
	TooShort                   *int
	Started                    time.Time
	Overlap                    *float64
	Seconds, OpsPerSecond      float64
	Client                     struct{ Min, Max, Avg float64 }
	LatencyMs                  struct{ P50, P99, P999, Max, Mean float64 }
	Rows                       int
	BytesSent, BytesReceived   int
	CPUSeconds                 struct {
		K6     float64
		Server *float64
	}
	Window struct {
		Seconds, TailSeconds float64
		Ops, TailOps         int
	}
	AllClients struct {
		Seconds, OpsPerSecond float64
		Ops                   int
	}
	OpenLoop struct {
		Due, Started, LongestQueue int
		AchievedRate, AllBusy      float64
		LatenessMs                 struct{ P50, P99, Max float64 }
	}
	FailedLatencyMs *struct{ P50, P99, Max float64 }
	Histogram       string
	Witness         struct{ LimitedBy, Why string }
	Extra           struct {
		Errors    map[string]int
		Unstarted int
		Counters  map[string]int
	}
}

func (r *run) report(t *testing.T, scenario string) report {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(r.results, scenario+".json"))
	require.NoError(t, err, r.output)
	require.NotContains(t, string(raw), password, "the password is in the report")
	var rep report
	require.NoError(t, json.Unmarshal(raw, &rep))

	return rep
}

func (r *run) table(t *testing.T, scenario string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(r.results, scenario+".md"))
	require.NoError(t, err, r.output)

	return string(raw)
}

func column(t *testing.T, table madeTable, heading string) []any {
	t.Helper()
	for i, c := range table.Columns {
		if strings.TrimSpace(c.Name+" "+c.Unit) != heading {
			continue
		}
		var cells []any
		for _, row := range table.Rows {
			cells = append(cells, row[i])
		}

		return cells
	}
	require.Fail(t, "no such column", "%s in %v", heading, table.Columns)

	return nil
}

type point struct {
	Metric string
	Type   string
	Data   struct {
		Time  time.Time
		Value float64
		Tags  map[string]string
	}
}

func (r *run) samples(t *testing.T, metric string) []point {
	t.Helper()
	raw, err := os.ReadFile(r.points)
	require.NoError(t, err)
	var found []point
	for line := range bytes.Lines(raw) {
		var p point
		require.NoError(t, json.Unmarshal(line, &p))
		if p.Type == "Point" && p.Metric == metric {
			found = append(found, p)
		}
	}

	return found
}

func sum(points []point, tags map[string]string) float64 {
	var total float64
	for _, p := range points {
		if hasTags(p, tags) {
			total += p.Data.Value
		}
	}

	return total
}

func hasTags(p point, tags map[string]string) bool {
	for name, value := range tags {
		if p.Data.Tags[name] != value {
			return false
		}
	}

	return true
}
