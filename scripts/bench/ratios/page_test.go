package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestReplacePart(t *testing.T) {
	page := "# Page\n\n<!-- a -->\nold\n<!-- /a -->\n\ntext\n<!-- b -->\nb\n<!-- /b -->\nend\n"
	got, err := replacePart(page, "a", "new\n\n*caption*\n")
	if want := "# Page\n\n<!-- a -->\nnew\n\n*caption*\n<!-- /a -->\n\ntext\n<!-- b -->\nb\n<!-- /b -->\nend\n"; err != nil || got != want {
		t.Errorf("page is %q (%v), want %q", got, err, want)
	}
	_, err = replacePart(page, "c", "new")
	if want := "it has no part between <!-- c --> and <!-- /c -->"; err == nil || err.Error() != want {
		t.Errorf("error is %v, want %s", err, want)
	}
	if _, err := replacePart("<!-- a -->\nno end\n", "a", "new"); err == nil {
		t.Error("a part without an end is replaced")
	}
}

func TestFiguresWithinALine(t *testing.T) {
	page := filepath.Join(t.TempDir(), "README.md")
	if err := os.WriteFile(page, []byte("It takes <!-- core -->2<!-- /core --> of that.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := &core{rounds: []coreRound{{}}}
	c.rounds[0].Solo.Operations, c.rounds[0].Many.Operations = 1000, 1000
	c.rounds[0].Solo.CPU.K6, c.rounds[0].Many.CPU.K6 = 5e-4, 9e-4 // 0.5 and 0.9 us
	c.rounds[0].PlainSolo.CPUMicros, c.rounds[0].PlainMany.CPUMicros = 1, 1
	if err := putFigure(page, "core", c.front()); err != nil {
		t.Fatal(err)
	}
	want := "It takes <!-- core -->0.50 of that of a plain Go program with the same function, 0.90 with 512 clients<!-- /core --> of that.\n"
	if got, err := os.ReadFile(page); err != nil || string(got) != want {
		t.Errorf("page is %q (%v), want %q", got, err, want)
	}
	if err := putFigure(page, "drivers", "1"); err == nil || !strings.Contains(err.Error(), "no part between <!-- drivers --> and") {
		t.Errorf("error is %v", err)
	}
}

func TestCaption(t *testing.T) {
	got := caption("make bench", time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC), "2 cores of X, go1.26")
	if want := "*`make bench`, 2026-11-22.\n2 cores of X, go1.26.*"; got != want {
		t.Errorf("caption is %q, want %q", got, want)
	}
}

func TestTablesOfMarkdown(t *testing.T) {
	got := tables("| a |\n|---|\n| 1 |\n\n2 gates held.\n\n## More\n\n| b |\n|---|\n| 2 |\n")
	if want := "| a |\n|---|\n| 1 |\n\n| b |\n|---|\n| 2 |"; got != want {
		t.Errorf("tables are %q, want %q", got, want)
	}
}

func TestPutReport(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{
		"run.json": `{"scenario": "lookup", "started": "2026-11-22T10:34:18Z", "host": {"cpu": "X", "cores": 2, "memBytes": 25276510208, "os": "linux/amd64"},
			"k6": "v2.2.0", "target": {"kind": "memcached", "version": "1.6", "url": "127.0.0.1:1"}, "params": {"duration": "10s"}}`,
		"run.md":     "| clients |\n|--------:|\n|       1 |\n\n2 gates held.\n",
		"figures.md": "# Figures\n<!-- lookup -->\nold\n<!-- /lookup -->\n",
		"front.md":   "# Front\n",
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	figures, front := filepath.Join(dir, "figures.md"), filepath.Join(dir, "front.md")
	if err := putReport(filepath.Join(dir, "run.json"), "", "make lookup", []string{figures, front}); err != nil {
		t.Fatal(err)
	}
	want := "# Figures\n<!-- lookup -->\n| clients |\n|--------:|\n|       1 |\n\n*`make lookup`, 2026-11-22.\n" +
		"2 cores of X (k6 and server together), 24 GB, linux/amd64, k6 v2.2.0, memcached 1.6.\nEach step is measured for 10s.*\n<!-- /lookup -->\n"
	if got, err := os.ReadFile(figures); err != nil || string(got) != want {
		t.Errorf("page is %q (%v), want %q", got, err, want)
	}
	if err := putReport(filepath.Join(dir, "run.json"), "", "make lookup", []string{front}); err == nil {
		t.Error("a report without a place is put nowhere")
	}
	if err := putReport(filepath.Join(dir, "run.json"), "", "", []string{figures}); err == nil {
		t.Error("a report without a command is taken")
	}
}

// The tables that a script has made go into the page without that of the sweep, in a part of
// another name.
func TestPutTablesOfScript(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"run.json": `{"scenario": "hits-redis", "started": "2026-11-22T10:34:18Z", "host": {"cpu": "X", "cores": 2, "os": "linux"}, "k6": "v2", "tables": [{"title": "Hits"}]}`,
		"run.md":   "| Ver |\n|-----|\n| 7   |\n\nHits\n\n| server |\n|--------|\n| redis  |\n",
		"page.md":  "<!-- hits -->\n<!-- /hits -->\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := putReport("run.json", "hits", "make hits", []string{"page.md"}); err != nil {
		t.Fatal(err)
	}
	want := "<!-- hits -->\n| server |\n|--------|\n| redis  |\n\n*`make hits`, 2026-11-22.\n2 cores of X, linux, k6 v2.*\n<!-- /hits -->\n"
	if got, err := os.ReadFile("page.md"); err != nil || string(got) != want {
		t.Errorf("page is %q (%v), want %q", got, err, want)
	}
}

// empty are the parts as they print themselves before anything is measured.
func empty(t *testing.T) map[string]result {
	t.Helper()
	e := &effort{seconds: 1, kept: &ledger{cells: map[string][]json.RawMessage{}}}
	all := map[string]result{}
	for _, p := range parts() {
		r, err := p.measure(e)
		if err != nil {
			t.Fatal(err)
		}
		all[p.name] = r
	}

	return all
}

// What stands in the page is what the parts write: the heads of their tables, and a caption with
// command, date and commit. What an older bench has written has no commit.
func TestPageHasTheFormOfWhatIsMeasured(t *testing.T) {
	raw, err := os.ReadFile("../README.md") // before the folder changes
	if err != nil {
		t.Fatal(err)
	}
	numbers := regexp.MustCompile(`[+-]?[0-9][0-9.]*|NaN|[+-]Inf`)
	masked := func(text string) string { return numbers.ReplaceAllString(text, "#") }
	written := regexp.MustCompile(`^\*` + "`[^`]+`" + `, \d{4}-\d\d-\d\d[^\n]*\.\n(?s:.+)\*\n$`)
	for name, part := range empty(t) {
		begin, end := "<!-- "+name+" -->\n", "<!-- /"+name+" -->\n"
		_, rest, _ := strings.Cut(string(raw), begin)
		text, _, found := strings.Cut(rest, end)
		if !found {
			t.Errorf("the page has no part %s", name)

			continue
		}
		figures, caption, _ := cutLast(text, "\n\n")
		if strings.TrimSpace(text) != unmeasured && !written.MatchString(caption) {
			t.Errorf("%s: the caption is %q", name, caption)
		}
		if !strings.Contains(caption, " commit ") {
			continue
		}
		for line := range strings.Lines(masked(part.String())) {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "|") && !strings.Contains(masked(figures), line) {
				t.Errorf("%s: the page lacks %q", name, line)
			}
		}
	}
}

func cutLast(text, separator string) (before, after string, found bool) {
	at := strings.LastIndex(text, separator)
	if at < 0 {
		return text, "", false
	}

	return text[:at], text[at+len(separator):], true
}

// fakeK6 makes the folder one whose bin/k6 is a shell script.
func fakeK6(t *testing.T, script string) {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.Mkdir("bin", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("bin/k6", []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
}

func TestPutText(t *testing.T) {
	fakeK6(t, "echo 'k6 v2.2.0 (go1.26, linux/amd64)'\n")
	if err := os.WriteFile("page.md", []byte("<!-- soak -->\nold\n<!-- /soak -->\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := putText(strings.NewReader("64 clients\n"), "page.md", "soak", "make soak", ""); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("page.md")
	if err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile(`^<!-- soak -->\n64 clients\n\n\*` + "`make soak`" + `, \d{4}-\d\d-\d\d\.\n\d+ cores of .+, go1\..+, k6 v2\.2\.0\.\*\n<!-- /soak -->\n$`)
	if !want.Match(got) {
		t.Errorf("page is %q", got)
	}
	if err := putText(strings.NewReader("x"), "page.md", "soak", "", ""); err == nil {
		t.Error("a text without a command is taken")
	}
}
