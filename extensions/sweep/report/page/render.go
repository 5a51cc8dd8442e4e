package page

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

//go:embed templates/*.gohtml
var files embed.FS

// templates are parsed when the program starts: that they can be is a matter of the program, not of
// a report.
//
//nolint:gochecknoglobals // a constant
var templates = template.Must(template.New("").Funcs(template.FuncMap{"presentation": presentation}).
	ParseFS(files, "templates/*.gohtml"))

// Render writes the report as one HTML page of UTF-8 text. What the report lacks is left out or
// said to be missing: any report that can be read can be shown. It returns an error when w does not
// take the page, and then part of it may have been written.
func Render(w io.Writer, r *report.Report) error {
	var page bytes.Buffer
	if err := templates.ExecuteTemplate(&page, "page", newDocument(r)); err != nil {
		return fmt.Errorf("page of %s: %w", r.Scenario, err)
	}
	if _, err := page.WriteTo(w); err != nil {
		return fmt.Errorf("page of %s: %w", r.Scenario, err)
	}

	return nil
}
