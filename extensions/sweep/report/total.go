package report

import (
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// TotalOp is the operation of the rows that WithTotals adds.
const TotalOp = "(total)"

// WithTotals returns the steps as tables show them, with a total after each step with several kinds
// of operations. The total has the percentiles of all operations. There is no total if the kinds
// have separate times, or in a report of -o sweep.
func (r *Report) WithTotals() []*Step {
	steps := make([]*Step, 0, len(r.Steps))
	for first := 0; first < len(r.Steps); {
		next := first + 1
		for next < len(r.Steps) && SameStep(&r.Steps[next-1], &r.Steps[next]) {
			next++
		}
		for i := first; i < next; i++ {
			steps = append(steps, &r.Steps[i])
		}
		if r.Script == nil {
			if total := totalOf(r.Steps[first:next]); total != nil {
				steps = append(steps, total)
			}
		}
		first = next
	}

	return steps
}

// HasTotal reports whether tables have a row for the total of the step's kinds of operations.
func (r *Report) HasTotal(s *Step) bool {
	var kinds []Step
	for i := range r.Steps {
		switch other := &r.Steps[i]; {
		case !sameNumbers(other, s):
		case other.Op == TotalOp:
			return true
		case other.Seconds != s.Seconds:
			return false
		default:
			kinds = append(kinds, *other)
		}
	}

	return r.Script == nil && len(kinds) > 1
}

// totalOf returns the total of a step's kinds of operations, or nil.
func totalOf(kinds []Step) *Step {
	if len(kinds) < 2 {
		return nil
	}
	one := &kinds[0] // common to all kinds
	total := &Step{
		Clients: one.Clients, Rate: one.Rate, Repeat: one.Repeat, PerClient: one.PerClient, Variant: one.Variant, Op: TotalOp,
		Complete: one.Complete, TooShort: one.TooShort, Started: one.Started, Overlap: one.Overlap,
		Seconds: one.Seconds, Client: one.Client, CPU: one.CPU, OpenLoop: one.OpenLoop, ClientWait: one.ClientWait, Requests: one.Requests,
		Extra: one.Extra, Witness: one.Witness, Standstill: one.Standstill,
	}
	total.Extra.Errors = nil
	var durations measure.Distribution
	shared := false
	for i := range kinds {
		s := &kinds[i]
		if s.Seconds != total.Seconds {
			return nil
		}
		if addDurations(&durations, s.Histogram, s.Latency.Max, s.Latency.Mean) != nil {
			return nil
		}
		total.Operations += s.Operations
		shared = shared || s.Timed > 0
		total.Timed = max(total.Timed, s.Timings()) // kinds of one pipeline share its duration
		total.Failed += s.Failed
		total.Rows += s.Rows
		total.BytesSent += s.BytesSent
		total.BytesReceived += s.BytesReceived
		total.OpsPerSecond += s.OpsPerSecond
		total.Window = total.Window.plus(s.Window)
		total.AllClients = total.AllClients.plus(s.AllClients)
	}
	if !shared {
		total.Timed = 0
	}
	total.Latency = Latency(&durations)

	return total
}
