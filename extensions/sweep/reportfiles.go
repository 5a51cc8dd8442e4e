package sweep

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report/page"
)

const defaultResultsDir = "results"

// report is sweep.report(data, { dir }): what handleSummary is to return. For each scenario of the sweep that is its
// table on standard output, and the files <dir>/<scenario>.json, .md, .csv, .bench.txt, .junit.xml and .html. dir is
// created when it is missing; it is "results" when not given. Where it cannot be written to, there is the table, and the
// reason on standard error. data is what k6 gives to handleSummary: the outcome of its thresholds goes into the report.
func (m *module) report(call sobek.FunctionCall) sobek.Value {
	rt := m.vu.Runtime()
	options := struct {
		Dir string `json:"dir"`
	}{Dir: defaultResultsDir}
	if err := k6glue.Options(call.Argument(1), &options); err != nil {
		k6glue.ThrowType(rt, "sweep.report: %s", err.Error())
	}
	files, err := m.results.files(options.Dir, m.results.testEnd.thresholdVerdicts(call.Argument(0)))
	if err != nil {
		throw(rt, err)
	}
	if len(files) == 1 { // nothing was measured: only standard output, with nothing on it
		return rt.ToValue(files)
	}
	if err := writable(options.Dir); err != nil {
		return rt.ToValue(map[string]any{"stdout": files["stdout"], "stderr": err.Error() + "\n"})
	}

	return rt.ToValue(files)
}

// files returns the contents of each file of the report by its name, as handleSummary returns them to k6.
func (r *results) files(dir string, thresholds []scenarioVerdict) (map[string]any, error) {
	r.mu.Lock()
	defer r.mu.Unlock()

	files := map[string]any{}
	var stdout strings.Builder
	for _, rep := range r.reports {
		whole := *rep
		for _, t := range thresholds {
			if t.scenario == "" || t.scenario == rep.Scenario {
				whole.Gates = append(whole.Gates, t.Verdict)
			}
		}
		base := filepath.Join(dir, rep.Scenario)
		for _, format := range report.Formats {
			rendered, err := whole.Render(format.Name)
			if err != nil {
				return nil, err
			}
			files[base+format.Suffix] = string(rendered)
		}
		var html bytes.Buffer
		if err := page.Render(&html, &whole); err != nil {
			return nil, err
		}
		files[base+".html"] = html.String()
		fmt.Fprintf(&stdout, "\n%s\nreport: %s.html, .json, .md, .csv, .bench.txt, .junit.xml\n", whole.Markdown(), base)
	}
	files["stdout"] = stdout.String()

	return files, nil
}
