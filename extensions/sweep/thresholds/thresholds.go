package thresholds

import "sync"

// Sweep is what the thresholds of a test have to know of a sweep's options.
type Sweep interface {
	// SampleTags are those that a metric's samples will have in the scenario; nil: there will be
	// none.
	SampleTags(metric string, runTags map[string]string) Tags
	// OpenLoop tells whether the steps of the sweep have rates.
	OpenLoop() bool
	// Searched names the tag whose value a search looks for; empty: the sweep is no search.
	Searched() string
	// StepClients are the clients of the sweep's steps, as far as they are known before the run.
	StepClients() []int64
}

// Thresholds are those of a test run. The zero value is ready to use.
type Thresholds struct {
	mu sync.Mutex
	// steps are the sweeps whose steps are scenarios of k6's own executors, by those scenarios.
	steps map[string]Sweep
}

// AddStep makes a scenario of one of k6's own executors known as a step of a sweep.
func (t *Thresholds) AddStep(scenario string, sweep Sweep) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.steps == nil {
		t.steps = map[string]Sweep{}
	}
	t.steps[scenario] = sweep
}

// sweepOf returns the sweep of which a scenario is a step, or nil.
func (t *Thresholds) sweepOf(scenario string) Sweep {
	t.mu.Lock()
	defer t.mu.Unlock()

	return t.steps[scenario]
}
