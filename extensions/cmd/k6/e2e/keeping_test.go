package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	sweepreport "github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

var formats = []string{".bench.txt", ".csv", ".html", ".json", ".junit.xml", ".md"}

func filesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}

	return names
}

func requireFilesOf(t *testing.T, dir, scenario string) {
	t.Helper()
	var want []string
	for _, suffix := range formats {
		want = append(want, scenario+suffix)
	}
	require.Equal(t, want, filesIn(t, dir), "all formats, and nothing else")
}

func TestWithoutHandleSummaryThereIsAReport(t *testing.T) {
	t.Parallel()
	for script, scenario := range map[string]string{"testdata/bare.js": "bare", "testdata/steps.js": "steps"} {
		r := k6(t, options{script: script, env: with(noMachbase, map[string]string{"THRESHOLD": "max<60000"})})
		require.Equal(t, exitOK, r.code, r.output)
		requireFilesOf(t, r.results, scenario)
		require.Len(t, r.report(t, scenario).Steps, 2)
		require.Contains(t, r.output, r.table(t, scenario), "the table is shown")
		require.Contains(t, r.output, "report: "+filepath.Join(r.results, scenario)+".html, .json,")
		require.Contains(t, r.output, "TOTAL RESULTS", "k6's own summary is there too")
		if scenario == "steps" {
			require.Contains(t, r.table(t, scenario), "thresholds held", "those of k6's thresholds")
		}
	}
	r := k6(t, options{script: "testdata/steps.js", env: with(noMachbase, map[string]string{"THRESHOLD": "max<0.001"})})
	require.Equal(t, exitThreshold, r.code, r.output)
	require.Contains(t, r.table(t, "steps"), "iteration_duration{scenario:steps} max<0.001", "a threshold that was crossed is in the report")
}

// A good report is not lost: a new one moves it to previous, and a failed run keeps it in place.
func TestAGoodReportIsNotOverwritten(t *testing.T) {
	t.Parallel()
	shop := userScript(t, "shop.js", `import exec from 'k6/execution';
		export const options = { thresholds: __ENV.THRESHOLD ? { iteration_duration: [__ENV.THRESHOLD] } : {} };
		export default function () { if (__ENV.MS) exec.test.abort('a fault'); }`)
	for name, tt := range map[string]struct {
		script string
		args   []string
	}{"steps": {"testdata/steps.js", nil}, "shop": {shop, []string{"-o", "sweep"}}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			results := map[string]string{"RESULTS": filepath.Join(t.TempDir(), "results")}
			fails := map[string]string{"SWEEP": `{"maxDuration": "1s", "gracefulStop": "0s"}`, "MS": "60000"}
			started := func(folder string) string {
				raw, err := os.ReadFile(filepath.Join(results["RESULTS"], folder, name+".json"))
				require.NoError(t, err)
				rep, err := sweepreport.Read(raw)
				require.NoError(t, err)

				return rep.Started.String()
			}
			k6(t, options{script: tt.script, env: with(noMachbase, results), args: tt.args})
			first := started(".")
			k6(t, options{script: tt.script, env: with(noMachbase, results), args: tt.args})
			second := started(".")
			require.NotEqual(t, first, second)
			require.Equal(t, first, started("previous"))

			failed := k6(t, options{script: tt.script, env: with(with(noMachbase, fails), results), args: tt.args})
			require.NotEqual(t, exitOK, failed.code, failed.output)
			require.Contains(t, failed.output, "this run failed: its report is in "+filepath.Join(results["RESULTS"], "failed"))
			require.Contains(t, failed.output, "report: "+filepath.Join(results["RESULTS"], "failed", name)+".html")
			require.Equal(t, second, started("."), "the good report stays")
			require.Equal(t, first, started("previous"))
			require.NotEqual(t, second, started("failed"))

			for range 2 { // the first one that misses its threshold replaces the good report, the second one does not
				missed := k6(t, options{script: tt.script, env: with(with(noMachbase, map[string]string{"THRESHOLD": "max<0.000001"}), results), args: tt.args})
				require.Equal(t, exitThreshold, missed.code, missed.output)
				require.NotEqual(t, second, started("."))
				require.Equal(t, second, started("previous"), "the last report that held its gates")
			}
		})
	}
}

func TestPulsesAndPortableStepsWithoutHandleSummary(t *testing.T) {
	t.Parallel()
	r := k6(t, options{script: "testdata/steps.js", env: with(noMachbase, map[string]string{
		"SWEEP": `{"portable": true, "maxDuration": "4s", "gracefulStop": "0s", "pause": "0s"}`,
	})})
	require.Equal(t, exitOK, r.code, r.output)
	requireFilesOf(t, r.results, "steps")
	require.Len(t, r.report(t, "steps").Steps, 2)
	require.Contains(t, r.output, r.table(t, "steps"))
}

func TestAReportThatTheScriptAsksForIsMadeOnce(t *testing.T) {
	t.Parallel()
	r := k6(t, options{script: "testdata/own.js", env: noMachbase})
	require.Equal(t, exitOK, r.code, r.output)
	requireFilesOf(t, r.results, "own")
	require.Equal(t, 1, strings.Count(r.output, "report: "), r.output)
}

func TestAKilledRunLeavesItsSteps(t *testing.T) {
	t.Parallel()
	r := k6(t, options{
		script: "testdata/steps.js",
		env:    with(noMachbase, map[string]string{"SWEEP": `{"iterations": 300}`, "MS": "600000"}),
		shows:  `step 2/2`, measuring: func(k6 *os.Process) { _ = k6.Kill() },
	})
	require.NotEqual(t, exitOK, r.code)
	journal := filepath.Join(r.results, "steps.partial.json")
	require.Equal(t, []string{".steps.running", "steps.partial.json"}, filesIn(t, r.results))
	code, stdout, stderr := sweep(t, "report", journal)
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "| steps    |       1 |        300 |")
	require.Contains(t, stdout, "interrupted")
	code, _, stderr = sweep(t, "validate", journal)
	require.Zero(t, code, stderr)

	again := k6(t, options{script: "testdata/steps.js", env: with(noMachbase, map[string]string{"RESULTS": r.results})})
	require.Equal(t, exitOK, again.code, again.output)
	require.Contains(t, again.output, "an earlier run was interrupted: k6 x sweep report "+filepath.Join(r.results, "steps."))
	left, err := filepath.Glob(filepath.Join(r.results, "steps.*.partial.json"))
	require.NoError(t, err)
	require.Len(t, left, 1, "what the killed run did is not lost with the next one")
	require.NoFileExists(t, filepath.Join(r.results, ".steps.running"))
}

func TestTwoRunsAtOnceInOneFolder(t *testing.T) {
	t.Parallel()
	var second *run
	results := filepath.Join(t.TempDir(), "results")
	both := with(noMachbase, map[string]string{"RESULTS": results, "SWEEP": `{"iterations": 60000}`})
	first := k6(t, options{script: "testdata/steps.js", env: both, measuring: func(k6OfFirst *os.Process) {
		second = k6(t, options{script: "testdata/steps.js", env: both})
		_ = k6OfFirst.Signal(syscall.SIGINT)
	}})
	require.Equal(t, exitInvalidConfig, second.code, second.output)
	require.Contains(t, second.output, "another run writes the report of steps in "+results+": give this one another folder")
	require.Equal(t, exitInterrupted, first.code, first.output)
	requireFilesOf(t, results, "steps")
}

func TestAFolderThatCannotBeWrittenToEndsTheRunBeforeItBegins(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	r := k6(t, options{script: "testdata/steps.js", env: with(noMachbase, map[string]string{"RESULTS": filepath.Join(file, "results")})})
	require.Equal(t, exitInvalidConfig, r.code, r.output)
	require.Contains(t, r.output, "the results cannot be kept: ")
	require.NotContains(t, r.output, "ops/s, p50", "no step was run")
	require.NotContains(t, r.output, "| scenario |", "there is nothing to be shown")

	unusable := map[string]string{"RESULTS": filepath.Join(file, "results"), "SWEEP": `{"portable": true, "maxDuration": "1s"}`}
	r = k6(t, options{script: "testdata/steps.js", env: with(noMachbase, unusable)})
	require.Equal(t, exitInvalidConfig, r.code, r.output)
	require.Contains(t, r.output, "the results cannot be kept: ")
	require.Empty(t, r.samples(t, "sweep_ops"), "no step was run")

	r = k6(t, options{script: "testdata/own.js", env: with(noMachbase, map[string]string{"RESULTS": filepath.Join(file, "results")})})
	require.Equal(t, exitMarkedFailed, r.code, r.output)
	require.Contains(t, r.output, "until the end, the steps are in memory only")
	require.Contains(t, r.output, "the report of own could not be written: ")
	require.Contains(t, r.output, "| own      |       1 |")
}

// onFullDisk runs a shell command whose folder $DISK has room for this many kilobytes, in separate
// namespaces.
func onFullDisk(t *testing.T, kilobytes, command string) (code int, output string) {
	t.Helper()
	disk := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "unshare", "-rm", "bash", "-c",
		`mount -t tmpfs -o size=`+kilobytes+`k none "$DISK" && { `+command+`; }`)
	cmd.Env = append(os.Environ(), "DISK="+disk, "K6="+binary(t, "k6-race"), "K6_AUTO_EXTENSION_RESOLUTION=false", "K6_NO_USAGE_REPORT=true")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	_ = cmd.Run() // the exit code is checked
	require.NotContains(t, out.String(), "DATA RACE")

	return cmd.ProcessState.ExitCode(), out.String()
}

// A page of 100 kB does not fit on the disk: no file is truncated, no format exists without the
// others, the journal has the completed steps, and the exit code is not 0.
func TestAReportOnAFullDisk(t *testing.T) {
	t.Parallel()
	for script, scenario := range map[string]string{
		"testdata/steps.js": "steps", "testdata/own.js": "own",
		`-e SWEEP='{"portable": true, "maxDuration": "4s", "gracefulStop": "0s", "pause": "0s"}' testdata/steps.js`: "steps",
	} {
		code, output := onFullDisk(t, "32", `"$K6" run --no-color -q -e RESULTS="$DISK" `+script+`; code=$?
			grep -o '"interrupted": [a-z]*' "$DISK"/*; ls -A "$DISK"; exit $code`)
		require.Equal(t, exitMarkedFailed, code, output)
		require.Contains(t, output, "the report of "+scenario+" could not be written: ")
		require.Contains(t, output, "no space left on device; k6 x sweep report ")
		require.Contains(t, output, "| "+scenario, "the table is not lost")
		require.NotContains(t, output, `"interrupted": true`, "the journal has the whole run")
		require.True(t, strings.HasSuffix(output, "\n"+scenario+".partial.json\n"), "nothing else is on the disk: %s", output)
	}
}

func TestABaselineOnAFullDiskStaysAsItIs(t *testing.T) {
	t.Parallel()
	r := k6(t, options{script: "testdata/steps.js", env: with(noMachbase, map[string]string{"SWEEP": `{"repeats": 5}`})})
	require.Equal(t, exitOK, r.code, r.output)
	run := filepath.Join(r.results, "steps.json")
	code, output := onFullDisk(t, "32", `echo old > "$DISK/b.json"; dd if=/dev/zero of="$DISK/fill" bs=1k count=20 2>/dev/null;
		for way in "record --force" "report --format json"; do "$K6" x sweep $way `+run+` -o "$DISK/b.json" && exit 1; cat "$DISK/b.json"; done; ls -A "$DISK"`)
	require.Zero(t, code, output)
	require.Equal(t, 2, strings.Count(output, "no space left on device"), output)
	require.Equal(t, 2, strings.Count(output, "old\n"), output)
	require.True(t, strings.HasSuffix(output, "b.json\nfill\n"), output)
}

func TestInterruptedRunWithoutHandleSummaryLeavesItsReport(t *testing.T) {
	t.Parallel()
	r := k6(t, options{
		script: "testdata/steps.js",
		env:    with(noMachbase, map[string]string{"SWEEP": `{"iterations": 300}`, "MS": "600000"}),
		shows:  `step 2/2`, measuring: func(k6 *os.Process) { _ = k6.Signal(syscall.SIGINT) },
	})
	require.Equal(t, exitInterrupted, r.code, r.output)
	requireFilesOf(t, r.results, "steps")
	require.True(t, r.report(t, "steps").Interrupted)
}

func TestInterruptedPortableRunHasNoFailures(t *testing.T) {
	t.Parallel()
	r := k6(t, options{
		script: "testdata/steps.js",
		env: with(noMachbase, map[string]string{
			"SWEEP": `{"portable": true, "clients": [4, 5], "iterations": 100000, "maxDuration": "20s"}`, "OP": "nap",
		}),
		shows: `steps-4 .*running|steps-4 +\[`, measuring: func(k6 *os.Process) { _ = k6.Signal(syscall.SIGINT) },
	})
	require.Equal(t, exitInterrupted, r.code, r.output)
	step := r.report(t, "steps").Steps[0]
	require.Equal(t, "nap", step.Op)
	require.Zero(t, step.Failed)
}

func TestAMergedReportOnAFullDisk(t *testing.T) {
	t.Parallel()
	var parts []string
	for _, segment := range []string{"0:1/2", "1/2:1"} {
		r := k6(t, options{
			script: "testdata/steps.js", env: with(noMachbase, map[string]string{"SWEEP": `{"clients": [2, 4], "repeats": 5}`}),
			args: []string{"--execution-segment", segment, "--execution-segment-sequence", "0,1/2,1"},
		})
		require.Equal(t, exitOK, r.code, r.output)
		parts = append(parts, filepath.Join(r.results, "steps.json"))
	}
	code, output := onFullDisk(t, "32", `echo old > "$DISK/m.json"; dd if=/dev/zero of="$DISK/fill" bs=1k count=20 2>/dev/null;
		"$K6" x sweep merge `+strings.Join(parts, " ")+` -o "$DISK/m.json"; code=$?; cat "$DISK/m.json"; ls -A "$DISK"; exit $code`)
	require.Equal(t, exitOther, code, output)
	require.Contains(t, output, "no space left on device")
	require.NotContains(t, output, "2 parts of", "it does not say that it has written")
	require.True(t, strings.HasSuffix(output, "old\nfill\nm.json\n"), "nothing is left beside it: %s", output)
}
