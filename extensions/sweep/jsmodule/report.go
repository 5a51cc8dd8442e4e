package jsmodule

import (
	"cmp"
	"fmt"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/testrun"
)

type reportOptions struct {
	// Dir is the folder of the files; "": the setting RESULTS, or results.
	Dir string `json:"dir"`
	// Tables is the script's function, which is read separately.
	Tables *struct{} `json:"tables"`
	// Together is the file name of the page that compares the run's scenarios.
	Together string `json:"together"`
}

// report is sweep.report(data, options), declared in index.d.ts.
func (m *module) report(call sobek.FunctionCall) sobek.Value {
	rt := m.vu.Runtime()
	options := reportOptions{}
	tables, err := m.readReportOptions(call.Argument(1), &options)
	if err != nil {
		k6x.ThrowType(rt, "sweep.report: %s", err.Error())
	}
	dir := func(scenario string) string { return cmp.Or(options.Dir, m.results.Folder(scenario, m.test)) }
	table, err := m.results.Write(dir, m.results.ThresholdVerdicts(m.test), tables)
	if err == nil && options.Together != "" {
		err = m.results.WriteTogether(dir, options.Together)
	}
	if coloured(call.Argument(0)) {
		table = report.Coloured(table)
	}
	shown := map[string]any{"stdout": table}
	switch {
	case err != nil:
		shown["stderr"] = err.Error() + "\n"
	case table == "" && m.results.HasSweeps():
		shown["stderr"] = "sweep.report: the test ended before its first step\n"
	case table == "":
		shown["stderr"] = "sweep.report: no sweep was measured; the report of any other script comes of k6 run -o sweep=results\n"
	}

	return rt.ToValue(shown)
}

// coloured reports whether k6 colours its own summary, from the data of handleSummary.
func coloured(data sobek.Value) bool {
	is := func(part, name string) bool {
		given, _ := data.(*sobek.Object)
		if given == nil {
			return false
		}
		object, _ := given.Get(part).(*sobek.Object)

		return object != nil && object.Get(name) != nil && object.Get(name).ToBoolean()
	}

	return is("state", "isStdOutTTY") && !is("options", "noColor")
}

// readReportOptions reads the options of sweep.report, and returns the script's function for
// tables, or nil.
func (m *module) readReportOptions(value sobek.Value, into *reportOptions) (testrun.MakeTables, error) {
	given, ok := value.(*sobek.Object)
	if !ok {
		return nil, k6x.ReadOptions(value, into)
	}
	plain := m.vu.Runtime().NewObject()
	for _, name := range given.Keys() {
		if name == "tables" {
			continue
		}
		if err := plain.Set(name, given.Get(name)); err != nil {
			return nil, err
		}
	}
	if err := k6x.ReadOptions(plain, into); err != nil {
		return nil, err
	}
	tables := given.Get("tables")
	if tables == nil || sobek.IsUndefined(tables) || sobek.IsNull(tables) {
		return nil, nil //nolint:nilnil // there is no function where none is given
	}
	fn, ok := sobek.AssertFunction(tables)
	if !ok {
		return nil, fmt.Errorf("tables must be a function that takes a report, not %s", k6x.Show(tables))
	}

	return m.tablesOf(fn), nil
}

// tablesOf calls a script's function for tables. As in JSON.stringify, NaN and undefined become
// null.
func (m *module) tablesOf(fn sobek.Callable) testrun.MakeTables {
	return func(rep *report.Report) ([]report.Table, error) {
		raw, err := rep.JSON()
		if err != nil {
			return nil, err
		}
		made, err := fn(sobek.Undefined(), m.parsed(raw))
		if err != nil {
			return nil, testrun.Thrown(err)
		}
		list, ok := made.(*sobek.Object)
		if !ok {
			return nil, fmt.Errorf("the function must return an array of tables, not %s", k6x.Show(made))
		}
		if raw, err = list.MarshalJSON(); err != nil {
			return nil, testrun.Thrown(err)
		}

		return report.ReadTables(raw)
	}
}
