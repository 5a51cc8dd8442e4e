package page

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

//go:embed templates/*.gohtml
var files embed.FS

// templates are parsed at program start, because an error is a fault of the program.
//
//nolint:gochecknoglobals // a constant
var templates = template.Must(template.New("").Funcs(template.FuncMap{"presentation": presentation}).
	ParseFS(files, "templates/*.gohtml"))

// HTML renders the report as one page. It omits what the report lacks, so every readable report has
// a page.
func HTML(r *report.Report) ([]byte, error) { return execute("page", r.Scenario, newDocument(r)) }

func execute(template, of string, document any) ([]byte, error) {
	var page bytes.Buffer
	if err := templates.ExecuteTemplate(&page, template, document); err != nil {
		return nil, fmt.Errorf("page of %s: %w", of, err)
	}

	return page.Bytes(), nil
}
