package output

import (
	"maps"
	"slices"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

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
