package testrun

import (
	"cmp"
	"maps"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/host"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// Facts are what sweep.meta tells.
type Facts struct {
	Scenario string `json:"scenario"` // that they are of; "": of all

	Target  map[string]any `json:"target"`
	Base    map[string]any `json:"base"` // what is otherwise of the target of a duet's base
	Params  map[string]any `json:"params"`
	Results string         `json:"results"`
	Name    string         `json:"name"` // of the report's files; "": the scenario's
	Cache   *host.Cache    `json:"cache"`

	Published []report.Series `json:"published"`
}

// told is what a script has told.
type told struct {
	target    map[string]any
	params    map[string]any
	published []report.Series
	server    *host.Server
	// ended tells that the server has, and was not found again.
	ended bool
	// base is the server of a duet's base; nil where it is not told, or not on this machine.
	base *host.Server
	// hasBase tells that the base of a duet has a server of its own.
	hasBase bool
	cache   *host.Cache
	results string // the folder of the report
	name    string // of the report's files; "": the scenario's
}

// Meta takes the facts that the script tells of a scenario, or of all. Reports that have begun get
// them as well.
func (r *Results) Meta(facts *Facts) {
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
	if len(facts.Base) > 0 {
		t.target["base"] = facts.Base
	}
	if url, ok := facts.Base["url"].(string); ok {
		t.base, t.hasBase = host.FindServer(url), true
	}
	if facts.Cache != nil {
		t.cache = facts.Cache
	}
	t.results, t.name = cmp.Or(facts.Results, t.results), cmp.Or(facts.Name, t.name)
	for _, rep := range r.reports {
		r.tell(rep)
	}
}

// Tell puts into a report, which is not among the results, what the script has told.
func (r *Results) Tell(rep *report.Report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tell(rep)
}

// tell puts into a report what the script has told: of all scenarios, and then of its own.
func (r *Results) tell(rep *report.Report) {
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

// fileName is the name of a report's files without their endings.
func (r *Results) fileName(scenario string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if t := r.told[scenario]; t != nil && t.name != "" {
		return t.name
	}

	return scenario
}

// kindOf is the kind of a report's target, as the script has told it; "" when it has not.
func (r *Results) kindOf(rep *report.Report) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	kind, _ := rep.Target["kind"].(string)

	return kind
}

// serverProcess is that of the scenario's target, when it runs on this machine.
func (r *Results) serverProcess(scenario string) *host.Server {
	r.mu.Lock()
	defer r.mu.Unlock()
	server, _ := r.server(scenario)

	return server
}

// baseServer is that of a duet's base, when it runs on this machine.
func (r *Results) baseServer(scenario string) *host.Server {
	r.mu.Lock()
	defer r.mu.Unlock()
	base, _ := r.server(scenario)
	for _, name := range []string{"", scenario} {
		if t := r.told[name]; t != nil && t.hasBase {
			base = t.base
		}
	}

	return base
}

// server is what is known of the scenario's target; nil: nothing.
func (r *Results) server(scenario string) (server *host.Server, cache *host.Cache) {
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

// twoServers reports whether the script has named another server for the base of a duet.
func (r *Results) twoServers(scenario string) bool {
	rep := &report.Report{Scenario: scenario, Target: map[string]any{}, Params: map[string]any{}}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tell(rep)

	return rep.TwoServers()
}
