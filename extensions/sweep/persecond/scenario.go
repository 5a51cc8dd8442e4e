package persecond

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/lib"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/fault"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/testrun"
)

// Scenario gathers the operations that sweep.op counts in a scenario of k6's own executors, second
// by second. Each second becomes a step of the report, its clients the VUs that had an operation
// under way in it: under ramping-vus that is the classic ramp. Nothing is connected first or warmed
// up there, and no VU waits for another.
type Scenario struct {
	scenario *testrun.Scenario
	results  *testrun.Results
	metrics  *stream.Metrics
	state    *lib.ExecutionState
	over     chan struct{}

	mu sync.Mutex
	// began is when the current second began.
	began time.Time
	// ops are the operations of the current second, by name.
	ops map[string]*measure.Totals
	// clients are the VUs that had an operation under way in the current second.
	clients map[uint64]struct{}
	// busy are the operations that are under way now.
	busy map[underWay]int
	// steps counts the seconds that had as many clients.
	steps map[int]int
	// last is what was measured in the last second, and asked is what that is in the report.
	last  measure.Reading
	asked report.Step
	// cut are operations that were cut off, and may be failures.
	cut []cutOperation
	// toMark tells that the next VU that comes has to mark the run; marked that one has.
	toMark, marked bool
	// closed tells that the last second is over.
	closed bool
}

// cutOperation is one that was cut off: by Ctrl-C, which is no failure of the server's, or because
// it took too long. Which of them it was, k6 tells only later.
type cutOperation struct {
	op, why string
	// waited tells that a second has passed since: it was not Ctrl-C.
	waited bool
}

// underWay is a VU with an operation.
type underWay struct {
	vu uint64
	op string
}

// scenarios are those of a test run, by name. The zero value is ready to use.
type scenarios struct {
	mu sync.Mutex
	of map[string]*Scenario
}

// Of returns the VU's scenario, or nil where there is none: outside of a scenario's function. The
// first VU that asks starts it.
func Of(vu modules.VU, results *testrun.Results, metrics *stream.Metrics) *Scenario {
	ctx, state := vu.Context(), vu.State()
	scenario := lib.GetScenarioState(ctx)
	if state == nil || scenario == nil {
		return nil
	}
	all := testrun.Shared[scenarios](results)
	all.mu.Lock()
	defer all.mu.Unlock()
	if s := all.of[scenario.Name]; s != nil {
		return s
	}

	execution := lib.GetExecutionState(ctx)
	tags := execution.Test.RunTags.With("scenario", scenario.Name)
	if config := state.Options.Scenarios[scenario.Name]; config != nil {
		tags = tags.WithTagsFromMap(config.GetTags())
	}
	s := &Scenario{
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
	all.of[scenario.Name] = s
	go s.run()
	s.scenario.Await(vu.Events(), s.end)

	return s
}

// Begin notes that a VU has begun an operation, and returns what ends it.
func (s *Scenario) Begin(vu uint64, op string) func(took time.Duration, err error) {
	key := underWay{vu, op}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.toMark {
		s.mark()
	}
	s.busy[key]++
	s.clients[vu] = struct{}{}
	if s.ops[op] == nil {
		s.ops[op] = &measure.Totals{Op: op}
	}

	return func(took time.Duration, err error) { s.ended(key, took, err) }
}

func (s *Scenario) ended(key underWay, took time.Duration, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy[key] == 0 {
		return // counted as cut off already
	}
	if s.busy[key]--; s.busy[key] == 0 {
		delete(s.busy, key)
	}
	var cut fault.CutOff
	switch {
	case err == nil:
		s.ops[key.op].Durations.Record(took)
	case errors.As(err, &cut) && !errors.Is(err, context.DeadlineExceeded):
		s.cut = append(s.cut, cutOperation{op: key.op, why: err.Error()})
	default:
		s.ops[key.op].Failures.Record(took)
		s.failed(key.op, err.Error())
		if errors.As(err, new(fault.Unsettled)) {
			s.toMark = true
		} else {
			s.mark()
		}
	}
}

func (s *Scenario) failed(op, why string) {
	t := s.ops[op]
	t.Failed++
	t.AddError(why)
}

// mark marks the run, at once: when the test has ended, k6 looks at the mark before it tells
// anybody. Only VUs may do so: k6 waits for them, and for nobody else, before it looks.
func (s *Scenario) mark() {
	if !s.marked {
		s.marked = true
		s.scenario.MarkFailing()
	}
}

func (s *Scenario) interrupted() bool {
	return s.state.GetCurrentExecutionStatus() == lib.ExecutionStatusInterrupted
}

func (s *Scenario) run() {
	defer crash.Contain("the stream of the figures of sweep.op")
	if err := s.scenario.Keep(); err != nil {
		s.state.Test.Logger.Error(err)
	}
	ticker := time.NewTicker(stream.Every)
	defer ticker.Stop()
	for {
		select {
		case <-s.over:
			return
		case at := <-ticker.C:
			s.tick(at)
			s.scenario.SaveSeldom()
		}
	}
}

// end closes the last second, and the report. What is still under way was cut off.
func (s *Scenario) end() {
	close(s.over)
	s.results.Guard.End()
	s.mu.Lock()
	s.closed = true
	for key, n := range s.busy {
		for range n {
			s.cut = append(s.cut, cutOperation{op: key.op, why: "cut off: it was still under way when the scenario ended"})
		}
	}
	clear(s.busy)
	if !s.interrupted() {
		for _, c := range s.cut {
			s.failed(c.op, c.why)
		}
	}
	s.close(time.Now())
	s.mu.Unlock()

	s.scenario.End(s.interrupted())
}
