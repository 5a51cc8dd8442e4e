package persecond

import (
	"maps"
	"slices"
	"time"

	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
)

// tick closes a second.
func (s *Scenario) tick(at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.countCut()
	s.close(at)
}

// countCut counts operations as failed that were cut off more than a second ago: the test goes on,
// it was not Ctrl-C.
func (s *Scenario) countCut() {
	var left []cutOperation
	for _, c := range s.cut {
		if !c.waited {
			c.waited = true
			left = append(left, c)

			continue
		}
		s.failed(c.op, c.why)
		s.toMark = true
	}
	s.cut = left
}

// close closes a second: its metrics go out, and it becomes a step. A rest of less than half a
// second, at the end, becomes a part of the second before: by itself it would show any rate.
func (s *Scenario) close(at time.Time) {
	reading := s.reading(at)
	clients := max(len(s.clients), 1) // none, where all that is left was cut off before
	s.began = at
	clear(s.clients)
	for key := range s.busy {
		s.clients[key.vu] = struct{}{}
	}
	if len(reading.Ops) == 0 {
		return // no VU had anything to do
	}

	rest := s.closed && reading.Elapsed < stream.Every/2 && s.last.Elapsed > 0
	s.send(at, &reading, rest)
	if rest {
		s.scenario.Drop(len(s.last.Ops))
		s.last.Join(&reading)
	} else {
		s.last = reading
		s.steps[clients]++
		s.asked = report.Step{Clients: clients, Repeat: s.steps[clients]}
	}
	steps, err := report.NewSteps(&s.last, s.asked, "", report.CPUSeconds{})
	if err != nil {
		s.state.Test.Logger.Errorf("a second is missing in the report: %s", err)
	}
	s.scenario.Add(steps)
}

// send sends the metrics of a second, or the counts alone of a rest.
func (s *Scenario) send(at time.Time, reading *measure.Reading, countsOnly bool) {
	var samples metrics.Samples
	for i := range reading.Ops {
		t := &reading.Ops[i]
		tags := s.scenario.Tags.With("op", t.Op)
		samples = append(samples, s.metrics.Counts(tags, at, t)...)
		if !countsOnly {
			samples = append(samples, s.metrics.Samples(tags, at, t, report.OpsPerSecond(reading, t))...)
		}
	}
	s.scenario.Push(samples)
}

// reading takes what the current second came to. An operation that is under way and has not ended
// all second long is there too: with nothing done.
func (s *Scenario) reading(at time.Time) measure.Reading {
	reading := measure.Reading{Started: true, StartedOn: s.began.Round(0), Complete: true, Elapsed: at.Sub(s.began)}
	waiting := map[string]bool{}
	for key := range s.busy {
		waiting[key.op] = true
	}
	for _, op := range slices.Sorted(maps.Keys(s.ops)) {
		if t := s.ops[op]; t.Durations.Count > 0 || t.Failed > 0 || waiting[op] {
			reading.Ops = append(reading.Ops, *t)
		}
		s.ops[op] = &measure.Totals{Op: op}
	}

	return reading
}
