package testrun

import (
	"reflect"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/gate"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/host"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// Results is what the executors of one test run have measured and its scripts have told, for the
// report at its end.
type Results struct {
	mu sync.Mutex
	// told is what the script has told of each scenario; "": of all scenarios.
	told    map[string]*told
	reports []*report.Report
	// sweeps are the scenarios with the executor client-sweep, each with what is closed when it
	// ends.
	sweeps map[string]chan struct{}
	// begun are the sweeps that have begun.
	begun []string
	// peaks are the times since when the peak memory of a scenario's cache counts.
	peaks map[string]time.Time
	// gates are the files of gates that were read, by path.
	gates map[string]*gate.File
	// parts are what the rooms of a sweep keep for the whole run, one of each type.
	parts sync.Map

	testEnd testEnd
	keep    keeping
	// Guard watches the taps of all VUs.
	Guard k6glue.TapGuard
	// guardEnds is done once the guard is to end with the test.
	guardEnds sync.Once
}

// WatchToTheEnd watches the tap of a VU outside of sweeps until the test ends.
func (r *Results) WatchToTheEnd(tap *k6glue.Tap, events common.Events) {
	r.Guard.Watch(tap)
	r.guardEnds.Do(func() { k6glue.OnTestEnd(events, r.Guard.End) })
}

// runs holds the results of each test run of this process, by the one object that k6 gives to both
// a run's modules and its executors: the registry of its metrics.
var runs sync.Map //nolint:gochecknoglobals // see above

// Of returns the results of the test run whose metrics are in the registry.
func Of(registry *metrics.Registry) *Results {
	r, _ := runs.LoadOrStore(registry, &Results{
		told: map[string]*told{}, sweeps: map[string]chan struct{}{}, peaks: map[string]time.Time{},
	})

	return r.(*Results) //nolint:forcetypeassert // nothing else is ever stored
}

// OfBuiltin returns the results of the test run that has these metrics of k6's own; nil where its
// script does not import k6/x/sweep.
func OfBuiltin(builtin *metrics.BuiltinMetrics) (found *Results) {
	runs.Range(func(registry, results any) bool {
		if registry.(*metrics.Registry).Get(metrics.IterationsName) == builtin.Iterations { //nolint:forcetypeassert // as in Of
			found = results.(*Results) //nolint:forcetypeassert // as in Of
		}

		return found == nil
	})

	return found
}

// Shared returns what a room keeps for the whole run: the one of its type, which is zero at first.
func Shared[T any](r *Results) *T {
	part, has := r.parts.Load(reflect.TypeFor[T]())
	if !has { // only the first allocates
		part, _ = r.parts.LoadOrStore(reflect.TypeFor[T](), new(T))
	}

	return part.(*T) //nolint:forcetypeassert // nothing else is ever stored
}

// addReport adds a scenario's report and returns it.
func (r *Results) addReport(scenario string, params map[string]any) *report.Report {
	r.mu.Lock()
	defer r.mu.Unlock()
	rep := NewReport(scenario, params)
	r.tell(rep)
	if _, cache := r.server(scenario); cache != nil {
		r.peaks[scenario] = cache.ResetPeak()
	}
	r.reports = append(r.reports, rep)

	return rep
}

// NewReport returns a report that has no steps yet, of a run that starts now.
func NewReport(scenario string, params map[string]any) *report.Report {
	return &report.Report{
		Schema:   report.Schema,
		Scenario: scenario,
		Started:  time.Now().UTC(),
		Host:     report.ThisHost(),
		K6:       k6Version(),

		Fingerprint: host.Fingerprint(),

		Target: map[string]any{},
		Params: params,
		Steps:  []report.Step{},
	}
}

// forget takes a report out of the results: nothing is measured for it.
func (r *Results) forget(rep *report.Report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reports = slices.DeleteFunc(r.reports, func(one *report.Report) bool { return one == rep })
}

// change changes a report, of which others may make copies meanwhile.
func (r *Results) change(report func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	report()
}

// add adds steps that have ended, and their duets, to a report, with the memory of its cache.
func (r *Results) add(rep *report.Report, steps []report.Step, duets []report.Duet) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, cache := r.server(rep.Scenario); cache != nil {
		cache.Weigh(steps, r.peaks[rep.Scenario])
	}
	rep.Steps = append(rep.Steps, steps...)
	rep.Duets = append(rep.Duets, duets...)
}

// Ended returns what is closed when a sweep has ended.
func (r *Results) Ended(scenario string) (ended chan struct{}, known bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	ended, known = r.sweeps[scenario]

	return ended, known
}

// Expect says that there is a sweep that will end.
func (r *Results) Expect(scenario string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sweeps[scenario] = make(chan struct{})
}

// AtWork says that a sweep begins, and returns those that have begun and not ended.
func (r *Results) AtWork(scenario string) (others []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, other := range r.begun {
		select {
		case <-r.sweeps[other]:
		default:
			others = append(others, other)
		}
	}
	r.begun = append(r.begun, scenario)

	return others
}

// k6Version is the version of k6 that this binary was built from.
func k6Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, dep := range info.Deps {
		if dep.Path == "go.k6.io/k6/v2" {
			return dep.Version
		}
	}

	return ""
}
