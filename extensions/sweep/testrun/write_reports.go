package testrun

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"go.k6.io/k6/v2/errext/exitcodes"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/files"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report/page"
)

const defaultResultsDir = "results"

// MakeTables makes tables of a report.
type MakeTables func(*report.Report) ([]report.Table, error)

// reported reports whether a scenario has a report. Thresholds for other scenarios apply to the
// whole run.
func (r *Results) reported(scenario string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()

	return slices.ContainsFunc(r.reports, func(rep *report.Report) bool { return rep.Scenario == scenario })
}

// Write writes the files of all reports, removes their journals, and returns the tables. Errors
// make k6 exit with an error.
func (r *Results) Write(
	dir func(scenario string) string, thresholds []report.Verdict, tables MakeTables,
) (table string, err error) {
	r.keep.reported.Store(true)
	var shown strings.Builder
	var failed []error
	for _, rep := range r.Reports() {
		for _, t := range thresholds {
			if t.Scenario == rep.Scenario || !r.reported(t.Scenario) {
				rep.Gates = append(rep.Gates, t)
			}
		}
		if tables != nil {
			if rep.Tables, err = tables(rep); err != nil {
				failed = append(failed, fmt.Errorf("the report of %s is without the script's tables: %w", rep.Scenario, err))
				rep.Tables = nil
			}
		}
		fmt.Fprintf(&shown, "\n%s\n", rep.Markdown())
		base, err := WriteFiles(rep, filepath.Join(dir(rep.Scenario), r.fileName(rep.Scenario)))
		if err != nil {
			failed = append(failed, fmt.Errorf("the report of %s could not be written: %w%s", rep.Scenario, err, r.keep.left(rep.Scenario)))

			continue
		}
		fmt.Fprintf(&shown, "report: %s%s\n", base, page.Suffixes())
		r.keep.remove(rep.Scenario)
	}
	if len(failed) > 0 {
		k6x.FailExit(exitcodes.MarkedAsFailed)
	}

	return shown.String(), errors.Join(failed...)
}

func rendered(rep *report.Report, base string) (set []files.File, err error) {
	err = page.Each(rep, func(suffix string, contents []byte) {
		set = append(set, files.File{Path: base + suffix, Contents: contents})
	})

	return set, err
}
