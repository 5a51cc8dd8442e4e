package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/lib/fsext"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// An invalid file gives one line that names it once, no output, and exit code 104, or 1 if it
// cannot be read.
func TestFilesThatCannotBeUsed(t *testing.T) {
	k := newK6(t)
	k.writeReport("good.json", steady(t, 1))
	k.write("gates.json", `{"scenario": "cache", "absolute": [{"op": "get", "p99": "100ms"}]}`)
	k.write("empty.json", "")
	k.write("text.json", "p99 < 5ms")
	k.write("cut.json", k.file("good.json")[:2000])
	k.write("newer.json", strings.Replace(k.file("good.json"), "xk6-sweep/1", "xk6-sweep/2", 1))
	k.write("lies.json", strings.Replace(k.file("good.json"), `"ops": 250,`, `"ops": 251,`, 1))
	require.NotEqual(t, k.file("good.json"), k.file("lies.json"))

	for file, reason := range map[string]string{
		"missing.json": "file does not exist",
		"empty.json":   "the file is empty",
		"text.json":    "not JSON: invalid character 'p' looking for beginning of value, in line 1, column 1",
		"cut.json":     "the file is truncated: ",
		"newer.json":   `the report is of schema "xk6-sweep/2", which is newer than this k6 knows ("xk6-sweep/1"): use a newer build`,
		"gates.json":   "not a report: ",
		"lies.json":    "get, 1 client, repeat 1: ",
	} {
		for _, args := range [][]string{
			{"compare", file, "good.json"}, {"compare", "good.json", file}, {"compare", "good.json", "good.json", file},
			{"merge", "good.json", file}, {"report", file}, {"record", file}, {"gate", file, "gates.json"},
		} {
			if args[0] == "gate" && file == "gates.json" {
				continue // has a different error
			}
			out, message, code := k.run(args...)
			require.Empty(t, out)
			require.True(t, strings.HasPrefix(message, file+": "+reason), message)
			require.Equal(t, 1, strings.Count(message, file), message)
			require.NotContains(t, message, "\n")
			require.Equal(t, map[bool]int{false: 104, true: 1}[file == "missing.json"], code)
		}
	}
}

func TestFilesThatCannotBeWritten(t *testing.T) {
	k := newK6(t)
	k.writeReport("run.json", steady(t, 1))
	k.writeReport("a.json", part(t, "0:1/2"))
	k.writeReport("b.json", part(t, "1/2:1"))
	k.gs.FS = fsext.NewReadOnlyFs(k.gs.FS)
	for _, args := range [][]string{
		{"merge", "a.json", "b.json", "-o", "out.json"}, {"report", "run.json", "-o", "out.json"}, {"record", "run.json", "-o", "out.json"},
	} {
		out, message, code := k.run(args...)
		require.Empty(t, out)
		require.Equal(t, "out.json: operation not permitted", message)
		require.Equal(t, 1, code)
	}
}

func TestSourcesAreNotOverwritten(t *testing.T) {
	k := newK6(t)
	k.writeReport("run.json", steady(t, 1))
	k.writeReport("a.json", part(t, "0:1/2"))
	k.writeReport("b.json", part(t, "1/2:1"))
	for _, args := range [][]string{
		{"merge", "a.json", "b.json", "-o", "./b.json"}, {"report", "run.json", "-o", "x/../run.json"},
		{"record", "run.json", "-o", "run.json", "--force"},
	} {
		out, message, code := k.run(args...)
		require.Empty(t, out)
		file := args[len(args)-1]
		if file == "--force" {
			file = "run.json"
		}
		require.Equal(t, file+": it would be overwritten with what is made of it: choose another file", message)
		require.Equal(t, 104, code)
	}
}

func TestSourcesAreNotOverwrittenThroughLinks(t *testing.T) {
	k := newK6(t)
	k.gs.FS = fsext.NewOsFs()
	dir := t.TempDir()
	run, link, hard := filepath.Join(dir, "run.json"), filepath.Join(dir, "link.json"), filepath.Join(dir, "hard.json")
	k.writeReport(run, steady(t, 1))
	before := k.file(run)
	require.NoError(t, os.Symlink("run.json", link))
	require.NoError(t, os.Link(run, hard))
	t.Chdir(dir)
	for _, out := range []string{link, hard, "run.json", "./link.json"} {
		_, message, code := k.run("report", run, "-o", out)
		require.Equal(t, out+": it would be overwritten with what is made of it: choose another file", message)
		require.Equal(t, 104, code)
		require.Equal(t, before, k.file(run))
	}
	_, message, code := k.run("report", run, "-o", "other.md")
	require.Empty(t, message)
	require.Zero(t, code)
}

// part makes one of two parts of a run: each has half of the clients, and the first has the only
// one of the first step.
func part(t *testing.T, segment string) *report.Report {
	t.Helper()

	return sweep(t, func(r *report.Report) {
		r.Params["segment"] = segment
		r.Steps = []report.Step{step(t, 8, 4, 1, 1)}
		if segment == "0:1/2" {
			r.Steps = []report.Step{step(t, 1, 1, 1, 1), r.Steps[0]}
		}
		for i := range r.Steps {
			r.Steps[i].Started = r.Started
		}
	})
}
