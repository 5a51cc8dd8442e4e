package report

import (
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
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
