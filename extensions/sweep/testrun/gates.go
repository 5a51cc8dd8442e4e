package testrun

import (
	"maps"
	"slices"

	"github.com/sirupsen/logrus"
	"go.k6.io/k6/v2/errext/exitcodes"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/gate"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/gate/judgement"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
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

// judge judges the gates of a report's scenario, stores the verdicts, and logs those that do not
// hold.
func (r *Results) judge(rep *report.Report, logger logrus.FieldLogger) {
	files := r.gatesFor(rep.Scenario)

	r.mu.Lock()
	defer r.mu.Unlock()
	for _, file := range files {
		rep.Gates = append(rep.Gates, file.Judge(rep)...)
	}
	LogGates(rep.Gates, logger)
}

// LogGates logs gates that do not hold, and makes k6 exit with 99, or with 110 if none is crossed.
func LogGates(verdicts []report.Verdict, logger logrus.FieldLogger) {
	for i := range verdicts {
		v := &verdicts[i]
		switch {
		case !v.Held:
			logger.Errorf("gate %s: %s (%s)", v.Outcome, v.Gate, v.Explained())
			k6glue.FailExit(exitcodes.ExitCode(v.Outcome.ExitCode()))
		case v.Outcome == judgement.Undecided:
			logger.Warnf("gate undecided, which passes: %s (%s)", v.Gate, v.Explained())
		}
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
			k6glue.FailExit(exitcodes.ThresholdsHaveFailed)
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
