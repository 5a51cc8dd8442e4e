package testrun

import (
	"reflect"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/gate"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/host"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// Results holds the reports of one test run, and what its scripts set with sweep.meta.
type Results struct {
	mu sync.Mutex
	// meta has the facts from sweep.meta by scenario; "": all scenarios.
	meta    map[string]*scriptMeta
	reports []*report.Report
	// sweeps has the scenarios with client-sweep, each with a channel that is closed at its end.
	sweeps map[string]chan struct{}
	begun  []string
	// peaks has the start of the peak memory measurement by scenario.
	peaks map[string]time.Time
	gates map[string]*gate.File
	// parts has one value of each type for the whole run.
	parts sync.Map

	// steps maps scenarios of k6's own executors to the sweeps they belong to.
	steps map[string]Sweep

	testEnd testEnd
	keep    partialReports
	// Guard watches the taps of all VUs.
	Guard k6x.TapGuard
	// guardEnds registers the end of Guard once.
	guardEnds sync.Once
}

// WatchToTheEnd watches the tap of a VU outside of sweeps until the test ends.
func (r *Results) WatchToTheEnd(tap *k6x.Tap, events common.Events) {
	r.Guard.Watch(tap)
	r.guardEnds.Do(func() { k6x.OnTestEnd(events, r.Guard.End) })
}

// runs holds the results of each test run in this process. The key is the metrics registry, the one
// object that k6 gives to both modules and executors.
var runs sync.Map //nolint:gochecknoglobals // see above

// Of returns the results of the test run with this registry.
func Of(registry *metrics.Registry) *Results {
	r, _ := runs.LoadOrStore(registry, &Results{
		meta: map[string]*scriptMeta{}, sweeps: map[string]chan struct{}{}, peaks: map[string]time.Time{},
	})

	return r.(*Results) //nolint:forcetypeassert // nothing else is ever stored
}

// OfBuiltin returns the results of the test run with these metrics; nil if its script does not
// import k6/x/sweep.
func OfBuiltin(builtin *metrics.BuiltinMetrics) (found *Results) {
	runs.Range(func(registry, results any) bool {
		if registry.(*metrics.Registry).Get(metrics.IterationsName) == builtin.Iterations { //nolint:forcetypeassert // as in Of
			found = results.(*Results) //nolint:forcetypeassert // as in Of
		}

		return found == nil
	})

	return found
}

// Shared returns the run's value of type T, initially zero.
func Shared[T any](r *Results) *T {
	part, has := r.parts.Load(reflect.TypeFor[T]())
	if !has { // only the first call allocates
		part, _ = r.parts.LoadOrStore(reflect.TypeFor[T](), new(T))
	}

	return part.(*T) //nolint:forcetypeassert // nothing else is ever stored
}

func (r *Results) addReport(scenario string, params map[string]any) *report.Report {
	r.mu.Lock()
	defer r.mu.Unlock()
	rep := NewReport(scenario, params)
	r.addMeta(rep)
	if _, cache := r.server(scenario); cache != nil {
		r.peaks[scenario] = cache.ResetPeak()
	}
	r.reports = append(r.reports, rep)

	return rep
}

// NewReport returns an empty report of a run that starts now.
func NewReport(scenario string, params map[string]any) *report.Report {
	return &report.Report{
		Schema:   report.Schema,
		Scenario: scenario,
		Started:  time.Now().UTC(),
		Host:     report.ThisHost(),
		K6:       k6Version(),
		Command:  k6x.Command(),

		Fingerprint: host.Fingerprint(),

		Target: map[string]any{},
		Params: params,
		Steps:  []report.Step{},
	}
}

func (r *Results) forget(rep *report.Report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reports = slices.DeleteFunc(r.reports, func(one *report.Report) bool { return one == rep })
}

func (r *Results) change(report func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	report()
}

// add adds finished steps and duets to a report, with the memory of its cache.
func (r *Results) add(rep *report.Report, steps []report.Step, duets []report.Duet) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, cache := r.server(rep.Scenario); cache != nil {
		cache.Weigh(steps, r.peaks[rep.Scenario])
	}
	rep.Steps = append(rep.Steps, steps...)
	rep.Duets = append(rep.Duets, duets...)
}

// Done returns the channel that is closed when a sweep ends.
func (r *Results) Done(scenario string) (ended chan struct{}, known bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	ended, known = r.sweeps[scenario]

	return ended, known
}

// Register registers a sweep.
func (r *Results) Register(scenario string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sweeps[scenario] = make(chan struct{})
}

// HasSweeps reports whether the test has scenarios with the executor client-sweep.
func (r *Results) HasSweeps() bool {
	r.mu.Lock()
	defer r.mu.Unlock()

	return len(r.sweeps) > 0
}

// Running records the start of a sweep, and returns the other active ones.
func (r *Results) Running(scenario string) (others []string) {
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

// k6Version returns the version of the k6 module in this binary.
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
