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

// runID identifies one repeat of a step, with all its kinds of operations.
type runID struct {
	clients int
	rate    float64
	repeat  int
	variant string
}

func (id runID) String() string {
	key := Key{Clients: id.clients, Rate: id.rate, Variant: id.variant}

	return fmt.Sprintf("the step of %s, repeat %d", key.Name(), id.repeat)
}

func (s *Step) id() runID { return runID{s.Clients, s.Rate, s.Repeat, s.Variant} }

type stepsByRun map[runID][]*Step

func newStepsByRun(part *Report) stepsByRun {
	steps := stepsByRun{}
	for i := range part.Steps {
		s := &part.Steps[i]
		steps[s.id()] = append(steps[s.id()], s)
	}

	return steps
}

// runIDs returns the repeats of all steps in run order. A part may lack small steps.
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

// mergeStep merges one repeat of a step. Kinds of operations are merged one by one, because the
// counters of each take 256 kB.
func mergeStep(parts []stepsByRun, segments []bounds, id runID, script bool) ([]Step, error) {
	p := stepParts{
		script:  script,
		asked:   Step{Clients: id.clients, Rate: id.rate, Repeat: id.repeat, Variant: id.variant},
		reading: measure.Reading{Complete: true}, byOp: map[string][]partStep{}, before: map[int]int{},
	}
	var absent []int
	for i, part := range parts {
		if len(part[id]) == 0 {
			absent = append(absent, i)
		} else if err := p.add(i, part[id]); err != nil {
			return nil, err
		}
	}
	for _, i := range absent {
		if !p.script && hasClients(segments[i], &p.reading, id.clients) {
			return nil, fmt.Errorf("part %d lacks it, although clients of it are in its segment, %s", i+1, segments[i])
		}
	}
	p.reading.StartedOn, p.reading.Elapsed = p.times.started(), p.times.elapsed()
	p.reading.Window = p.windows.elapsed()
	if err := mergeOpenLoops(&p.reading, parts, id); err != nil {
		return nil, err
	}

	return p.merged()
}

type stepParts struct {
	// asked has the step's parameters.
	asked Step
	// reading has the figures common to all kinds of operations.
	reading measure.Reading
	byOp    map[string][]partStep
	cpu     CPUSeconds
	ended   uint64
	times   timeLine
	windows timeLine
	// witness is the worst limit of all parts.
	witness    *Witness
	standstill *Standstill
	// script marks a step of k6's own executors, where a segment may have no clients.
	script bool
	// before counts the clients of all parts before a part.
	before map[int]int
}

func (p *stepParts) add(part int, steps []*Step) error {
	whole := steps[0]
	if len(p.byOp) > 0 && whole.PerClient != p.asked.PerClient {
		return fmt.Errorf("part %d has %d operations of each client, others have %d", part+1, whole.PerClient, p.asked.PerClient)
	}
	if whole.Started.IsZero() && whole.Seconds > 0 {
		return fmt.Errorf("part %d does not tell when it began", part+1)
	}
	p.asked.PerClient = whole.PerClient
	p.times.add(whole.Started, whole.Seconds)
	if whole.Window != nil {
		p.windows.add(whole.Started, whole.Window.Seconds)
	}
	p.reading.Complete = p.reading.Complete && (whole.Complete || whole.TooShort != nil)
	p.reading.Unstarted += whole.Extra.Unstarted
	p.reading.Counters = p.reading.Counters.Plus(whole.Extra.counters())
	p.cpu = p.cpu.with(whole.CPU)
	p.witness = p.witness.orWorse(whole.Witness, part)
	if len(p.byOp) == 0 {
		p.standstill = whole.Standstill
	} else {
		p.standstill = p.standstill.and(whole.Standstill)
	}
	p.before[part] = int(p.reading.ClientTimes.Count)
	if err := addClients(&p.reading, &whole.Client); err != nil {
		return fmt.Errorf("part %d: %w", part+1, err)
	}
	if err := errors.Join(whole.ClientWait.addTo(&p.reading.ClientWait), whole.Requests.addTo(&p.reading.Requests)); err != nil {
		return fmt.Errorf("part %d: %w", part+1, err)
	}
	for _, s := range steps {
		p.byOp[s.Op] = append(p.byOp[s.Op], partStep{part, s})
		p.ended += uint64(s.Operations) + s.Failed
	}

	return nil
}

func (p *stepParts) merged() ([]Step, error) {
	r := &p.reading
	overlap, known := p.times.overlap()
	r.Complete = r.Complete && (!known || overlap >= leastOverlap)
	r.NeedOperations(p.ended)
	clients := newClients(r)
	merged := make([]Step, 0, len(p.byOp))
	for _, op := range slices.Sorted(maps.Keys(p.byOp)) {
		totals, err := mergeOperations(op, p.byOp[op])
		if err != nil {
			return nil, err
		}
		totals.OverTime, err = mergeOverTime(p.byOp[op], p.times.started(), r.Elapsed, p.before)
		if err != nil {
			return nil, err
		}
		step := newStep(r, totals, p.asked, clients, p.cpu)
		if known {
			step.Overlap = &overlap
		}
		step.Witness, step.Standstill = p.witness, p.standstill
		merged = append(merged, step)
	}

	return merged, nil
}

// partStep is a step of one part, numbered from zero.
type partStep struct {
	part int
	*Step
}

func mergeOperations(op string, steps []partStep) (*measure.Totals, error) {
	totals := &measure.Totals{Op: op}
	for _, s := range steps {
		if err := addOperations(totals, s.Step); err != nil {
			return nil, fmt.Errorf("part %d, operation %q: %w", s.part+1, op, err)
		}
	}

	return totals, nil
}

// hasClients reports whether a part that lacks a step has clients in its segment. It has none if
// the other parts have all clients, or if clients never started and its share is less than one.
func hasClients(segment bounds, others *measure.Reading, clients int) bool {
	if others.ClientTimes.Count == int64(clients) {
		return false
	}

	return others.Complete || segment.clients(clients).Cmp(big.NewRat(1, 1)) >= 0
}

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

func addOperations(t *measure.Totals, s *Step) error {
	before := t.Durations.Count
	if err := addDurations(&t.Durations, s.Histogram, s.Latency.Max, s.Latency.Mean); err != nil {
		return err
	}
	if counted := t.Durations.Count - before; counted != s.Operations {
		return fmt.Errorf("histogram counts %d operations, but ops are %d", counted, s.Operations)
	}
	if err := s.FailedLatency.addTo(&t.Failures); err != nil {
		return err
	}
	if s.Window != nil {
		t.Within += s.Window.Ops
	}
	t.Failed += s.Failed
	t.Shared += uint64(s.Operations - s.Timings())
	t.Rows += s.Rows
	t.BytesSent += s.BytesSent
	t.BytesReceived += s.BytesReceived
	measure.AddErrors(&t.Errors, s.Extra.Errors)

	return nil
}

// nanoseconds converts n units to a duration, rounded to undo the division that wrote them.
func nanoseconds(n float64, unit time.Duration) time.Duration {
	ns := math.Round(n * float64(unit))
	if ns >= math.MaxInt64 {
		return math.MaxInt64
	}

	return time.Duration(ns)
}

// mergeOverTime combines the parts' figures over time, for a step that began at started. It returns
// nil if a part has none.
func mergeOverTime(steps []partStep, started time.Time, elapsed time.Duration, before map[int]int) (*measure.OverTime, error) {
	if started.IsZero() {
		return nil, nil //nolint:nilnil // it is unknown when the parts ran
	}
	parts := make([]measure.PartOverTime, 0, len(steps))
	for _, s := range steps {
		o, err := s.Measured()
		if err != nil {
			return nil, fmt.Errorf("part %d, operation %q: %w", s.part+1, s.Op, err)
		}
		switch {
		case o != nil && o.Turns != nil:
			return nil, nil //nolint:nilnil // variants of several machines have no turns in common
		case o != nil:
			parts = append(parts, measure.PartOverTime{OverTime: o, Began: s.Started.Sub(started), FirstClient: before[s.part]})
		case s.Operations > 0 || s.Failed > 0:
			return nil, nil //nolint:nilnil // of a build that did not keep it
		}
	}

	return measure.MergeOverTime(parts, elapsed), nil
}
