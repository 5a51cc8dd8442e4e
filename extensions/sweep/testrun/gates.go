package testrun

import (
	"maps"
	"slices"
	"strings"

	"github.com/sirupsen/logrus"
	"go.k6.io/k6/v2/errext/exitcodes"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/gate"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// GatesOf returns the gate file read from path, or nil.
func (r *Results) GatesOf(path string) *gate.File {
	r.mu.Lock()
	defer r.mu.Unlock()

	return r.gates[path]
}

// AddGates stores a gate file read from path.
func (r *Results) AddGates(path string, file *gate.File) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gates == nil {
		r.gates = map[string]*gate.File{}
	}
	r.gates[path] = file
}

// CheckGates returns an error before the run if a gate is for an operation or step that its
// scenario lacks.
func (r *Results) CheckGates(planned gate.Planned) error {
	planned.TwoServers = r.twoServers(planned.Scenario)
	for _, file := range r.gatesFor(planned.Scenario) {
		if err := file.Check(planned); err != nil {
			return err
		}
	}

	return nil
}

// WarnWithoutBase warns about relative gates without a baseline, in a run that is no duet.
func (s *Scenario) WarnWithoutBase(logger logrus.FieldLogger) {
	for _, file := range s.results.gatesFor(s.Report.Scenario) {
		if missing := file.NoBase(); missing != "" {
			logger.Warnf("gates: %s", missing)
		}
	}
}

// judge judges the gates of a report's scenario and stores the verdicts.
func (r *Results) judge(rep *report.Report) {
	files := r.gatesFor(rep.Scenario)

	r.mu.Lock()
	defer r.mu.Unlock()
	for _, file := range files {
		verdicts := file.Judge(rep)
		FailGates(verdicts)
		rep.Gates = append(rep.Gates, verdicts...)
	}
}

// FailGates makes k6 exit with 99 if a gate is crossed, or with 110 if one is undecided.
func FailGates(verdicts []report.Verdict) {
	for i := range verdicts {
		if v := &verdicts[i]; !v.Held {
			k6x.FailExit(exitcodes.ExitCode(v.Outcome.ExitCode()))
		}
	}
}

// LogGates names the gates that do not hold in one line, as k6 does for thresholds. shown is set if
// the table is shown, which has the reasons; without it, each gate is logged with its reason.
func LogGates(verdicts []report.Verdict, shown bool, logger logrus.FieldLogger) {
	var names []string
	for i := range verdicts {
		v := &verdicts[i]
		switch {
		case v.Threshold: // logged by k6
		case v.Held && v.Outcome == stats.Undecided && !shown:
			logger.Warnf("gate undecided, which passes: %s (%s)", v.Gate, v.Explained())
		case v.Held:
		case shown:
			names = append(names, string(v.Outcome)+": "+v.Gate)
		default:
			logger.Errorf("gate %s: %s (%s)", v.Outcome, v.Gate, v.Explained())
		}
	}
	if len(names) > 0 {
		logger.Error("gate " + strings.Join(names, "; "))
	}
}

// missGates logs gate files whose scenario was not measured, and makes k6 exit with 99.
func (r *Results) missGates(logger logrus.FieldLogger) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, path := range slices.Sorted(maps.Keys(r.gates)) {
		scenario := r.gates[path].Scenario
		if !slices.ContainsFunc(r.reports, func(rep *report.Report) bool { return rep.Scenario == scenario }) {
			logger.Errorf("the gates of %s are crossed: no scenario %q was measured; those of any other script belong to its output: "+
				"k6 run -o 'sweep=results?gates=FILE'", path, scenario)
			k6x.FailExit(exitcodes.ThresholdsHaveFailed)
		}
	}
}

func (r *Results) gatesFor(scenario string) []*gate.File {
	r.mu.Lock()
	defer r.mu.Unlock()
	var files []*gate.File
	for _, file := range r.gates {
		if file.Scenario == scenario {
			files = append(files, file)
		}
	}

	return files
}
