package sweep

import (
	"maps"
	"slices"
	"sync"
	"time"

	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// pulse gathers the operations that sweep.op counts in a scenario of k6's own executors, second by second. Each second
// becomes a step of the report, its clients the VUs that were active in it: under ramping-vus that is the classic ramp.
// Nothing is connected first or warmed up there, and no VU waits for another.
type pulse struct {
	metrics *sweepMetrics
	results *results
	report  *report.Report
	out     chan<- metrics.SampleContainer
	tags    *metrics.TagSet
	state   *lib.ExecutionState

	mu    sync.Mutex
	began time.Time // of the current second
	ops   map[string]*measure.Totals
	seen  map[int]int // seconds that had as many clients
	over  chan struct{}
}

// pulse returns where an operation of this name is counted.
func (m *module) pulse(name string) outcome {
	if m.beat == nil {
		m.beat = m.results.pulse(m)
	}
	p := m.beat

	return func(took time.Duration, err error) { p.add(name, took, err) }
}

// pulse returns the scenario's pulse. The first VU that asks starts it.
func (r *results) pulse(m *module) *pulse {
	r.mu.Lock()
	defer r.mu.Unlock()
	ctx, state := m.vu.Context(), m.vu.State()
	scenario := lib.GetScenarioState(ctx)
	if state == nil || scenario == nil {
		k6glue.ThrowType(m.vu.Runtime(), "sweep.op works in a scenario's function only")
	}
	if p := r.pulses[scenario.Name]; p != nil {
		return p
	}

	p := &pulse{
		metrics: m.metrics, results: r,
		report: r.newReport(scenario.Name, map[string]any{"executor": scenario.Executor}),
		out:    state.Samples,
		tags:   lib.GetExecutionState(ctx).Test.RunTags.With("scenario", scenario.Name),
		state:  lib.GetExecutionState(ctx),
		began:  time.Now(),
		ops:    map[string]*measure.Totals{},
		seen:   map[int]int{},
		over:   make(chan struct{}),
	}
	if r.pulses == nil {
		r.pulses = map[string]*pulse{}
	}
	r.pulses[scenario.Name] = p
	go p.run()
	k6glue.OnTestEnd(m.vu, p.end)

	return p
}

func (p *pulse) add(op string, took time.Duration, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.ops[op]
	if t == nil {
		t = &measure.Totals{Op: op}
		p.ops[op] = t
	}
	if err == nil {
		t.Durations.Record(took)

		return
	}
	t.Failed++
	t.AddError(err.Error())
}

func (p *pulse) run() {
	ticker := time.NewTicker(liveEvery)
	defer ticker.Stop()
	for {
		select {
		case <-p.over:
			return
		case at := <-ticker.C:
			p.tick(at, true)
		}
	}
}

// end closes the last second.
func (p *pulse) end() {
	close(p.over)
	p.tick(time.Now(), false)
	p.metrics.push(p.out, p.metrics.gates(p.results.judge(p.report, p.state.Test.Logger), p.tags))
}

// tick closes a second, or the part of one that is left at the end: its metrics go out, and it becomes a step.
func (p *pulse) tick(at time.Time, whole bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	clients := max(int(p.state.GetCurrentlyActiveVUsCount()), 1)
	reading := measure.Reading{Started: true, Complete: true, Elapsed: at.Sub(p.began)}
	for _, op := range slices.Sorted(maps.Keys(p.ops)) {
		t := p.ops[op]
		if whole || t.Durations.Count > 0 || t.Failed > 0 { // in a whole second, nothing is a result, too
			reading.Ops = append(reading.Ops, *t)
		}
		p.ops[op] = &measure.Totals{Op: op}
	}
	p.began = at
	if len(reading.Ops) == 0 {
		return
	}

	p.seen[clients]++
	asked := report.Step{Clients: clients, Repeat: p.seen[clients]}
	steps, err := report.NewSteps(&reading, asked, "", report.CPUSeconds{})
	if err != nil {
		p.state.Test.Logger.Errorf("a second is missing in the report: %s", err)
	}
	p.results.add(p.report, steps)

	var samples metrics.Samples
	for i := range reading.Ops {
		t := &reading.Ops[i]
		tags := p.tags.With("op", t.Op)
		samples = append(samples, p.metrics.samples(tags, at, t, reading.Elapsed)...)
		samples = append(samples, p.metrics.counts(tags, at, t)...)
	}
	p.metrics.push(p.out, samples)
}
