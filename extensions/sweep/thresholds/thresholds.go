package thresholds

import "sync"

// Sweep has the options of a sweep that thresholds depend on.
type Sweep interface {
	// SampleTags returns the tags of a metric's samples in the scenario; nil if it sends none.
	SampleTags(metric string, runTags map[string]string) Tags
	// OpenLoop reports whether the steps have rates.
	OpenLoop() bool
	// Searched returns the tag that a search varies; "" without a search.
	Searched() string
	// StepClients returns the numbers of clients known before the run.
	StepClients() []int64
}

// Thresholds checks a test run's thresholds. The zero value is ready to use.
type Thresholds struct {
	mu sync.Mutex
	// steps maps scenarios of k6's own executors to the sweeps they belong to.
	steps map[string]Sweep
}

// AddStep registers a scenario of one of k6's own executors as a step of a sweep.
func (t *Thresholds) AddStep(scenario string, sweep Sweep) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.steps == nil {
		t.steps = map[string]Sweep{}
	}
	t.steps[scenario] = sweep
}

func (t *Thresholds) sweepOf(scenario string) Sweep {
	t.mu.Lock()
	defer t.mu.Unlock()

	return t.steps[scenario]
}
