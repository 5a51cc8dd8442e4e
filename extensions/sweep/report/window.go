package report

import (
	"fmt"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/witness"
)

// Window has the operations of a step with a duration: those in the duration, and those in the
// tail, when clients finish their last operations.
type Window struct {
	Seconds     float64 `json:"seconds"`
	Ops         int64   `json:"ops"`         // successful operations in the window
	TailSeconds float64 `json:"tailSeconds"` // from the window's end to the last client's end
	TailOps     int64   `json:"tailOps"`     // successful operations in the tail
}

// AllClients is the part of a step with all clients at work: from the start line to the first
// client's end.
type AllClients struct {
	Seconds      float64 `json:"seconds"`
	Ops          int64   `json:"ops"` // successful operations in it
	OpsPerSecond float64 `json:"opsPerSecond"`
}

func newWindow(reading *measure.Reading, t *measure.Totals) *Window {
	if reading.Window == 0 {
		return nil
	}

	return &Window{
		Seconds: reading.Window.Seconds(), Ops: t.Within,
		TailSeconds: (reading.Elapsed - reading.Window).Seconds(), TailOps: t.Durations.Count - t.Within,
	}
}

func newAllClients(reading *measure.Reading, t *measure.Totals) *AllClients {
	if reading.AllAtWork == 0 {
		return nil
	}

	return &AllClients{
		Seconds: reading.AllAtWork.Seconds(), Ops: t.Within, OpsPerSecond: Rate(t.Within, reading.AllAtWork),
	}
}

func (w *Window) plus(other *Window) *Window {
	if w == nil || other == nil {
		return other
	}
	sum := *other
	sum.Ops += w.Ops
	sum.TailOps += w.TailOps

	return &sum
}

func (a *AllClients) plus(other *AllClients) *AllClients {
	if a == nil || other == nil {
		return other
	}
	sum := *other
	sum.Ops += a.Ops
	sum.OpsPerSecond += a.OpsPerSecond

	return &sum
}

// OpsPerSecond returns the rate of one kind of operation. With a duration: operations that ended in
// the window, divided by it. Else all operations divided by the step time.
func OpsPerSecond(reading *measure.Reading, t *measure.Totals) float64 {
	if reading.Window != 0 {
		return Rate(t.Within, reading.Window)
	}

	return Rate(t.Durations.Count, timeOf(reading, t))
}

// timeOf returns the step time or, for a duet's variant, the time for which its clients worked.
func timeOf(reading *measure.Reading, t *measure.Totals) time.Duration {
	if t.Variant != measure.NoVariant {
		return t.Time
	}

	return reading.Elapsed
}

func (s *Step) rated() (operations int64, seconds float64) {
	if s.Window != nil {
		return s.Window.Ops, s.Window.Seconds
	}

	return s.Operations, s.Seconds
}

// Standstill describes pauses of a step: times in which no operation of any kind ended while all
// clients were busy.
type Standstill struct {
	// LongestMs is the longest pause, to 10 ms; 0: less than 20 ms.
	LongestMs float64 `json:"longestMs"`
	// Part is the share of the step in pauses that slow operations do not explain, 0 to 1: see
	// measure.Standstill.
	Part float64 `json:"part"`
}

// mostStill is the share beyond which latencies hide the waiting: each client has one slow
// operation, which no percentile shows.
const mostStill = 0.1

func newStandstill(from *measure.Standstill) *Standstill {
	if from == nil {
		return nil
	}

	return &Standstill{LongestMs: Ms(from.Longest), Part: from.Part}
}

// and combines two parts of a step: a pause counts if both paused.
func (s *Standstill) and(part *Standstill) *Standstill {
	if s == nil || part == nil {
		return nil
	}

	return &Standstill{LongestMs: min(s.LongestMs, part.LongestMs), Part: min(s.Part, part.Part)}
}

// StoodStill returns a sentence if pauses make up a tenth of the step, else "".
func (s *Step) StoodStill() string {
	if s.Standstill == nil || s.Standstill.Part <= mostStill {
		return ""
	}

	return fmt.Sprintf("it stood still for %.0f %% of the time: no operation ended for up to %s",
		100*s.Standstill.Part, Span(s.Standstill.LongestMs/1000))
}

// Hidden returns the outcome of a gate on the figure, and a reason, if the figure hides waiting. A
// latency is crossed if the server stood still. It is undecided if k6 stood still as well, or
// started too many operations late. Otherwise the outcome is held, without a reason.
func (f *Figure) Hidden(g *Group) (outcome stats.Outcome, why string) {
	outcome = stats.Held
	if g == nil {
		return outcome, ""
	}
	for _, s := range g.Steps {
		still, late := s.StoodStill(), s.LateByK6()
		switch {
		case f == &LongestStandstill:
			if s.Standstill == nil {
				return stats.Undecided, "nobody knows how long the step stood still"
			}
		case f.Rate:
		case still != "" && s.LimitedBy() != witness.K6Itself && (s.Witness == nil || !witness.Evidence(s.Witness.Evidence).StillByK6()):
			return stats.Crossed, still
		case still != "":
			outcome, why = stats.Undecided, still+", and so did k6"
		case late != "":
			outcome, why = stats.Undecided, late
		}
	}

	return outcome, why
}

// LongestStandstill is a figure for gates only.
var LongestStandstill = Figure{ //nolint:gochecknoglobals // a constant
	Name: "standstill", Key: "standstill", JSON: "standstill", Of: func(s *Step) float64 {
		if s.Standstill == nil {
			return 0
		}

		return s.Standstill.LongestMs
	},
}
