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

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/witness"
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

type best struct {
	Op   string // empty if there is only one kind
	Rate string // operations a second
	At   string // name of the step; empty if the run has one step only
	P99  string // empty without a successful operation
}

// bests returns the step with the highest median ops/s for each kind of operation.
func bests(s *sweep) []best {
	var out []best
	for _, one := range s.series {
		var top report.Group
		highest := 0.0
		for _, g := range one.groups {
			if v := report.Median(g.Values(opsPerSecond)); v > highest {
				top, highest = g, v
			}
		}
		if highest == 0 {
			continue
		}
		done := top.Succeeded()
		b := best{Rate: strings.TrimSuffix(rate(highest), "/s"), At: s.place(top.Key)}
		if len(s.series) > 1 || s.omitted > 0 {
			b.Op = one.op
		}
		if len(done.Steps) > 0 {
			b.P99 = report.P99.Show(millis(report.Median(done.Values(p99))), done.Timings())
		}
		out = append(out, b)
	}

	if s.onlyStep() != "" {
		for i := range out {
			out[i].At = ""
		}
	}

	return out
}

// onlyStep returns the name of the run's step, or "" if it has several.
func (s *sweep) onlyStep() string {
	name := ""
	for _, one := range s.series {
		for _, g := range one.groups {
			if at := s.place(g.Key); name == "" {
				name = at
			} else if at != name {
				return ""
			}
		}
	}

	return name
}

func (s *sweep) place(k report.Key) string {
	if s.byRate {
		return s.name(k) + " asked for"
	}

	return s.name(k)
}

type troubles struct {
	steps, incomplete, short int
	tried, failed, unstarted uint64 // numbers of operations
}

// run identifies a step whatever its kinds of operations.
type run struct {
	clients, repeat int
	rate            float64
	variant         string // empty in a duet, whose variants share a step
}

func runOf(r *report.Report, s *report.Step) run {
	one := run{s.Clients, s.Repeat, s.Rate, s.Variant}
	if r.DuetOf(s) != nil {
		one.variant = ""
	}

	return one
}

func countTroubles(r *report.Report) troubles {
	var t troubles
	seen := map[run]bool{}
	for i := range r.Steps {
		s := &r.Steps[i]
		t.failed += s.Failed
		t.tried += s.Failed + uint64(max(s.Operations, 0))
		one := runOf(r, s)
		if seen[one] {
			continue // another kind of operation of the same step
		}
		seen[one] = true
		t.steps++
		t.unstarted += s.Extra.Unstarted
		switch {
		case s.TooShort != nil:
			t.short++
		case !s.Complete:
			t.incomplete++
		}
	}

	return t
}

// disturbed names the share of steps that a neighbour limited; "" for none.
func disturbed(r *report.Report) string {
	steps, limited, first := 0, 0, ""
	seen := map[run]bool{}
	for i := range r.Steps {
		s := &r.Steps[i]
		if seen[runOf(r, s)] {
			continue
		}
		seen[runOf(r, s)] = true
		steps++
		if s.LimitedBy() == witness.Neighbour {
			if limited++; first == "" {
				first = s.Witness.Why
			}
		}
	}
	if limited == 0 {
		return ""
	}

	return fmt.Sprintf("A neighbour limited %d of %s. %s", limited, report.Counted(int64(steps), "step"), first)
}

// mostMissed is the most gates that the summary names.
const mostMissed = 3

// missed names the gates that fail the run.
func missed(gates []report.Verdict) (names []string) {
	for i := range gates {
		if !gates[i].Held {
			names = append(names, gates[i].Gate)
		}
	}
	if more := len(names) - mostMissed; more > 0 {
		names = append(names[:mostMissed], fmt.Sprintf("%d more", more))
	}

	return names
}

// warnings lists what a reader must know before believing a figure, each with a short word.
func warnings(r *report.Report) []fact {
	var out []fact
	t := countTroubles(r)
	if r.Interrupted {
		out = append(out, fact{"Interrupted.", "The run was ended before its time: steps that are missing were not done."})
	}
	if t.incomplete > 0 {
		out = append(out, fact{"Incomplete.", fmt.Sprintf("In %d of %s not every client did its whole share.",
			t.incomplete, report.Counted(int64(t.steps), "step"))})
	}
	if t.short > 0 {
		out = append(out, fact{"Too short.", fmt.Sprintf("In %d of %s fewer than %d operations ended: nothing is measured there.",
			t.short, report.Counted(int64(t.steps), "step"), measure.LeastOperations)})
	}
	if t.failed > 0 {
		out = append(out, fact{"Failed operations.", fmt.Sprintf("%s of %s failed; they are never counted as work done.",
			count(t.failed), report.Counted(int64(t.tried), "operation"))})
	}
	if t.unstarted > 0 {
		out = append(out, fact{"Never started.", fmt.Sprintf("%s that were due did not start before their step ended.",
			report.Counted(int64(t.unstarted), "operation"))})
	}
	if r.Quiet != nil && !r.Quiet.Reached {
		out = append(out, fact{"Not quiet.", r.Quiet.Note()})
	}
	if text := disturbed(r); text != "" {
		out = append(out, fact{"Disturbed.", text})
	}
	if text, outcome := report.GatesText(r.Gates); outcome != stats.Held {
		out = append(out, fact{"Gates.", text + ": " + strings.Join(missed(r.Gates), "; ") + "."})
	}

	return out
}
