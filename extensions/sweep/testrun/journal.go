package testrun

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/errext/exitcodes"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/lib/fsext"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/files"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// partialReports preserves reports: it saves each finished step in a journal before the next one
// begins, and writes reports that the script did not write when k6 exits.
type partialReports struct {
	reported atomic.Bool

	mu       sync.Mutex
	watched  bool                // there is a hook for k6's exit
	journals map[string]*journal // journals by scenario; may be nil
}

// journal is a file with a scenario's finished steps, in the form of an interrupted report.
type journal struct {
	path string
	made bool // the folder was created for the journal
	// release allows other runs to use this name in this folder.
	release func()

	mu      sync.Mutex
	removed bool
	failed  bool
}

// keepReport starts the journal of a report. It returns an error if its folder is not writable,
// because nothing could be reported. A script with handleSummary may use another folder; then there
// is only a warning, and no journal.
func (r *Results) keepReport(rep *report.Report, test *lib.TestRunState) error {
	r.keep.mu.Lock()
	defer r.keep.mu.Unlock()
	if !r.keep.watched {
		if !k6x.AtExit(func(bool, error) { r.exit(test) }) {
			return nil // in a test without k6
		}
		r.keep.watched, r.keep.journals = true, map[string]*journal{}
	}
	dir, told := r.folder(rep.Scenario, test.TestPreInitState)
	name := r.fileName(rep.Scenario)
	_, missing := os.Stat(dir)
	if err := files.Usable(fsext.NewOsFs(), dir); err != nil {
		err = fmt.Errorf("the results cannot be kept: %w", err)
		if !told && test.Runner != nil && test.Runner.IsExecutable("handleSummary") {
			test.Logger.Warnf("%s; until the end, the steps are in memory only", err)

			return nil
		}

		k6x.FailExit(exitcodes.InvalidConfig)

		return errext.WithExitCodeIfNone(err, exitcodes.InvalidConfig)
	}
	release, ok := files.Claim(filepath.Join(dir, "."+name+".running"))
	if !ok {
		k6x.FailExit(exitcodes.InvalidConfig)

		return errext.WithExitCodeIfNone(fmt.Errorf(
			"another run writes the report of %s in %s: give this one another folder, such as -e RESULTS=%s-2",
			name, dir, filepath.Clean(dir)), exitcodes.InvalidConfig)
	}
	j := &journal{
		path: filepath.Join(dir, name+journalSuffix), made: errors.Is(missing, fs.ErrNotExist), release: release,
	}
	if info, err := os.Stat(j.path); err == nil {
		older := filepath.Join(dir, name+"."+info.ModTime().UTC().Format("20060102T150405Z")+journalSuffix)
		if os.Rename(j.path, older) == nil {
			test.Logger.Warnf("an earlier run was interrupted: k6 x sweep report %s shows its finished steps", older)
		}
	}
	r.keep.journals[rep.Scenario] = j

	return nil
}

const journalSuffix = ".partial.json"

// Folder returns the default folder for the report of a scenario.
func (r *Results) Folder(scenario string, test *lib.TestPreInitState) string {
	dir, _ := r.folder(scenario, test)

	return dir
}

// folder does the same; told is set if the script chose the folder.
func (r *Results) folder(scenario string, test *lib.TestPreInitState) (dir string, told bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range slices.Backward(r.metaOf(scenario)) {
		if t.results != "" {
			return t.results, true
		}
	}

	given, _ := k6x.Setting(func(name string) (string, bool) {
		value, is := test.RuntimeOptions.Env[name]

		return value, is
	}, test, "RESULTS", "")

	return cmp.Or(given, defaultResultsDir), false
}

// Reports returns copies of the reports.
func (r *Results) Reports() []*report.Report {
	r.mu.Lock()
	defer r.mu.Unlock()
	copies := make([]*report.Report, len(r.reports))
	for i, rep := range r.reports {
		copies[i] = snapshot(rep)
	}

	return copies
}

func snapshot(rep *report.Report) *report.Report {
	frozen := *rep
	frozen.Steps, frozen.Gates, frozen.Marks = slices.Clone(rep.Steps), slices.Clone(rep.Gates), slices.Clone(rep.Marks)
	frozen.Target, frozen.Params = maps.Clone(rep.Target), maps.Clone(rep.Params)

	return &frozen
}

// journal saves a scenario's steps. ended is set when the scenario has ended.
func (r *Results) journal(rep *report.Report, ended bool, test *lib.TestRunState) {
	j := r.keep.of(rep.Scenario)
	if j == nil {
		return
	}
	r.mu.Lock()
	frozen := snapshot(rep)
	r.mu.Unlock()
	frozen.Interrupted = frozen.Interrupted || !ended

	j.mu.Lock()
	defer j.mu.Unlock()
	if j.removed {
		return
	}
	raw, err := frozen.JSON()
	if err == nil {
		err = files.Write(fsext.NewOsFs(), j.path, raw)
	}
	if err != nil && !j.failed {
		test.Logger.Errorf("the steps so far could not be kept: %s", err)
	}
	j.failed = err != nil
}

func (k *partialReports) of(scenario string) *journal {
	k.mu.Lock()
	defer k.mu.Unlock()

	return k.journals[scenario]
}

func (k *partialReports) remove(scenario string) {
	j := k.of(scenario)
	if j == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.removed = true
	_ = os.Remove(j.path) // does not exist if no step finished
	j.release()
	if j.made {
		_ = os.Remove(filepath.Dir(j.path)) // fails if the folder is not empty
	}
}

// left names the journal of a report that could not be written.
func (k *partialReports) left(scenario string) string {
	j := k.of(scenario)
	if j == nil {
		return ""
	}
	if _, err := os.Stat(j.path); err != nil {
		return ""
	}

	return "; k6 x sweep report " + j.path + " shows what it has"
}

// exit writes and prints the reports that the script did not write, and logs the gates that do not
// hold.
func (r *Results) exit(test *lib.TestRunState) {
	shown := test.RuntimeOptions.SummaryMode.String != "disabled"
	defer func() {
		for _, rep := range r.Reports() {
			LogGates(rep.Gates, shown, test.Logger)
		}
	}()
	if r.keep.reported.Load() {
		return
	}
	dir := func(scenario string) string { return r.Folder(scenario, test.TestPreInitState) }
	table, err := r.Write(dir, r.ThresholdVerdicts(test.TestPreInitState), nil)
	if err != nil {
		k6x.Logger().Error(err)
	}
	if !shown {
		return
	}
	if _, err := fmt.Fprint(k6x.Stdout(), table); err != nil {
		k6x.Logger().Errorf("the table could not be shown: %s", err)
	}
}
