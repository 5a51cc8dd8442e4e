package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestJudgedBounds(t *testing.T) {
	for _, c := range []struct {
		failedSame, caughtSlower int
		holds                    bool
	}{
		{0, 20, true},
		{1, 20, false},
		{0, 19, false},
		{20, 0, false},
	} {
		j := &judged{judgedRound: judgedRound{Tries: 20, FailedSame: c.failedSame, CaughtSlower: c.caughtSlower}}
		if j.holds() != c.holds {
			t.Errorf("%+v: holds is %v", c, j.holds())
		}
	}
}

// An undecided gate fails the build, and catches nothing.
func TestJudgedCounts(t *testing.T) {
	var j judgedRound
	j.add(found{}, found{slower: true})
	j.add(found{unsure: true}, found{unsure: true})
	j.add(found{slower: true}, found{})
	if j.FailedSame != 2 || j.CaughtSlower != 1 || j.Tries != 3 {
		t.Errorf("counted %d and %d", j.FailedSame, j.CaughtSlower)
	}
}

func TestJudgedSaysWhatWasTried(t *testing.T) {
	said := (&judged{tolerances: tolerances{OpsPerSecond: "-10%", P99: "+30%"}, judgedRound: judgedRound{Tries: 20, CaughtSlower: 19}}).String()
	for _, want := range []string{
		"ops/s may fall by 10 %, p99 may rise by 30 %", "4 clients, 100 operations of each a repeat, 3 ms of delay in a proxy",
		"fails in 0 of 20 tries", "caught in 19 of 20 (20)",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in %q", want, said)
		}
	}
}

// fakeK6 is a sweep whose k6 is a shell script.
func fakeK6(t *testing.T, script string) *judgedSweep {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.Mkdir("bin", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("bin", "k6"), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}

	return &judgedSweep{dir: dir}
}

// What k6 writes as the report of a run.
const (
	reportOfSteps = `echo '{"steps": [{"latencyMs": {"p50": 3}}, {"latencyMs": {"p50": 1}}, {"latencyMs": {"p50": 2}}]}' > `
	reportOfGates = `echo '{"gates": [{"gate": "baseline fits", "held": true},
		{"gate": "every step complete and no operation failed", "held": true},
		{"gate": "p99 of rollup with 4 clients <= 130 % of baseline", "held": HELD}]}' > stock-rollup.json
	`
)

func TestRecordBaseline(t *testing.T) {
	latency, err := fakeK6(t, reportOfSteps+"stock-rollup.json").recordBaseline()
	if err != nil || latency != 2*time.Millisecond {
		t.Errorf("latency is %s, error is %v", latency, err)
	}
	for script, wrong := range map[string]string{
		"exit 99":                              "a run for the baseline crossed a threshold of scenarios/stock-rollup.js: it must hold them all",
		"echo no server; exit 1":               "a run for the baseline failed: k6: exit status 1\nno server",
		`test $1 = run || exit 2`:              "k6 x sweep record: exit status 2",
		"echo '{}' > stock-rollup.json; true":  "stock-rollup.json: the report has no steps",
		"echo '{' > stock-rollup.json; exit 0": "stock-rollup.json: unexpected end of JSON input",
	} {
		if _, err := fakeK6(t, script).recordBaseline(); err == nil || !strings.Contains(err.Error(), wrong) || strings.Contains(err.Error(), "%!") {
			t.Errorf("%s: error is %v", script, err)
		}
	}
}

func TestJudgedSweep(t *testing.T) {
	held, crossed := strings.ReplaceAll(reportOfGates, "HELD", "true"), strings.ReplaceAll(reportOfGates, "HELD", "false")
	for _, c := range []struct {
		script string
		found  found
		wrong  string
	}{
		{held, found{}, ""},
		{strings.ReplaceAll(crossed, "false", `false, "outcome": "undecided"`) + "exit 99", found{unsure: true}, ""},
		{crossed + "exit 99", found{slower: true}, ""},
		{crossed + "exit 1", found{}, "k6: exit status 1"},
		{held + "exit 99", found{}, "k6's exit code says that a gate did not hold: true, its report: false"},
		{crossed, found{}, "k6's exit code says that a gate did not hold: false, its report: true"},
		{"exit 99", found{}, "no such file"}, // and not the report of the last run
	} {
		s := fakeK6(t, c.script)
		if err := os.WriteFile(s.report(), []byte("a report of the last run"), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := s.judge()
		if got != c.found {
			t.Errorf("%s: found %+v", c.script, got)
		}
		if (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: error is %v", c.script, err)
		}
	}
}
