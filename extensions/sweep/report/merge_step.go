package report

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// runID is one run of a step, with all its kinds of operations.
type runID struct {
	clients int
	rate    float64
	repeat  int
	variant string
}

func (id runID) String() string {
	text := "the step of " + Plural(id.clients, "client")
	if id.rate != 0 {
		text += fmt.Sprintf(" at %g/s", id.rate)
	}

	text += fmt.Sprintf(", repeat %d", id.repeat)
	if id.variant != "" {
		text += fmt.Sprintf(", variant %q", id.variant)
	}

	return text
}

func (s *Step) id() runID { return runID{s.Clients, s.Rate, s.Repeat, s.Variant} }

// stepsByRun are a part's steps of each run: one for each kind of operation.
type stepsByRun map[runID][]*Step

func newStepsByRun(part *Report) stepsByRun {
	steps := stepsByRun{}
	for i := range part.Steps {
		s := &part.Steps[i]
		steps[s.id()] = append(steps[s.id()], s)
	}

	return steps
}

// runIDs are the runs of all steps in the order of the run. A part may lack small steps: what only a later part has comes
// after what comes before it in that part.
func runIDs(parts []*Report) []runID {
	var ids []runID
	known := map[runID]bool{}
	for _, part := range parts {
		next := 0
		for i := range part.Steps {
			id := part.Steps[i].id()
			if i > 0 && id == part.Steps[i-1].id() {
				continue
			}
			if known[id] {
				next = slices.Index(ids, id) + 1

				continue
			}
			known[id] = true
			ids = slices.Insert(ids, next, id)
			next++
		}
	}

	return ids
}

// mergeStep puts one run of a step together, as if all its clients had been of one instance. Of its
// kinds of operations, one at a time is merged: the counters of each take a quarter of a megabyte.
func mergeStep(parts []stepsByRun, segments []bounds, id runID) ([]Step, error) {
	asked := Step{Clients: id.clients, Rate: id.rate, Repeat: id.repeat, Variant: id.variant}
	reading := measure.Reading{Complete: true}
	byOp := map[string][]partStep{}
	var cpu CPUSeconds
	var absent []int
	var ended uint64 // operations of all kinds
	var times timeLine
	var windows windowLine
	first := true
	for i, part := range parts {
		steps := part[id]
		if len(steps) == 0 {
			absent = append(absent, i)

			continue
		}
		whole := steps[0] // of what all kinds of operations have in common
		if !first && whole.PerClient != asked.PerClient {
			return nil, fmt.Errorf("part %d has %d operations of each client, others have %d", i+1, whole.PerClient, asked.PerClient)
		}
		first, asked.PerClient = false, whole.PerClient
		times.add(whole)
		windows.add(whole)
		reading.Complete = reading.Complete && (whole.Complete || whole.TooShort != nil)
		reading.Unstarted += whole.Extra.Unstarted
		reading.Counters = reading.Counters.Plus(whole.Extra.counters())
		cpu = cpu.with(whole.CPU)
		if err := addClients(&reading, &whole.Client); err != nil {
			return nil, fmt.Errorf("part %d: %w", i+1, err)
		}
		for _, s := range steps {
			byOp[s.Op] = append(byOp[s.Op], partStep{i, s})
			ended += uint64(s.Operations) + s.Failed
		}
	}
	for _, i := range absent {
		if hasClients(segments[i], &reading, id.clients) {
			return nil, fmt.Errorf("part %d lacks it, although clients of it are in its segment, %s", i+1, segments[i])
		}
	}

	reading.StartedOn, reading.Elapsed = times.started(), times.elapsed()
	reading.Window = windows.elapsed()
	if err := mergeOpenLoops(&reading, parts, id); err != nil {
		return nil, err
	}
	overlap, known := times.overlap()
	reading.Complete = reading.Complete && (!known || overlap >= leastOverlap)
	reading.NeedOperations(ended)
	clients, err := newClients(&reading)
	if err != nil {
		return nil, err
	}
	merged := make([]Step, 0, len(byOp))
	for _, op := range slices.Sorted(maps.Keys(byOp)) {
		totals, err := mergeOperations(op, byOp[op])
		if err != nil {
			return nil, err
		}
		step, err := newStep(&reading, totals, asked, clients, cpu)
		if err != nil {
			return nil, err
		}
		if known {
			step.Overlap = &overlap
		}
		merged = append(merged, step)
	}

	return merged, nil
}

// partStep is a step of one of the parts, whose places count from zero.
type partStep struct {
	part int
	*Step
}

// mergeOperations adds up what the parts did of one kind of operation.
func mergeOperations(op string, steps []partStep) (*measure.Totals, error) {
	totals := &measure.Totals{Op: op}
	for _, s := range steps {
		if err := addOperations(totals, s.Step); err != nil {
			return nil, fmt.Errorf("part %d, operation %q: %w", s.part+1, op, err)
		}
	}

	return totals, nil
}

// hasClients tells whether clients of a step are in the segment of a part that lacks the step. None is when the other
// parts have all clients. Where some of these never started, none is when the segment's share is less than one client.
func hasClients(segment bounds, others *measure.Reading, clients int) bool {
	if others.ClientTimes.Count == int64(clients) {
		return false
	}

	return others.Complete || segment.clients(clients).Cmp(big.NewRat(1, 1)) >= 0
}

// with adds another instance's.
func (c CPUSeconds) with(other CPUSeconds) CPUSeconds {
	c.K6 += other.K6
	if other.Server != nil && (c.Server == nil || *c.Server < *other.Server) {
		c.Server = other.Server
	}

	return c
}

func addClients(reading *measure.Reading, c *Clients) error {
	times, each, err := c.decode()
	if err != nil {
		return err
	}
	if times.Count != each.Count {
		return errors.New("client.histogram and client.ops.histogram are of different numbers of clients")
	}
	if times.Count > 0 {
		times.SetExact(nanoseconds(c.Max, time.Second), nanoseconds(c.Avg, time.Second))
		times.Min = nanoseconds(c.Min, time.Second)
		each.SetExact(time.Duration(c.Ops.Max), each.Mean())
		each.Min = time.Duration(c.Ops.Min)
	}
	reading.ClientTimes.Merge(&times)
	reading.ClientOps.Merge(&each)

	return nil
}

// addOperations adds one part's step to the totals of its kind of operation.
func addOperations(t *measure.Totals, s *Step) error {
	durations, err := measure.Decode(s.Histogram)
	if err != nil {
		return fmt.Errorf("histogram: %w", err)
	}
	if durations.Count != s.Operations {
		return fmt.Errorf("histogram counts %d operations, but ops are %d", durations.Count, s.Operations)
	}
	durations.SetExact(nanoseconds(s.Latency.Max, time.Millisecond), nanoseconds(s.Latency.Mean, time.Millisecond))

	t.Durations.Merge(&durations)
	if err := s.FailedLatency.addTo(&t.Failures); err != nil {
		return err
	}
	if s.Window != nil {
		t.Within += s.Window.Ops
	}
	t.Failed += s.Failed
	t.Rows += s.Rows
	t.BytesSent += s.BytesSent
	t.BytesReceived += s.BytesReceived
	measure.AddErrors(&t.Errors, s.Extra.Errors)

	return nil
}

// nanoseconds is a number of units as a duration: exactly what it was before it was written down in units.
func nanoseconds(n float64, unit time.Duration) time.Duration {
	ns := math.Round(n * float64(unit))
	if ns >= math.MaxInt64 {
		return math.MaxInt64
	}

	return time.Duration(ns)
}
