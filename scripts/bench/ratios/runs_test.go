package main

import (
	"os"
	"strings"
	"testing"
	"time"
)

// ran records a part that was measured on a day.
func ran(t *testing.T, o *order, day, commit, part string, judgements ...judgement) {
	t.Helper()
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		t.Fatal(err)
	}
	kept := &ledger{stamp: stamp{Machine: "2 cores of X", Commit: commit}, first: at, last: at}
	if err := o.record(part, kept, judgements); err != nil {
		t.Fatal(err)
	}
}

func TestRunsOfTwoDays(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("page.md", []byte("<!-- runs -->\n<!-- /runs -->\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	good, bad := ratio{1, 1, 1}, ratio{2, 2, 2}
	o := &order{page: "page.md", runs: "runs.tsv"}
	of := func(r ratio) judgement { return bounded{r, atMost(1.5)}.judged("gets, 8, beside Go", "us") }
	ran(t, o, "2026-11-24", "a", "caches", of(bad))
	ran(t, o, "2026-11-24", "a", "nats", of(good), of(ratio{1.4, 1.3, 1.6}))
	ran(t, o, "2026-11-24", "b", "caches", of(good), of(good)) // the same run, measured again
	want := "<!-- runs -->\n| run | commit | bounds | held | undecided | behind | crossed |\n|---|---|---:|---:|---:|---:|---:|\n" +
		"| 2026-11-24, 2 cores of X | b, a | 4 | 3 | 1 | 0 | 0 |\n<!-- /runs -->\n"
	if got, err := os.ReadFile("page.md"); err != nil || string(got) != want {
		t.Errorf("page is %q (%v), want %q", got, err, want)
	}
	late := judgement{row: "gets, 8, beside memtier_benchmark", figure: "p99", shown: "2.00 (<= 1.00: behind)", outcome: behind}
	ran(t, o, "2026-11-25", "c", "caches", of(bad), late)
	got, err := os.ReadFile("page.md")
	for _, want := range []string{
		"| 2026-11-25, 2 cores of X | c | 2 | 0 | 0 | 1 | 1 |\n\nCrossed in one of them, or behind:\n\n",
		"| part | row | figure | 2026-11-24, 2 cores of X | 2026-11-25, 2 cores of X |\n|---|---|---|---|---|\n" +
			"| caches | gets, 8, beside Go | us | 1.00 (<= 1.50) | 2.00 (<= 1.50: crossed) |\n" +
			"| caches | gets, 8, beside memtier_benchmark | p99 | – | 2.00 (<= 1.00: behind) |\n",
	} {
		if err != nil || !strings.Contains(string(got), want) {
			t.Errorf("%q is not in %s (%v)", want, got, err)
		}
	}
}

func TestRunsOfAnotherForm(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"no head": "a\tb\n", "too few columns": runsHead + "\na\tb\n"} {
		if err := os.WriteFile("runs.tsv", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readEndings("runs.tsv"); err == nil {
			t.Errorf("%s: it is read", name)
		}
	}
}

func TestFiguresThatAreNoRatios(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		bound bound
		worst float64
		shown string
		want  outcome
	}{
		{atMost(0), 0, "0 (<= 0.00)", held},
		{atMost(0), 1, "1 (<= 0.00: crossed)", crossed},
		{atLeast(3), 3, "3 (>= 3.00)", held},
		{atLeast(3), 2.5, "2.5 (>= 3.00: crossed)", crossed},
	} {
		if got := c.bound.judged("row", "figure", c.worst); got.shown != c.shown || got.outcome != c.want {
			t.Errorf("%g is %q, %s; want %q, %s", c.worst, got.shown, got.outcome, c.shown, c.want)
		}
	}
}
