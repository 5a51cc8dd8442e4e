package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// Format is one format of a report.
type Format struct {
	Name   string
	Suffix string
	Help   string
	// Asked marks a format that is written on request only.
	Asked  bool
	Render func(*report.Report) ([]byte, error)
	// Beside renders several runs; nil if the format is for one run only.
	Beside func(*report.Beside) ([]byte, error)
}

// UsualFormat is the default format of `k6 x sweep report`.
const UsualFormat = "md"

// Formats are the formats of a report, in the order of a run's files. A new one needs a function
// that renders a report, and an entry here.
var Formats = []Format{ //nolint:gochecknoglobals // a constant, to which a test adds one
	{Name: "html", Suffix: ".html", Help: "one page with plots, which needs nothing from elsewhere", Render: HTML, Beside: BesideHTML},
	{Name: "json", Suffix: ".json", Help: "the report itself", Render: (*report.Report).JSON},
	{
		Name: UsualFormat, Suffix: ".md", Help: "a table, for people and Markdown",
		Render: asBytes((*report.Report).Markdown), Beside: asBytes((*report.Beside).Markdown),
	},
	{Name: "csv", Suffix: ".csv", Help: "one line a step and operation, for spreadsheets", Render: (*report.Report).CSV},
	{Name: "bench", Suffix: ".bench.txt", Help: "Go's benchmark format, for benchstat", Render: asBytes((*report.Report).GoBench)},
	{Name: "junit", Suffix: ".junit.xml", Help: "XML, for build servers", Render: (*report.Report).JUnit},
	{
		Name: "github", Suffix: ".github.md", Asked: true,
		Help: "a summary for pull requests: verdict, plots as text, table folded", Render: asBytes((*report.Report).GitHub),
	},
}

func ofRuns() []Format {
	return slices.DeleteFunc(slices.Clone(Formats), func(f Format) bool { return f.Asked })
}

// asBytes adapts a render function that cannot fail.
func asBytes[T any](render func(T) string) func(T) ([]byte, error) {
	return func(v T) ([]byte, error) { return []byte(render(v)), nil }
}

// OfSeveral returns the formats for several runs.
func OfSeveral() []Format {
	return slices.DeleteFunc(slices.Clone(Formats), func(f Format) bool { return f.Beside == nil })
}

// FormatNames returns the names of all formats.
func FormatNames() []string {
	names := make([]string, len(Formats))
	for i, f := range Formats {
		names[i] = f.Name
	}

	return names
}

// Suffixes returns the suffixes of a run's files in one line, such as ".html, .json".
func Suffixes() string {
	files := ofRuns()
	suffixes := make([]string, 0, len(files))
	for _, f := range files {
		suffixes = append(suffixes, f.Suffix)
	}

	return strings.Join(suffixes, ", ")
}

// Render writes a report in the format of that name. The error for an unknown name lists the
// formats.
func Render(r *report.Report, name string) ([]byte, error) {
	at := slices.IndexFunc(Formats, func(f Format) bool { return f.Name == name })
	if at < 0 {
		return nil, fmt.Errorf("unknown format %q: it must be one of %s", name, strings.Join(FormatNames(), ", "))
	}

	return Formats[at].Render(r)
}

// Each renders a report in the formats of a run's files, and calls fn with suffix and contents of
// each.
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
