package sweep

import (
	"maps"
	"runtime/debug"
	"sync"
	"time"

	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/gate"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// results is what the executors of one test run have measured and its scripts have told, for the report at its end.
type results struct {
	mu        sync.Mutex
	target    map[string]any
	params    map[string]any
	published []report.Series
	server    *serverProcess
	reports   []*report.Report

	gates    map[string]*gate.File    // by path
	portable map[string]*portableStep // by the scenario that each is
	pulses   map[string]*pulse        // by scenario
}

// runs holds the results of each test run of this process, by the one object that k6 gives to both a run's modules
// and its executors: the registry of its metrics.
var runs sync.Map //nolint:gochecknoglobals // see above

func resultsOf(registry *metrics.Registry) *results {
	r, _ := runs.LoadOrStore(registry, &results{target: map[string]any{}, params: map[string]any{}})

	return r.(*results) //nolint:forcetypeassert // nothing else is ever stored
}

// begin adds a scenario's report and returns it.
func (r *results) begin(scenario string, params map[string]any) *report.Report {
	r.mu.Lock()
	defer r.mu.Unlock()

	return r.newReport(scenario, params)
}

func (r *results) newReport(scenario string, params map[string]any) *report.Report {
	rep := &report.Report{
		Schema:    report.Schema,
		Scenario:  scenario,
		Started:   time.Now().UTC(),
		Host:      report.ThisHost(),
		K6:        k6Version(),
		Target:    r.target,
		Params:    params,
		Published: r.published,
		Steps:     []report.Step{},
	}
	maps.Copy(rep.Params, r.params)
	r.reports = append(r.reports, rep)

	return rep
}

// finish closes a report.
func (r *results) finish(rep *report.Report, interrupted bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	rep.Interrupted = interrupted
}

func (r *results) searched(rep *report.Report, search *report.Search) {
	r.mu.Lock()
	defer r.mu.Unlock()
	rep.Search = search
}

func (r *results) add(rep *report.Report, steps []report.Step) {
	r.mu.Lock()
	defer r.mu.Unlock()
	rep.Steps = append(rep.Steps, steps...)
}

// drop takes the last n steps out of a report.
func (r *results) drop(rep *report.Report, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	rep.Steps = rep.Steps[:len(rep.Steps)-n]
}

// meta takes the facts that the script tells about the target, its parameters and what others have published. Reports
// that have begun get them as well.
func (r *results) meta(target, params map[string]any, published []report.Series) {
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.Copy(r.target, target)
	maps.Copy(r.params, params)
	if len(published) > 0 {
		r.published = published
	}
	if url, ok := r.target["url"].(string); ok {
		r.server = findServer(url)
	}
	for _, rep := range r.reports {
		maps.Copy(rep.Params, params)
		rep.Published = r.published
	}
}

func (r *results) serverProcess() *serverProcess {
	r.mu.Lock()
	defer r.mu.Unlock()

	return r.server
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
