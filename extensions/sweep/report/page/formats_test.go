package page

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

func emptyReport() *report.Report {
	return &report.Report{Schema: report.Schema, Scenario: "rollup", Target: map[string]any{}, Params: map[string]any{}, Steps: []report.Step{}}
}

// Programs rely on the names and suffixes.
func TestFormatsKeepTheirNames(t *testing.T) {
	require.Subset(t, FormatNames(), []string{"html", "json", "md", "csv", "bench", "junit"})
	require.True(t, strings.HasPrefix(Suffixes(), ".html, .json, .md, .csv, .bench.txt, .junit.xml"), Suffixes())
	require.Contains(t, FormatNames(), UsualFormat)
}

func TestEveryFormatIsRendered(t *testing.T) {
	for _, f := range Formats {
		require.Regexp(t, `^[a-z]+$`, f.Name)
		require.Regexp(t, `^(\.[a-z]+)+$`, f.Suffix, f.Name)
		require.NotEmpty(t, f.Help, f.Name)
		one, err := Render(emptyReport(), f.Name)
		require.NoError(t, err, f.Name)
		require.NotEmpty(t, one, f.Name)
	}
	seen := map[string]bool{}
	require.NoError(t, Each(emptyReport(), func(suffix string, contents []byte) {
		require.NotEmpty(t, contents, suffix)
		seen[suffix] = true
	}))
	require.Len(t, seen, len(ofRuns()))
}

func TestRenderOfAnUnknownFormat(t *testing.T) {
	for _, name := range []string{"", "xml", "MD"} {
		_, err := Render(emptyReport(), name)
		require.EqualError(t, err, `unknown format "`+name+`": it must be one of `+strings.Join(FormatNames(), ", "))
	}
}

func TestDocsNameEveryFile(t *testing.T) {
	raw, err := os.ReadFile("../../report.md")
	require.NoError(t, err)
	files := regexp.MustCompile("\\| `<scenario>(\\.[a-z.]+)` \\|").FindAllStringSubmatch(string(raw), -1)
	require.Len(t, files, len(ofRuns()))
	for _, f := range ofRuns() {
		require.Contains(t, string(raw), "| `<scenario>"+f.Suffix+"` |", f.Name)
	}
}

func TestDeclarationsNameEveryFile(t *testing.T) {
	raw, err := os.ReadFile("../../index.d.ts")
	require.NoError(t, err)
	files := regexp.MustCompile(`(?s)Writes the files.*?to .dir.`).FindString(string(raw))
	suffixes := regexp.MustCompile("`(?:<scenario>)?(\\.[a-z.]+)`").FindAllStringSubmatch(files, -1)
	require.Len(t, suffixes, len(ofRuns()), files)
	for _, f := range ofRuns() {
		require.Contains(t, files, f.Suffix+"`", f.Name)
	}
}
