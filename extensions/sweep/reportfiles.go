package sweep

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/errext/exitcodes"
	"go.k6.io/k6/v2/lib/fsext"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/files"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report/formats"
)

const defaultResultsDir = "results"

// report is sweep.report(data, { dir }, markdown): it writes the files <dir>/<scenario>.json, .md
// and so on, in all formats, of each scenario of the sweep, and returns what handleSummary is to
// return: their tables on standard output. dir is created when it is missing;
// it is "results" when not given. Where it cannot be written to, there is the table, the reason on
// standard error, and an exit code other than 0. data is what k6 gives to handleSummary: the
// outcome of its thresholds goes into the report. What the function markdown makes of a report and
// of its Markdown takes the place of that.
func (m *module) report(call sobek.FunctionCall) sobek.Value {
	rt := m.vu.Runtime()
	options := struct {
		Dir string `json:"dir"`
	}{Dir: defaultResultsDir}
	if err := k6glue.Options(call.Argument(1), &options); err != nil {
		k6glue.ThrowType(rt, "sweep.report: %s", err.Error())
	}
	markdown, err := m.markdownOf(call.Argument(2))
	if err != nil {
		k6glue.ThrowType(rt, "sweep.report: %s", err.Error())
	}
	dir := func(string) string { return options.Dir }
	table, err := m.results.write(dir, m.results.testEnd.thresholdVerdicts(call.Argument(0)), markdown)
	shown := map[string]any{"stdout": table}
	if err != nil {
		shown["stderr"] = err.Error() + "\n"
	}

	return rt.ToValue(shown)
}

// markdown makes the Markdown of a report.
type markdown func(*report.Report) (string, error)

// usualMarkdown is that of a report whose script says nothing else.
func usualMarkdown(rep *report.Report) (string, error) { return rep.Markdown(), nil }

// markdownOf is the function of a script that makes the Markdown of reports. It takes the report
// and the usual Markdown.
func (m *module) markdownOf(value sobek.Value) (markdown, error) {
	if sobek.IsUndefined(value) || sobek.IsNull(value) {
		return usualMarkdown, nil
	}
	fn, ok := sobek.AssertFunction(value)
	if !ok {
		return nil, fmt.Errorf("its third argument must be a function, not %s", k6glue.Show(value))
	}

	return func(rep *report.Report) (string, error) {
		raw, err := rep.JSON()
		if err != nil {
			return "", err
		}
		text, err := fn(sobek.Undefined(), m.parsed(raw), m.vu.Runtime().ToValue(rep.Markdown()))
		if err != nil {
			return "", thrown(err)
		}
		if own, is := k6glue.Text(text); is {
			return own, nil
		}

		return "", fmt.Errorf("the function must return a string, not %s", k6glue.Show(text))
	}, nil
}

// reported tells whether a scenario has a report. Thresholds that name another one are about the
// whole run, as those that name none.
func (r *results) reported(scenario string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()

	return slices.ContainsFunc(r.reports, func(rep *report.Report) bool { return rep.Scenario == scenario })
}

// write writes the files of all reports to the folders of their scenarios, and returns the tables.
// The journals of reports that are written are removed. What cannot be written is in the error, and
// makes k6 exit with another code than 0.
func (r *results) write(
	dir func(scenario string) string, thresholds []scenarioVerdict, markdown markdown,
) (table string, err error) {
	r.keep.reported.Store(true)
	var shown strings.Builder
	var failed []error
	for _, rep := range r.copies() {
		for _, t := range thresholds {
			if t.scenario == rep.Scenario || !r.reported(t.scenario) {
				rep.Gates = append(rep.Gates, t.Verdict)
			}
		}
		text, err := markdown(rep)
		if err != nil {
			failed = append(failed, fmt.Errorf("the report of %s has the usual table: %w", rep.Scenario, err))
			text = rep.Markdown()
		}
		fmt.Fprintf(&shown, "\n%s\n", text)
		base := filepath.Join(dir(rep.Scenario), rep.Scenario)
		set, err := rendered(rep, base, text)
		if err == nil {
			err = files.WriteSet(fsext.NewOsFs(), set)
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("the report of %s could not be written: %w%s", rep.Scenario, err, r.keep.left(rep.Scenario)))

			continue
		}
		fmt.Fprintf(&shown, "report: %s%s\n", base, formats.Suffixes())
		r.keep.remove(rep.Scenario)
	}
	if len(failed) > 0 {
		k6glue.FailExit(exitcodes.MarkedAsFailed)
	}

	return shown.String(), errors.Join(failed...)
}

// rendered is a report in all formats.
func rendered(rep *report.Report, base, markdown string) (set []files.File, err error) {
	err = formats.Each(rep, func(suffix string, contents []byte) {
		set = append(set, files.File{Path: base + suffix, Contents: contents})
	})
	for i := range set {
		if set[i].Path == base+".md" {
			set[i].Contents = []byte(markdown)
		}
	}

	return set, err
}
