package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func effortIn(t *testing.T, folder string, s *stamp) (e *effort, anew string) {
	t.Helper()
	l, anew, err := openLedger(folder, "part", s)
	if err != nil {
		t.Fatal(err)
	}

	return &effort{seconds: 1, kept: l}, anew
}

func TestNumbersOfClients(t *testing.T) {
	t.Parallel()
	e := &effort{target: 1}
	var err error
	if e.clients, err = numbersOf("64,512"); err != nil || e.wants(8, 0) || !e.wants(64, 0) || e.wants(64, 1) {
		t.Errorf("%v: 8 %v, 64 %v, error %v", e.clients, e.wants(8, 0), e.wants(64, 0), err)
	}
	for _, given := range []string{"x", "0", "1,,2", "-1"} {
		if _, err := numbersOf(given); err == nil {
			t.Errorf("%q is no error", given)
		}
	}
}

// Each client does its part of a step that takes so many seconds.
func TestShareOfClients(t *testing.T) {
	t.Parallel()
	e := &effort{seconds: 0.5}
	for clients, want := range map[int]int{1: 10_000, 4: 10_000, 6: 10_000, 60: 1000, 6000: 20} {
		if got := e.share(clients, 20_000, 6); got != want {
			t.Errorf("each of %d clients does %d, want %d", clients, got, want)
		}
	}
}

// A bench that was stopped goes on: the rounds that there are count, one that was cut off does not,
// and cells catch up.
func TestRoundsAreKept(t *testing.T) {
	folder := t.TempDir()
	s := &stamp{Programs: "a", Machine: "m", Servers: []string{"x 1"}, Seconds: 1, Commit: "c1"}
	e, _ := effortIn(t, folder, s)
	number := 0
	count := func(int) (int, error) { number++; return number, nil }
	for e.target = 1; e.target <= 2; e.target++ {
		for _, cell := range []string{"a", "b"} {
			if _, err := again(e, cell, 1, count); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := again(e, "a", 1, count); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "part.jsonl")
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(`{"cell":"b","rou`)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}

	other := *s
	other.Commit = "c2"
	e, anew := effortIn(t, folder, &other)
	if anew != "" || e.kept.least() != 2 || e.kept.stamp.Commit != "c1" {
		t.Fatalf("it begins anew as %q, with %d rounds of %s", anew, e.kept.least(), e.kept.stamp.Commit)
	}
	e.target = e.kept.least() + 1
	if rounds, err := again(e, "a", 1, count); err != nil || len(rounds) != 3 || number != 5 {
		t.Errorf("a cell that is ahead has %v, error %v", rounds, err)
	}
	if rounds, err := again(e, "b", 1, count); err != nil || len(rounds) != 3 || rounds[2] != 6 {
		t.Errorf("a cell that is behind has %v, error %v", rounds, err)
	}
	if e, _ = effortIn(t, folder, s); e.kept.least() != 3 {
		t.Errorf("after a line that was cut off there are %d rounds", e.kept.least())
	}
}

// What only writes the page takes the rounds that there are, whatever they were measured with.
func TestPageIsWrittenFromAnyRounds(t *testing.T) {
	folder := t.TempDir()
	e, _ := effortIn(t, folder, &stamp{Programs: "a", Commit: "c"})
	if err := e.kept.add("cell", 1); err != nil {
		t.Fatal(err)
	}
	if e, anew := effortIn(t, folder, nil); anew != "" || e.kept.least() != 1 || e.kept.stamp.Commit != "c" {
		t.Errorf("it has %d rounds of %q, and says %q", e.kept.least(), e.kept.stamp.Commit, anew)
	}
	if e, _ := effortIn(t, t.TempDir(), nil); e.kept.least() != 0 {
		t.Error("a folder without rounds has some")
	}
}

func TestRoundsOfAnotherBuildAreDropped(t *testing.T) {
	s := stamp{Programs: "a", Machine: "m", Servers: []string{"x 1"}, Seconds: 1, Commit: "c"}
	for says, change := range map[string]func(*stamp){
		"k6 or a program beside it": func(s *stamp) { s.Programs = "b" },
		"the machine was":           func(s *stamp) { s.Machine = "n" },
		"the servers were":          func(s *stamp) { s.Servers = []string{"x 2"} },
		"its steps took 1 s":        func(s *stamp) { s.Seconds = 2 },
	} {
		folder := t.TempDir()
		e, _ := effortIn(t, folder, &s)
		if err := e.kept.add("cell", 1); err != nil {
			t.Fatal(err)
		}
		other := s
		change(&other)
		e, anew := effortIn(t, folder, &other)
		if !strings.Contains(anew, says) || e.kept.least() != 0 {
			t.Errorf("it has %d rounds, and says %q, want %q", e.kept.least(), anew, says)
		}
		if _, err := os.Stat(filepath.Join(folder, "part.jsonl.old")); err != nil {
			t.Errorf("what there was is lost: %v", err)
		}
	}
}

// A round that fails is not kept, and stops nothing but the bench's success.
func TestFailuresProveNothing(t *testing.T) {
	e, _ := effortIn(t, t.TempDir(), &stamp{})
	e.target = 1
	good := func() (figures, error) { return figures{OpsPerSecond: 1}, nil }
	failing := func() (figures, error) { return figures{Failed: 2}, nil }
	medians, n, err := inTurns(e, "cell", 1, good, failing)
	if err != nil || n != 0 || medians != nil || len(e.failures) != 1 || !strings.Contains(e.failures[0].Error(), "cell: 2 operations failed") {
		t.Errorf("%v of %d rounds, error %v, failures %v", medians, n, err, e.failures)
	}
}

func TestNoRoundBeginsAfterTheTime(t *testing.T) {
	e, _ := effortIn(t, t.TempDir(), &stamp{})
	e.target, e.until = 1, time.Now().Add(-time.Second)
	rounds, err := again(e, "cell", 1, func(int) (int, error) { return 1, nil })
	if err != nil || len(rounds) != 0 {
		t.Errorf("%v, error %v", rounds, err)
	}
}

// The page says of a part how it was measured.
func TestCaptionOfRounds(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 11, 22, 23, 0, 0, 0, time.UTC)
	l := &ledger{stamp: stamp{Machine: "2 cores of X", Servers: []string{"memcached 1.6"}, Seconds: 1, Commit: "abc"}, first: day, last: day}
	if got := l.caption(); !strings.HasPrefix(got, "*`make bench`, 2026-11-22, steps of about 1 s.\n2 cores of X, go1.") || !strings.HasSuffix(got, ", commit abc,\nmemcached 1.6.*") {
		t.Errorf("caption is %q", got)
	}
	if l.last = day.Add(24 * time.Hour); !strings.Contains(l.caption(), "2026-11-22 to 2026-11-23,") {
		t.Errorf("caption is %q", l.caption())
	}
}

func TestProgramsTakeTurns(t *testing.T) {
	e, _ := effortIn(t, t.TempDir(), &stamp{})
	var order string
	program := func(name string, speed float64) func() (figures, error) {
		return func() (figures, error) {
			order += name

			return figures{OpsPerSecond: speed}, nil
		}
	}
	for e.target = 1; e.target <= 3; e.target++ {
		medians, n, err := inTurns(e, "cell", 1, program("a", 1), program("b", 2), program("c", 3))
		if err != nil || n != e.target || medians[0].OpsPerSecond != 1 || medians[2].OpsPerSecond != 3 || len(*medians[1].runs) != n {
			t.Errorf("%v of %d rounds, error %v", medians, n, err)
		}
	}
	if order != "abccbaabc" {
		t.Errorf("they ran %s", order)
	}
	e.kept.cells["cell"] = append(e.kept.cells["cell"], json.RawMessage(`[{}]`))
	if _, _, err := inTurns(e, "cell", 1, program("a", 1), program("b", 2), program("c", 3)); err == nil {
		t.Error("a round of another number of programs is no error")
	}
}

// A cell one of whose rounds has failed keeps none of the others from theirs.
func TestFailedRoundsAreOfTheirCell(t *testing.T) {
	e, _ := effortIn(t, t.TempDir(), &stamp{})
	good := func(int) (int, error) { return 1, nil }
	failing := func(int) (int, error) { return 0, errors.New("no totals") }
	for pass := range 4 {
		e.next()
		second := good
		if pass == 0 {
			second = failing
		}
		for cell, measure := range map[string]func(int) (int, error){"a": good, "b": second} {
			if _, err := again(e, cell, 1, measure); err != nil {
				t.Fatal(err)
			}
		}
	}
	if a, b := len(e.kept.cells["a"]), len(e.kept.cells["b"]); a != 4 || b != 3 {
		t.Errorf("%d rounds of the one and %d of the other, want 4 and 3", a, b)
	}
}
