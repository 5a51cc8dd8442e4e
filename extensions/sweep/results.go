package sweep

import (
	"cmp"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/gate"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/host"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
)

// results is what the executors of one test run have measured and its scripts have told, for the report at its end.
type results struct {
	mu      sync.Mutex
	told    map[string]*told // by scenario; "": of all scenarios
	reports []*report.Report
	sweeps  map[string]chan struct{} // by scenario: closed when it has ended
	begun   []string                 // scenarios of sweeps that have begun
	peaks   map[string]time.Time     // by scenario: since when the peak memory of its cache counts

	gates    map[string]*gate.File    // by path
	portable map[string]*portableStep // by the scenario that each is
	pulses   map[string]*pulse        // by scenario

	testEnd testEnd
	keep    keeping
	// guard watches the taps of all VUs.
	guard k6glue.TapGuard
}

// told is what a script has told.
type told struct {
	target    map[string]any
	params    map[string]any
	published []report.Series
	server    *host.Server
	cache     *host.Cache
	results   string // the folder of the report
}

// runs holds the results of each test run of this process, by the one object that k6 gives to both a run's modules
// and its executors: the registry of its metrics.
var runs sync.Map //nolint:gochecknoglobals // see above

func resultsOf(registry *metrics.Registry) *results {
	r, _ := runs.LoadOrStore(registry, &results{
		told: map[string]*told{}, sweeps: map[string]chan struct{}{}, peaks: map[string]time.Time{},
	})

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
		Schema:   report.Schema,
		Scenario: scenario,
		Started:  time.Now().UTC(),
		Host:     report.ThisHost(),
		K6:       k6Version(),
		Target:   map[string]any{},
		Params:   params,
		Steps:    []report.Step{},
	}
	r.tell(rep)
	if _, cache := r.server(scenario); cache != nil {
		r.peaks[scenario] = cache.ResetPeak()
	}
	r.reports = append(r.reports, rep)

	return rep
}

// forget takes a report out of the results: nothing is measured for it.
func (r *results) forget(rep *report.Report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reports = slices.DeleteFunc(r.reports, func(one *report.Report) bool { return one == rep })
}

// finish closes a report.
func (r *results) finish(rep *report.Report, interrupted bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	rep.Interrupted = interrupted
}

// quieted keeps how the wait for a quiet target has ended.
func (r *results) quieted(rep *report.Report, quiet *report.Quiet) {
	r.mu.Lock()
	defer r.mu.Unlock()
	rep.Quiet = quiet
}

func (r *results) searched(rep *report.Report, search *report.Search) {
	r.mu.Lock()
	defer r.mu.Unlock()
	rep.Search = search
}

func (r *results) add(rep *report.Report, steps []report.Step) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, cache := r.server(rep.Scenario); cache != nil {
		cache.Weigh(steps, r.peaks[rep.Scenario])
	}
	rep.Steps = append(rep.Steps, steps...)
}

// drop takes the last n steps out of a report.
func (r *results) drop(rep *report.Report, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	rep.Steps = rep.Steps[:len(rep.Steps)-n]
}

// meta takes the facts that the script tells of a scenario, or of all. Reports that have begun get them as well.
func (r *results) meta(facts *facts) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.told[facts.Scenario]
	if t == nil {
		t = &told{target: map[string]any{}, params: map[string]any{}}
		r.told[facts.Scenario] = t
	}
	maps.Copy(t.target, facts.Target)
	maps.Copy(t.params, facts.Params)
	if len(facts.Published) > 0 {
		t.published = facts.Published
	}
	if url, ok := t.target["url"].(string); ok {
		t.server = host.FindServer(url)
	}
	if facts.Cache != nil {
		t.cache = facts.Cache
	}
	t.results = cmp.Or(facts.Results, t.results)
	for _, rep := range r.reports {
		r.tell(rep)
	}
}

// tell puts into a report what the script has told: of all scenarios, and then of its own.
func (r *results) tell(rep *report.Report) {
	for _, scenario := range []string{"", rep.Scenario} {
		t := r.told[scenario]
		if t == nil {
			continue
		}
		maps.Copy(rep.Target, t.target)
		maps.Copy(rep.Params, t.params)
		if len(t.published) > 0 {
			rep.Published = t.published
		}
	}
}

// step is what outputs are told of a step.
func (r *results) step(rep *report.Report, s spec) stream.Step {
	r.mu.Lock()
	defer r.mu.Unlock()
	kind, _ := rep.Target["kind"].(string)

	return stream.Step{Scenario: rep.Scenario, Target: kind, Clients: int(s.clients), Rate: s.rate, Repeat: s.repeat}
}

// Server is that of the scenario's target, when it runs on this machine.
func (r *results) serverProcess(scenario string) *host.Server {
	r.mu.Lock()
	defer r.mu.Unlock()
	server, _ := r.server(scenario)

	return server
}

// server is what is known of the scenario's target; nil: nothing.
func (r *results) server(scenario string) (server *host.Server, cache *host.Cache) {
	for _, name := range []string{"", scenario} {
		if t := r.told[name]; t != nil {
			server, cache = cmp.Or(t.server, server), cmp.Or(t.cache, cache)
		}
	}
	if cache != nil && server != nil {
		cache = cache.With(server)
	}

	return server, cache
}

// ended is closed when a sweep has ended.
func (r *results) ended(scenario string) (ended chan struct{}, known bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	ended, known = r.sweeps[scenario]

	return ended, known
}

// expect says that there is a sweep that will end.
func (r *results) expect(scenario string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sweeps[scenario] = make(chan struct{})
}

// atWork says that a sweep begins, and returns those that have begun and not ended.
func (r *results) atWork(scenario string) (others []string) {
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
