package sweep

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
)

const defaultResultsDir = "results"

// report is sweep.report(data, { dir }): what handleSummary is to return. For each scenario of the sweep that is its
// table on standard output, and the files <dir>/<scenario>.json and .md. dir is created when it is missing; it is
// "results" when not given. Where it cannot be written to, there is the table, and the reason on standard error. data
// is what k6 gives to handleSummary; nothing of it is needed yet.
func (m *module) report(call sobek.FunctionCall) sobek.Value {
	rt := m.vu.Runtime()
	options := struct {
		Dir string `json:"dir"`
	}{Dir: defaultResultsDir}
	if err := k6glue.Options(call.Argument(1), &options); err != nil {
		k6glue.ThrowType(rt, "sweep.report: %s", err.Error())
	}
	files, err := m.results.files(options.Dir)
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
func (r *results) files(dir string) (map[string]any, error) {
	r.mu.Lock()
	defer r.mu.Unlock()

	files := map[string]any{}
	var stdout strings.Builder
	for _, rep := range r.reports {
		raw, err := rep.JSON()
		if err != nil {
			return nil, err
		}
		table := rep.Markdown()
		base := filepath.Join(dir, rep.Scenario)
		files[base+".json"] = string(raw)
		files[base+".md"] = table
		fmt.Fprintf(&stdout, "\n%s\nreport: %s.json, %s.md\n", table, base, base)
	}
	files["stdout"] = stdout.String()

	return files, nil
}
