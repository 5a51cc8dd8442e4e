// Package formats is the one list of the forms in which a report can be written. The files of a
// run, `k6 x sweep report` with its help, and scripts/distributed.sh derive from it.
//
// A new format is a file with a function that renders a report, and a line in All.
package formats

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report/beside"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report/page"
)

// Format is one of the forms in which a report can be written.
type Format struct {
	// Name is what a command line calls the format, such as "md".
	Name string
	// Suffix is the end of the file's name, such as ".bench.txt".
	Suffix string
	// Help says what the format is for, in the half line that `k6 x sweep report --help` has for
	// it.
	Help string
	// Asked tells that the format is written only for who asks for it: it is none of a run's files.
	Asked bool
	// Render writes a report in the format.
	Render func(*report.Report) ([]byte, error)
	// Beside writes several runs side by side; nil where the format is for one run only.
	Beside func(*beside.Comparison) ([]byte, error)
}

// Usual is the name of the format that people read, which `k6 x sweep report` writes when it is
// told none.
const Usual = "md"

// All are the formats, in the order in which a run names its files.
var All = []Format{ //nolint:gochecknoglobals // a constant, to which a test adds one
	{Name: "html", Suffix: ".html", Help: "one page with plots, which needs nothing from elsewhere", Render: html, Beside: htmlBeside},
	{Name: "json", Suffix: ".json", Help: "the report itself", Render: (*report.Report).JSON},
	{
		Name: Usual, Suffix: ".md", Help: "the published table, for people and Markdown",
		Render: text((*report.Report).Markdown), Beside: text((*beside.Comparison).Markdown),
	},
	{Name: "csv", Suffix: ".csv", Help: "one line a step and operation, for spreadsheets", Render: (*report.Report).CSV},
	{Name: "bench", Suffix: ".bench.txt", Help: "Go's benchmark format, for benchstat", Render: text((*report.Report).GoBench)},
	{Name: "junit", Suffix: ".junit.xml", Help: "XML, for build servers", Render: (*report.Report).JUnit},
	{
		Name: "github", Suffix: ".github.md", Asked: true,
		Help: "a summary for pull requests: verdict, plots as text, table folded", Render: text((*report.Report).GitHub),
	},
	{
		Name: "openmetrics", Suffix: ".metrics.txt", Asked: true,
		Help: "OpenMetrics, for GitLab's report of metrics", Render: text((*report.Report).OpenMetrics),
	},
	{
		Name: "bigger", Suffix: ".bigger.json", Asked: true,
		Help: "ops/s for github-action-benchmark's tool customBiggerIsBetter", Render: (*report.Report).BiggerIsBetter,
	},
	{
		Name: "smaller", Suffix: ".smaller.json", Asked: true,
		Help: "latencies for its tool customSmallerIsBetter", Render: (*report.Report).SmallerIsBetter,
	},
}

// ofRuns are the formats of a run's files.
func ofRuns() []Format {
	return slices.DeleteFunc(slices.Clone(All), func(f Format) bool { return f.Asked })
}

// html renders the page, which is a package of its own above the report.
func html(r *report.Report) ([]byte, error) {
	var b bytes.Buffer
	err := page.Render(&b, r)

	return b.Bytes(), err
}

// htmlBeside renders the page of several runs.
func htmlBeside(c *beside.Comparison) ([]byte, error) {
	var b bytes.Buffer
	err := page.RenderBeside(&b, c)

	return b.Bytes(), err
}

// text is the Render of a format that no report can fail to have.
func text[T any](render func(T) string) func(T) ([]byte, error) {
	return func(v T) ([]byte, error) { return []byte(render(v)), nil }
}

// OfSeveral are the formats that several runs can be written in.
func OfSeveral() []Format {
	return slices.DeleteFunc(slices.Clone(All), func(f Format) bool { return f.Beside == nil })
}

// Names are the names of all formats.
func Names() []string {
	names := make([]string, len(All))
	for i, f := range All {
		names[i] = f.Name
	}

	return names
}

// Suffixes are the suffixes of a run's files in one line, such as ".html, .json".
func Suffixes() string {
	files := ofRuns()
	suffixes := make([]string, 0, len(files))
	for _, f := range files {
		suffixes = append(suffixes, f.Suffix)
	}

	return strings.Join(suffixes, ", ")
}

// Render writes a report in the format of that name. Another name is an error that lists the
// formats.
func Render(r *report.Report, name string) ([]byte, error) {
	at := slices.IndexFunc(All, func(f Format) bool { return f.Name == name })
	if at < 0 {
		return nil, fmt.Errorf("unknown format %q: it must be one of %s", name, strings.Join(Names(), ", "))
	}

	return All[at].Render(r)
}

// Each renders a report in the formats of a run's files, and calls fn with the suffix and the
// contents of each file.
func Each(r *report.Report, fn func(suffix string, contents []byte)) error {
	for _, f := range ofRuns() {
		contents, err := f.Render(r)
		if err != nil {
			return err
		}
		fn(f.Suffix, contents)
	}

	return nil
}
