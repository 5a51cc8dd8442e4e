package testrun

import (
	"cmp"
	"maps"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/host"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// Facts are the arguments of sweep.meta.
type Facts struct {
	Scenario string `json:"scenario"` // "": all scenarios

	Target  map[string]any `json:"target"`
	Base    map[string]any `json:"base"` // what differs for a duet's base
	Params  map[string]any `json:"params"`
	Results string         `json:"results"`
	Name    string         `json:"name"` // name of the report's files; "": the scenario
	Cache   *host.Cache    `json:"cache"`

	Published []report.Series `json:"published"`
}

// scriptMeta holds the facts from sweep.meta.
type scriptMeta struct {
	target    map[string]any
	params    map[string]any
	published []report.Series
	server    *host.Server
	ended     bool
	// base is the server of a duet's base; nil if unknown or remote.
	base    *host.Server
	hasBase bool
	// names are what the variants of a duet are called.
	names   map[string]string
	cache   *host.Cache
	results string // folder of the report
	name    string // name of the report's files; "": the scenario
}

// Meta stores facts for a scenario or for all, also in reports that have begun.
func (r *Results) Meta(facts *Facts) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.meta[facts.Scenario]
	if t == nil {
		t = &scriptMeta{target: map[string]any{}, params: map[string]any{}}
		r.meta[facts.Scenario] = t
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
		r.addMeta(rep)
	}
}

// NameVariants says what the variants of a scenario's duet are called, by report.Base and
// report.Change.
func (r *Results) NameVariants(scenario string, names map[string]string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.meta[scenario] == nil {
		r.meta[scenario] = &scriptMeta{target: map[string]any{}, params: map[string]any{}}
	}
	r.meta[scenario].names = names
}

// AddMeta adds the facts to a report that is not in the results.
func (r *Results) AddMeta(rep *report.Report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.addMeta(rep)
}

// addMeta adds the facts for all scenarios, then for the report's own.
func (r *Results) addMeta(rep *report.Report) {
	for _, t := range r.metaOf(rep.Scenario) {
		maps.Copy(rep.Target, t.target)
		maps.Copy(rep.Params, t.params)
		if len(t.published) > 0 {
			rep.Published = t.published
		}
		if name := t.names[report.Change]; name != "" {
			rep.Target["name"] = name
		}
		if name := t.names[report.Base]; name != "" {
			base, _ := rep.Target["base"].(map[string]any)
			if base = maps.Clone(base); base == nil {
				base = map[string]any{}
			}
			base["name"] = name
			rep.Target["base"] = base
		}
	}
}

func (r *Results) fileName(scenario string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if t := r.meta[scenario]; t != nil && t.name != "" {
		return t.name
	}

	return scenario
}

func (r *Results) kindOf(rep *report.Report) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	kind, _ := rep.Target["kind"].(string)

	return kind
}

func (r *Results) serverProcess(scenario string) *host.Server {
	r.mu.Lock()
	defer r.mu.Unlock()
	server, _ := r.server(scenario)

	return server
}

func (r *Results) baseServer(scenario string) *host.Server {
	r.mu.Lock()
	defer r.mu.Unlock()
	base, _ := r.server(scenario)
	for _, t := range r.metaOf(scenario) {
		if t.hasBase {
			base = t.base
		}
	}

	return base
}

// server returns the target's server and cache, which may be nil.
func (r *Results) server(scenario string) (server *host.Server, cache *host.Cache) {
	for _, t := range r.metaOf(scenario) {
		server, cache = cmp.Or(t.server, server), cmp.Or(t.cache, cache)
	}
	if cache != nil && server != nil {
		cache = cache.With(server)
	}

	return server, cache
}

func (r *Results) twoServers(scenario string) bool {
	rep := &report.Report{Scenario: scenario, Target: map[string]any{}, Params: map[string]any{}}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.addMeta(rep)

	return rep.TwoServers()
}
