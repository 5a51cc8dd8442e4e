package persecond

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/fault"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/testrun"
)

// Scenario gathers the operations that sweep.op counts in a scenario of k6's own executors, second by second. Each second
// becomes a step of the report, its clients the VUs that had an operation under way in it: under ramping-vus that is the
// classic ramp. Nothing is connected first or warmed up there, and no VU waits for another.
type Scenario struct {
	scenario *testrun.Scenario
	results  *testrun.Results
	metrics  *stream.Metrics
	state    *lib.ExecutionState
	over     chan struct{}

	mu      sync.Mutex
	began   time.Time // of the current second
	ops     map[string]*measure.Totals
	clients map[uint64]struct{} // VUs that had an operation under way in this second
	busy    map[underWay]int    // operations that are
	steps   map[int]int         // seconds that had as many clients
	last    measure.Reading     // of the last second,
	asked   report.Step         // and what it is in the report
	cut     []cutOperation      // that may be failures
	toMark  bool                // by the next VU that comes
	marked  bool
	closed  bool
}

// cutOperation is one that was cut off: by Ctrl-C, which is no failure of the server's, or because it took too long. Which
// of them it was, k6 tells only later.
type cutOperation struct {
	op, why string
	waited  bool // for a second: it was not Ctrl-C
}

// underWay is a VU with an operation.
type underWay struct {
	vu uint64
	op string
}

// scenarios are those of a test run, by scenario. The zero value is ready to use.
type scenarios struct {
	mu sync.Mutex
	of map[string]*Scenario
}

// Of returns the pulse of the VU's scenario, or nil where there is none: outside of a
// scenario's function. The first VU that asks starts it.
func Of(vu modules.VU, results *testrun.Results, metrics *stream.Metrics) *Scenario {
	ctx, state := vu.Context(), vu.State()
	scenario := lib.GetScenarioState(ctx)
	if state == nil || scenario == nil {
		return nil
	}
	all := testrun.Shared[scenarios](results)
	all.mu.Lock()
	defer all.mu.Unlock()
	if p := all.of[scenario.Name]; p != nil {
		return p
	}

	execution := lib.GetExecutionState(ctx)
	tags := execution.Test.RunTags.With("scenario", scenario.Name)
	if config := state.Options.Scenarios[scenario.Name]; config != nil {
		tags = tags.WithTagsFromMap(config.GetTags())
	}
	p := &Scenario{
		scenario: results.NewScenario(testrun.Start{
			Name: scenario.Name, Params: map[string]any{"executor": scenario.Executor},
			Tags: tags, Out: state.Samples, Metrics: metrics, Test: execution, Logger: execution.Test.Logger,
		}),
		results: results, metrics: metrics, state: execution,
		over:  make(chan struct{}),
		began: time.Now(),
		ops:   map[string]*measure.Totals{}, clients: map[uint64]struct{}{}, busy: map[underWay]int{}, steps: map[int]int{},
	}
	if all.of == nil {
		all.of = map[string]*Scenario{}
	}
	all.of[scenario.Name] = p
	go p.run()
	p.scenario.Await(vu.Events(), p.end)

	return p
}

// Begin notes that a VU has begun an operation, and returns what ends it.
func (p *Scenario) Begin(vu uint64, op string) func(took time.Duration, err error) {
	key := underWay{vu, op}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.toMark {
		p.mark()
	}
	p.busy[key]++
	p.clients[vu] = struct{}{}
	if p.ops[op] == nil {
		p.ops[op] = &measure.Totals{Op: op}
	}

	return func(took time.Duration, err error) { p.ended(key, took, err) }
}

func (p *Scenario) ended(key underWay, took time.Duration, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.busy[key] == 0 {
		return // counted as cut off already
	}
	if p.busy[key]--; p.busy[key] == 0 {
		delete(p.busy, key)
	}
	var cut fault.CutOff
	switch {
	case err == nil:
		p.ops[key.op].Durations.Record(took)
	case errors.As(err, &cut) && !errors.Is(err, context.DeadlineExceeded):
		p.cut = append(p.cut, cutOperation{op: key.op, why: err.Error()})
	default:
		p.ops[key.op].Failures.Record(took)
		p.failed(key.op, err.Error())
		if errors.As(err, new(fault.Unsettled)) {
			p.toMark = true
		} else {
			p.mark()
		}
	}
}

func (p *Scenario) failed(op, why string) {
	t := p.ops[op]
	t.Failed++
	t.AddError(why)
}

// mark marks the run, at once: when the test has ended, k6 looks at the mark before it tells anybody. Only VUs may do so:
// k6 waits for them, and for nobody else, before it looks.
func (p *Scenario) mark() {
	if !p.marked {
		p.marked = true
		p.scenario.MarkFailing()
	}
}

func (p *Scenario) interrupted() bool {
	return p.state.GetCurrentExecutionStatus() == lib.ExecutionStatusInterrupted
}

func (p *Scenario) run() {
	defer crash.Contain("the stream of the figures of sweep.op")
	if err := p.scenario.Keep(); err != nil {
		p.state.Test.Logger.Error(err)
	}
	ticker := time.NewTicker(stream.Every)
	defer ticker.Stop()
	for {
		select {
		case <-p.over:
			return
		case at := <-ticker.C:
			p.tick(at)
			p.scenario.SaveSeldom()
		}
	}
}

// end closes the last second, and the report. What is still under way was cut off.
func (p *Scenario) end() {
	close(p.over)
	p.results.Guard.End()
	p.mu.Lock()
	p.closed = true
	for key, n := range p.busy {
		for range n {
			p.cut = append(p.cut, cutOperation{op: key.op, why: "cut off: it was still under way when the scenario ended"})
		}
	}
	clear(p.busy)
	if !p.interrupted() {
		for _, c := range p.cut {
			p.failed(c.op, c.why)
		}
	}
	p.close(time.Now())
	p.mu.Unlock()

	p.scenario.End(p.interrupted())
}

// tick closes a second.
func (p *Scenario) tick(at time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.countCut()
	p.close(at)
}

// countCut counts operations as failed that were cut off more than a second ago: the test goes on, it was not Ctrl-C.
func (p *Scenario) countCut() {
	var left []cutOperation
	for _, c := range p.cut {
		if !c.waited {
			c.waited = true
			left = append(left, c)

			continue
		}
		p.failed(c.op, c.why)
		p.toMark = true
	}
	p.cut = left
}

// close closes a second: its metrics go out, and it becomes a step. A rest of less than half a second, at the end, becomes a
// part of the second before: by itself it would show any rate.
func (p *Scenario) close(at time.Time) {
	reading := p.reading(at)
	clients := max(len(p.clients), 1) // none, where all that is left was cut off before
	p.began = at
	clear(p.clients)
	for key := range p.busy {
		p.clients[key.vu] = struct{}{}
	}
	if len(reading.Ops) == 0 {
		return // no VU had anything to do
	}

	rest := p.closed && reading.Elapsed < stream.Every/2 && p.last.Elapsed > 0
	p.send(at, &reading, rest)
	if rest {
		p.scenario.Drop(len(p.last.Ops))
		p.last.Join(&reading)
	} else {
		p.last = reading
		p.steps[clients]++
		p.asked = report.Step{Clients: clients, Repeat: p.steps[clients]}
	}
	steps, err := report.NewSteps(&p.last, p.asked, "", report.CPUSeconds{})
	if err != nil {
		p.state.Test.Logger.Errorf("a second is missing in the report: %s", err)
	}
	p.scenario.Add(steps)
}

// send sends the metrics of a second, or the counts alone of a rest.
func (p *Scenario) send(at time.Time, reading *measure.Reading, countsOnly bool) {
	var samples metrics.Samples
	for i := range reading.Ops {
		t := &reading.Ops[i]
		tags := p.scenario.Tags.With("op", t.Op)
		samples = append(samples, p.metrics.Counts(tags, at, t)...)
		if !countsOnly {
			samples = append(samples, p.metrics.Samples(tags, at, t, report.OpsPerSecond(reading, t))...)
		}
	}
	p.scenario.Push(samples)
}

// reading takes what the current second came to. An operation that is under way and has not ended all second long is there
// too: with nothing done.
func (p *Scenario) reading(at time.Time) measure.Reading {
	reading := measure.Reading{Started: true, StartedOn: p.began.Round(0), Complete: true, Elapsed: at.Sub(p.began)}
	waiting := map[string]bool{}
	for key := range p.busy {
		waiting[key.op] = true
	}
	for _, op := range slices.Sorted(maps.Keys(p.ops)) {
		if t := p.ops[op]; t.Durations.Count > 0 || t.Failed > 0 || waiting[op] {
			reading.Ops = append(reading.Ops, *t)
		}
		p.ops[op] = &measure.Totals{Op: op}
	}

	return reading
}
