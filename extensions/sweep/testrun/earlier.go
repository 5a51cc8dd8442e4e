package testrun

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"go.k6.io/k6/v2/lib/fsext"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/files"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// Folders that preserve other reports.
const (
	previousDir = "previous" // last report with all gates held that was replaced
	failedDir   = "failed"   // report of a failed run, next to a good one
)

// WriteFiles writes a report in all formats to files that begin with base, and returns the base
// used. The report that it replaces moves to the folder previous if all its gates and thresholds
// held, so that later runs do not replace it there. If this run failed, a report of a complete run
// stays, and this one goes to the folder failed.
func WriteFiles(rep *report.Report, base string) (taken string, err error) {
	kept, dir := "", filepath.Dir(base)
	switch earlier := readReport(base + ".json"); {
	case earlier == nil || runFailed(earlier):
	case runFailed(rep):
		k6x.Logger().Warnf("this run failed: its report is in %s, and the good one of an earlier run stays at %s.*",
			filepath.Join(dir, failedDir), base)
		base = filepath.Join(dir, failedDir, filepath.Base(base))
	case gatesHeld(earlier):
		kept = filepath.Join(dir, previousDir)
	}
	set, err := rendered(rep, base)
	if err != nil {
		return base, err
	}

	return base, files.ReplaceSet(fsext.NewOsFs(), set, kept)
}

// readReport returns nil if the file is no report.
func readReport(path string) *report.Report {
	raw, err := os.ReadFile(path)
	rep := &report.Report{}
	if err != nil || json.Unmarshal(raw, rep) != nil {
		return nil
	}

	return rep
}

func gatesHeld(rep *report.Report) bool {
	return !slices.ContainsFunc(rep.Gates, func(v report.Verdict) bool { return !v.Held })
}

// runFailed reports whether a run was interrupted, measured nothing, or has a step without a
// successful operation.
func runFailed(rep *report.Report) bool {
	return rep.Interrupted || len(rep.Steps) == 0 ||
		slices.ContainsFunc(rep.Steps, func(s report.Step) bool { return s.Operations == 0 && (s.Failed > 0 || !s.Complete) })
}
