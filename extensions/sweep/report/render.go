package report

import (
	"fmt"
	"strings"
)

// Format is one of the forms in which a report can be written.
type Format struct {
	Name   string // such as "md"
	Suffix string // of the file's name, such as ".md"
}

// Markdown is the name of the format that people read.
const Markdown = "md"

// Formats are those that Render knows.
var Formats = []Format{ //nolint:gochecknoglobals // a constant
	{"json", ".json"},
	{Markdown, ".md"},
	{"csv", ".csv"},
	{"bench", ".bench.txt"},
	{"junit", ".junit.xml"},
}

// Render returns the report in one of the Formats, by its name. Another name is an error that lists those.
func (r *Report) Render(format string) ([]byte, error) {
	switch format {
	case "json":
		return r.JSON()
	case Markdown:
		return []byte(r.Markdown()), nil
	case "csv":
		return r.CSV()
	case "bench":
		return []byte(r.GoBench()), nil
	case "junit":
		return r.JUnit()
	}
	names := make([]string, len(Formats))
	for i, f := range Formats {
		names[i] = f.Name
	}

	return nil, fmt.Errorf("unknown format %q: it is to be one of %s", format, strings.Join(names, ", "))
}
