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

// templates are parsed at program start, because an error is a fault of the program.
//
//nolint:gochecknoglobals // a constant
var templates = template.Must(template.New("").Funcs(template.FuncMap{"presentation": presentation}).
	ParseFS(files, "templates/*.gohtml"))

// Render writes the report as one HTML page. It omits what the report lacks, so every readable
// report has a page. If w fails, part of the page may be written.
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
