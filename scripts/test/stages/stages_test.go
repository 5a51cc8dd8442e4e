package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	if os.Getenv("STAGES_COMMAND") != "" {
		main()
	}
	os.Exit(m.Run())
}

type project struct {
	t      *testing.T
	folder string
}

const makefile = `
test-shell-passes:
	@echo one begins >>told; sleep 0.2; echo one ends >>told
test-shell-alone:
	@echo alone begins >>told
test-shell-once:
	@echo 'it is broken'; test -d ran || ! mkdir ran
test-shell-never:
	@echo 'a server has died'; exit 3
test-shell-race:
	@echo 'WARNING: DATA RACE'; test -d ran || ! mkdir ran
test-long:
	@trap 'touch ended; exit 1' TERM; touch begun; sleep 300 & wait
test-nothing:
	@$(STAGES) go -run TestNone -- ./none
test-%:
	@$(STAGES) go -timeout 5s -run 'Test' -- ./$* && echo 'and what follows runs'
`

// packages by the name of their stage. once fails at its first call.
var packages = map[string]string{
	"once": `func TestOnce(t *testing.T) { t.Run("part", func(t *testing.T) { if once() { t.Fatal("a PING came early") } }) }
func TestOther(t *testing.T) { if _, err := os.Stat("other"); err == nil { t.Fatal("ran twice") }; os.Mkdir("other", 0o755) }`,
	"twice": `func TestTwice(t *testing.T) { t.Log("first"); t.Error("too late") }
func TestOnce(t *testing.T) { if once() { t.Fatal("a clock") } }`,
	"six": `func fails(t *testing.T) { if _, err := os.Stat(t.Name()); err != nil { os.Mkdir(t.Name(), 0o755); t.Fatal("busy") } }
func TestA(t *testing.T) { fails(t) }
func TestB(t *testing.T) { fails(t) }
func TestC(t *testing.T) { fails(t) }
func TestD(t *testing.T) { fails(t) }
func TestE(t *testing.T) { fails(t) }
func TestF(t *testing.T) { fails(t) }`,
	"broken": `func TestBroken(t *testing.T) { return 1 }`,
	"race":   `func TestRace(t *testing.T) { if once() { t.Fatal("WARNING: DATA RACE") } }`,
	"panics": `func TestPanics(t *testing.T) { if once() { panic("out of range") } }
func TestLater(t *testing.T) {}`,
	"hangs":   `func TestHangs(t *testing.T) { if once() { select {} } }`,
	"exits":   `func TestExits(t *testing.T) { if once() { os.Exit(0) } }`,
	"passing": `func TestPassing(t *testing.T) {}`,
}

const head = `package p
import ("os"; "testing")
var _ = os.Mkdir
func once() bool { return os.Mkdir("once", 0o755) == nil }
`

func newProject(t *testing.T) *project {
	t.Helper()
	t.Parallel()
	p := &project{t: t, folder: t.TempDir()}
	p.file("go.mod", "module p\n\ngo 1.26\n")
	p.file("Makefile", makefile)
	p.file("none/p_test.go", head)
	for name, tests := range packages {
		p.file(name+"/p_test.go", head+tests)
	}

	return p
}

func (p *project) file(name, text string) {
	p.t.Helper()
	path := filepath.Join(p.folder, name)
	require.NoError(p.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(p.t, os.WriteFile(path, []byte(text), 0o600))
}

func (p *project) command(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Dir = p.folder
	cmd.Env = append(os.Environ(), "STAGES_COMMAND=true", "STAGES="+os.Args[0], recordVariable+"=", againVariable+"=", "GOFLAGS=-trimpath")

	return cmd
}

func (p *project) run(stages ...string) (output string, code int) {
	p.t.Helper()
	cmd := p.command(append([]string{"run"}, stages...)...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		require.IsType(p.t, &exec.ExitError{}, err)
	}

	return out.String(), cmd.ProcessState.ExitCode()
}

func (p *project) read(name string) string {
	p.t.Helper()
	raw, err := os.ReadFile(filepath.Join(p.folder, name))
	require.NoError(p.t, err)

	return string(raw)
}

func TestStagesThatPass(t *testing.T) {
	p := newProject(t)
	out, code := p.run("shell-passes", "passing", "--", "shell-alone")
	require.Zero(t, code, out)
	require.Equal(t, "one begins\none ends\nalone begins\n", p.read("told"))
	require.Regexp(t, `(?m)^shell-alone +\d+ +\d+$`, out)
	require.Regexp(t, `(?m)^ +\d+\.\d s TestPassing \(p/passing\)$`, out)
	require.Regexp(t, `\n3 passed, 0 failed\n$`, out)
	require.Empty(t, p.read("results/test/flaky.txt"))
	require.Contains(t, p.read("results/test/passing.log"), "ok  \tp/passing")
	require.Contains(t, p.read("results/test/passing.log"), "and what follows runs")
}

func TestFailsOnce(t *testing.T) {
	p := newProject(t)
	out, code := p.run("once", "panics", "exits", "shell-once")
	require.Zero(t, code, out)
	flaky := "FLAKY TestOnce: p_test.go:5: a PING came early\nFLAKY p/panics: panic: out of range [recovered, repanicked]\n" +
		"FLAKY p/exits: panic: unexpected call to os.Exit(0) during test [recovered, repanicked]\n" +
		"FLAKY shell-once: exit status 2: it is broken\n"
	require.Contains(t, out, flaky)
	require.Equal(t, flaky, p.read("results/test/flaky.txt"))
	require.Regexp(t, `\n\d passed, 0 failed\n$`, out)
	require.NotContains(t, p.read("results/test/once.again.json"), "TestOther")
	require.Contains(t, p.read("results/test/panics.again.json"), "TestLater")
}

func TestReasonIsTheLineThatSaysMost(t *testing.T) {
	refused := "    x_test.go:4: \n\tError Trace:\tx_test.go:4\n\tError:      \tReceived unexpected error:\n\t            \tconnection refused\n\tTest:       \tTestX\n"
	for output, want := range map[string]string{
		"":      "it said nothing",
		refused: "Received unexpected error: connection refused",
		"\tError:      \tNot equal: \n\t            \texpected: 20\n\t            \tactual  : 21\n\tTest: \tTestX\n": "Not equal: expected: 20 actual  : 21",
		"\tError:      \tShould be true\n\tTest: \tTestX\n":                                                          "Should be true",
		refused + "FAIL\tp\t0.1s\nservers.sh: machbase had died (pid 7, signal KILL)\n  log ends with:\n    ready\n": "servers.sh: machbase had died (pid 7, signal KILL)",
		"panic: out of range\n\ngoroutine 1 [running]:\n":                                                            "panic: out of range",
		"    x_test.go:4: first\n    x_test.go:5: second\n--- FAIL: TestX (0.00s)\n":                                 "x_test.go:5: second",
	} {
		require.Equal(t, want, reason(slices.Collect(strings.Lines(output))), output)
	}
}

func TestFailsTwice(t *testing.T) {
	p := newProject(t)
	out, code := p.run("twice", "shell-never", "passing")
	require.Equal(t, 1, code, out)
	require.Contains(t, out, "\nFLAKY TestOnce: p_test.go:6: a clock\n")
	require.Contains(t, out, "\nFAILED TestTwice (twice): p_test.go:5: too late\n")
	require.Contains(t, out, "\nFAILED shell-never (shell-never): exit status 2: ")
	require.Regexp(t, `\n2 passed, 2 failed\n$`, out)
	require.Contains(t, out, "\ntwice.again.log printed:\n    p_test.go:5: first\n    p_test.go:5: too late\n--- FAIL: TestTwice")
}

func TestMoreThanFiveAreRed(t *testing.T) {
	p := newProject(t)
	out, code := p.run("six")
	require.Equal(t, 1, code, out)
	require.Contains(t, out, "6 failures are more than 5: none runs again")
	require.Regexp(t, `\n0 passed, 6 failed\n$`, out)
	require.NotContains(t, out, "FLAKY")
}

func TestAlwaysRed(t *testing.T) {
	for stage, why := range map[string]string{
		"race": "FAILED p/race (race): DATA RACE", "broken": "FAILED p/broken (broken): it does not build",
		"hangs":      "FAILED p/hangs (hangs): ",
		"shell-race": "FAILED shell-race (shell-race): ",
		"missing":    "FAILED ./missing (missing): it does not build",
	} {
		t.Run(stage, func(t *testing.T) {
			p := newProject(t)
			out, code := p.run(stage, "once")
			require.Equal(t, 1, code, out)
			require.Contains(t, out, "\n"+why)
			require.NotContains(t, out, "FLAKY")
			require.NoFileExists(t, filepath.Join(p.folder, "results/test/once.again.log"))
		})
	}
}

func TestASignalEndsTheStages(t *testing.T) {
	p := newProject(t)
	cmd := p.command("run", "long")
	require.NoError(t, cmd.Start())
	exists := func(name string) func() bool {
		return func() bool {
			_, err := os.Stat(filepath.Join(p.folder, name))

			return err == nil
		}
	}
	require.Eventually(t, exists("begun"), time.Minute, 10*time.Millisecond)
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	require.Error(t, cmd.Wait())
	require.Equal(t, 128+int(syscall.SIGTERM), cmd.ProcessState.ExitCode())
	require.True(t, exists("ended")())
}
