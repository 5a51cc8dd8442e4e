package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReplacePart(t *testing.T) {
	t.Parallel()
	page := "# Page\n\n<!-- a -->\nold\n<!-- /a -->\n\ntext\n<!-- b -->\nb\n<!-- /b -->\nend\n"
	got, found := replacePart(page, "a", "new\n\n*caption*\n")
	require.True(t, found)
	require.Equal(t, "# Page\n\n<!-- a -->\nnew\n\n*caption*\n<!-- /a -->\n\ntext\n<!-- b -->\nb\n<!-- /b -->\nend\n", got)
	_, found = replacePart(page, "c", "new")
	require.False(t, found)
	_, found = replacePart("<!-- a -->\nno end\n", "a", "new")
	require.False(t, found)
}

func TestReportTakesACommand(t *testing.T) {
	t.Parallel()
	require.ErrorContains(t, putReports([]string{"results/x.json"}), "takes -command")
	require.ErrorContains(t, putInput([]string{"-part", "soak"}), "takes -part and -command")
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
}

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
