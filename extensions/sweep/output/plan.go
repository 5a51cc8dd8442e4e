package output

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/lib/types"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/executor"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

const inNone = "(no scenario)"

// scenario is a scenario as planned, with its steps in the report.
type scenario struct {
	name string
	// variant is the scenario's name in the report's steps.
	variant string
	planned bool
	// starts is its startTime, after setup.
	starts time.Duration
	// asked is the number of iterations of this instance; zero: limited by time only.
	asked int64
	done  int64
	// began is the start of setup or teardown.
	began time.Time
	steps []*step
}

func (s *scenario) stepOf(at time.Duration) *step {
	for _, step := range s.steps[:len(s.steps)-1] {
		if at < step.ends {
			return step
		}
	}

	return s.steps[len(s.steps)-1]
}

type shape struct {
	Executor        string             `json:"executor"`
	VUs             int64              `json:"vus"`
	Iterations      int64              `json:"iterations"`
	Duration        types.NullDuration `json:"duration"`
	StartVUs        int64              `json:"startVUs"`
	StartRate       int64              `json:"startRate"`
	Rate            int64              `json:"rate"`
	TimeUnit        types.NullDuration `json:"timeUnit"`
	PreAllocatedVUs int64              `json:"preAllocatedVUs"`
	MaxVUs          int64              `json:"maxVUs"`
	Stages          []struct {
		Duration types.NullDuration `json:"duration"`
		Target   int64              `json:"target"`
	} `json:"stages"`
}

var described = []string{ //nolint:gochecknoglobals // a constant
	"executor", "exec", "startTime", "vus", "iterations", "duration", "maxDuration", "startVUs", "stages", "startRate", "rate",
	"timeUnit", "preAllocatedVUs", "maxVUs",
}

type plan struct {
	scenarios map[string]*scenario
	// params are the scenarios as the report shows them.
	params map[string]any
	// sweeps are the scenarios of client-sweep, which have their own reports.
	sweeps map[string]bool
	// tuple is the part of the test that this instance runs.
	tuple *lib.ExecutionTuple
}

func newPlan(opts lib.Options, c Config) (*plan, error) {
	tuple, err := lib.NewExecutionTuple(opts.ExecutionSegment, opts.ExecutionSegmentSequence)
	if err != nil {
		return nil, err
	}
	p := &plan{scenarios: map[string]*scenario{}, params: map[string]any{}, sweeps: map[string]bool{}, tuple: tuple}
	for _, name := range slices.Sorted(maps.Keys(opts.Scenarios)) {
		config := opts.Scenarios[name]
		if config.GetType() == executor.Type {
			p.sweeps[name] = true

			continue
		}
		raw, err := json.Marshal(config)
		if err != nil {
			return nil, fmt.Errorf("scenario %s: %w", name, err)
		}
		var load shape
		var all map[string]any
		if err := json.Unmarshal(raw, &load); err != nil {
			return nil, fmt.Errorf("scenario %s: %w", name, err)
		}
		if err := json.Unmarshal(raw, &all); err != nil {
			return nil, fmt.Errorf("scenario %s: %w", name, err)
		}
		maps.DeleteFunc(all, func(key string, value any) bool {
			return value == nil || value == "" || !slices.Contains(described, key)
		})
		p.params[name] = all
		s := &scenario{name: name, variant: name, planned: true, starts: config.GetStartTime(), asked: load.iterations(tuple)}
		if name == lib.DefaultScenarioName && len(opts.Scenarios) == 1 {
			s.variant = ""
		}
		s.steps = load.steps(c)
		if last := s.steps[len(s.steps)-1]; last.ends > 0 && last.begins >= last.ends {
			return nil, fmt.Errorf("skip: %s leaves nothing of the scenario %s, which takes %s", c.Skip, name, last.ends)
		}
		p.scenarios[name] = s
	}

	return p, nil
}

// iterations returns the number of iterations of this instance; zero: no limit.
func (l *shape) iterations(tuple *lib.ExecutionTuple) int64 {
	switch l.Executor {
	case "shared-iterations":
		return tuple.ScaleInt64(l.Iterations)
	case "per-vu-iterations":
		return tuple.ScaleInt64(l.VUs) * l.Iterations
	}

	return 0
}

func (l *shape) steps(c Config) []*step {
	all := l.stages()
	if !c.ByStage || len(all) == 0 {
		whole := &step{clients: l.clients(), ends: l.Duration.TimeDuration(), rate: l.perSecond(float64(l.Rate))}
		var work float64
		for _, s := range all {
			whole.ends = s.ends
			work += s.rate * (s.ends - s.begins).Seconds()
		}
		if whole.ends > 0 && len(all) > 0 {
			whole.rate = rounded(work / whole.ends.Seconds())
		}
		all = []*step{whole}
	}
	repeats := map[report.Key]int{}
	for _, s := range all {
		s.begins = max(s.begins, min(c.Skip, s.ends))
		if s.ends == 0 {
			s.begins = c.Skip
		}
		key := report.Key{Clients: s.clients, Rate: s.rate}
		repeats[key]++
		s.repeat = repeats[key]
	}

	return all
}

// stages returns the steps of a ramp, each with its stage's mean number of clients or mean rate.
func (l *shape) stages() (all []*step) {
	ramp := l.Executor == "ramping-vus"
	from, at := float64(l.StartVUs), time.Duration(0)
	if !ramp {
		from = float64(l.StartRate)
	}
	for _, stage := range l.Stages {
		to, took := float64(stage.Target), stage.Duration.TimeDuration()
		if took > 0 {
			s := &step{begins: at, ends: at + took, clients: l.clients()}
			if mean := (from + to) / 2; ramp {
				s.clients = max(int(mean+0.5), 1)
			} else {
				s.rate = l.perSecond(mean)
			}
			all = append(all, s)
		}
		from, at = to, at+took
	}

	return all
}

func (l *shape) clients() int {
	most := max(l.VUs, l.StartVUs, l.PreAllocatedVUs, l.MaxVUs, 1)
	if l.Executor == "ramping-vus" {
		for _, s := range l.Stages {
			most = max(most, s.Target)
		}
	}

	return int(most)
}

func (l *shape) perSecond(rate float64) float64 {
	unit := l.TimeUnit.TimeDuration()
	if unit <= 0 {
		unit = time.Second
	}

	return rounded(rate / unit.Seconds())
}

func rounded(rate float64) float64 { return float64(int64(rate*1000+0.5)) / 1000 }

type step struct {
	clients int
	rate    float64
	repeat  int
	// begins and ends are relative to the scenario's start; ends is zero if iterations are the limit.
	begins, ends time.Duration

	series  map[string]*measure.Series
	dropped uint64
	last    time.Time
}

// window returns the time of the step; zero if iterations are the limit.
func (s *step) window() time.Duration { return max(s.ends-s.begins, 0) }

// add adds a row for each kind of operation to the report, sorted by name. over is the end of the
// test, relative to the scenario's start.
func (s *step) add(r *report.Report, of *scenario, started time.Time, over time.Duration, interrupted bool) {
	reading := measure.Reading{
		Started: true, StartedOn: started.Add(s.begins), Unstarted: s.dropped,
		Elapsed: max(s.last.Sub(started)-s.begins, time.Microsecond), Complete: s.dropped == 0,
	}
	switch window := s.window(); {
	case window > 0:
		reading.Window = window
		if interrupted {
			reading.Window = min(window, max(over-s.begins, 0))
		}
		reading.Elapsed = max(reading.Elapsed, reading.Window)
		reading.Complete = reading.Complete && (!interrupted || over >= s.ends)
	case of.asked > 0:
		reading.Complete = reading.Complete && of.done >= of.asked
	default:
		reading.Complete = reading.Complete && !interrupted
	}
	var ended uint64
	for _, series := range s.series {
		ended += series.Ended()
	}
	reading.NeedOperations(ended)
	for _, op := range slices.Sorted(maps.Keys(s.series)) {
		reading.Ops = []measure.Totals{s.series[op].Totals(reading.Elapsed)}
		delete(s.series, op)
		asked := report.Step{Clients: s.clients, Rate: s.rate, Repeat: s.repeat, Variant: of.variant}
		r.Steps = append(r.Steps, report.NewSteps(&reading, asked, op, report.CPUSeconds{})...)
	}
}
