package testrun

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"go.k6.io/k6/v2/errext/exitcodes"
	"go.k6.io/k6/v2/lib/fsext"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/files"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report/page"
)

// WriteTogether writes a comparison of the run's scenarios to files of that name in the first one's
// folder. It does nothing for a single scenario.
func (r *Results) WriteTogether(dir func(scenario string) string, name string) error {
	reports := r.Reports()
	others := func(rep *report.Report) bool { return !strings.HasPrefix(rep.Scenario, name+"-") }
	if named := slices.DeleteFunc(slices.Clone(reports), others); len(named) > 0 {
		reports = named
	}
	if len(reports) < report.FewestBeside {
		return nil
	}
	runs := make([]report.NamedRun, len(reports))
	for i, rep := range reports {
		runs[i] = report.NamedRun{Name: strings.TrimPrefix(rep.Scenario, name+"-"), Report: rep}
	}
	base := filepath.Join(dir(reports[0].Scenario), name)
	if slices.ContainsFunc(reports, runFailed) {
		base = filepath.Join(filepath.Dir(base), failedDir, name)
	}
	err := writeBeside(base, runs)
	if err != nil {
		k6x.FailExit(exitcodes.MarkedAsFailed)

		return fmt.Errorf("the scenarios could not be written side by side: %w", err)
	}

	return nil
}

func writeBeside(base string, runs []report.NamedRun) error {
	c, err := report.NewBeside(runs)
	if err != nil {
		return err
	}
	var set []files.File
	for _, f := range page.OfSeveral() {
		contents, err := f.Beside(c)
		if err != nil {
			return err
		}
		set = append(set, files.File{Path: base + f.Suffix, Contents: contents})
	}

	return files.ReplaceSet(fsext.NewOsFs(), set, filepath.Join(filepath.Dir(base), previousDir))
}
