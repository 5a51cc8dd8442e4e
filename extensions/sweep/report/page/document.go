// Package page renders a report as one HTML page with plots, tables and facts. The page has no
// script and loads nothing.
package page

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"strings"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

type document struct {
	Scenario string
	Target   string // kind and version
	Started  string // empty if unknown
	Stamp    string // Started for programs
	Repeated bool
	Bests    []best
	Only     string // name of the only step; else empty
	Warnings []fact
	Duets    []string // one line each
	Found    string   // result of a search

	Beside *besideSection

	Figures  []figure
	Tables   []table
	Failures *table
	Made     []table

	Gates     []report.Verdict
	GatesText string
	Published publishedTable
	Facts     []facts
	K6        string
}

func newDocument(r *report.Report) *document {
	s := newSweep(r.Named())
	d := &document{
		Scenario: r.Scenario, Target: targetText(r), Started: startedText(r.Started), Repeated: s.repeated(),
		Bests: bests(s), Only: s.onlyStep(), Warnings: warnings(r), Duets: r.DuetLines(),
		Made:  scriptTables(r),
		Gates: r.Gates, Published: publishedTableOf(r), Facts: factsOf(r), K6: r.K6,
	}
	if d.Started != "" {
		d.Stamp = r.Started.Format(time.RFC3339)
	}
	if text, _ := report.GatesText(r.Gates); len(r.Gates) > 0 {
		d.GatesText = text + "."
	}
	if r.Search != nil {
		d.Found = r.SearchNote()
	}
	d.Beside = besideWithin(r)
	if len(r.Steps) > 0 {
		d.Figures = figures(s)
		if d.Beside != nil {
			for i := range d.Figures {
				d.Figures[i].Number += len(d.Beside.Figures)
			}
		}
		d.Tables = []table{stepsTable(s), detailsTable(s)}
		d.Tables = append(d.Tables, witnessTables(s)...)
		if t := partsTable(s); t != nil {
			d.Tables = append(d.Tables, *t)
		}
		d.Failures = failures(s)
	}

	return d
}

func targetText(r *report.Report) string {
	kind, _ := r.Target["kind"].(string)
	version, _ := r.Target["version"].(string)

	return strings.TrimSpace(kind + " " + version)
}

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
