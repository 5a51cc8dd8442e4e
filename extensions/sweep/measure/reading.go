package measure

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// LeastOperations is the minimum for a rate, an average, or a step with a duration.
const LeastOperations = 10

// Reading holds a step's figures so far. Any goroutine may take one at any time.
type Reading struct {
	Started   bool          // the start line has opened
	StartedOn time.Time     // wall clock time of Started; zero before
	Elapsed   time.Duration // from the start line to now, or to the last client's end
	Ended     int

	// Window is the elapsed part of the step's duration; 0 in a step with a number of operations.
	Window time.Duration
	// AllAtWork is the time until the first client's end, in a step without a window; 0 before
	// that.
	AllAtWork time.Duration

	// Ops are sorted by name; in a duet, base precedes change.
	Ops []Totals
	// Duet describes the slices of a duet; nil otherwise.
	Duet *DuetSlices

	// Counters cover all operations.
	Counters Counters

	// Complete is true if all clients have done their share and the step is not too short.
	Complete bool
	// TooShort is the number of operations in a step with a duration that had too few; nil
	// otherwise.
	TooShort *uint64

	Unstarted uint64    // due operations of an open loop that no client has started
	OpenLoop  *OpenLoop // nil in a closed loop

	// Standstill is nil before the start and if unknown.
	Standstill *Standstill

	// ClientWait is the time from an answer's arrival to its read, sampled for clients at event
	// loops.
	ClientWait Distribution
	// Requests is the time spent in requests, of operations that made some.
	Requests Distribution

	// Distributions over clients, empty until all have ended.
	ClientTimes Distribution // from the first operation's start to the last one's end
	ClientOps   Distribution // successful operations
}

// Read takes a reading of the step.
func (s *Step) Read() Reading {
	r := Reading{Started: s.line.isOpen(), Complete: true}
	var totals allTotals
	d := s.duet.Load()

	var last time.Duration
	for _, c := range s.clients {
		totals.add(c, d != nil)
		r.Counters = c.counted(r.Counters)
		r.Complete = r.Complete && c.complete.Load()
		if ended := time.Duration(c.ended.Load()); ended != 0 {
			if r.Ended == 0 || ended > last {
				last = ended
			}
			r.Ended++
		}
	}

	totals.addKinds(s, d != nil)
	if r.Started {
		r.StartedOn = s.line.openedOn
	}
	r.Elapsed = s.elapsed(r.Ended, last)
	r.Ops = totals.named()
	if s.schedule != nil {
		r.readOpenLoop(s)
	}
	r.readParts(s)
	s.readWaits(&r)
	s.readRequests(&r)
	ended := r.Ended == len(s.clients)
	if r.Started {
		r.Standstill = s.slots.standstill(s.line.openedAt+r.Elapsed, r.operations(), r.slowest())
	}
	if ended {
		for i := range r.Ops {
			r.Ops[i].OverTime = s.slots.read(r.Ops[i].Op, r.Ops[i].Variant == Change, r.Elapsed)
		}
		s.readClients(&r)
		if !s.plan.Part {
			r.NeedOperations(r.operations())
		}
	}
	if d != nil {
		d.read(&r)
	}

	return r
}

// ReadOverTime takes a reading with the operations over time, and the complete pairs of a duet.
func (s *Step) ReadOverTime() Reading {
	r := s.Read()
	if d := s.duet.Load(); d != nil && r.Started && r.Duet == nil {
		// Clients add a slice's time in the next slice, so the last pair is incomplete.
		r.Duet = d.slices(&r, max(min(int64(r.Elapsed/(2*d.length)), mostSlices/2)-1, 0))
	}
	for i := range r.Ops {
		if r.Ops[i].Variant == NoVariant {
			r.Ops[i].OverTime = s.slots.read(r.Ops[i].Op, false, r.Elapsed)
		}
	}

	return r
}

type allTotals []*Totals

func (a *allTotals) add(c *Client, duet bool) {
	for _, rec := range c.kinds() {
		if !duet {
			a.of(NoVariant, rec.op).add(&rec.opCounts)

			continue
		}
		a.of(Base, rec.op).add(&rec.opCounts)
		if change := rec.change.Load(); change != nil {
			a.of(Change, rec.op).add(change)
		}
	}
}

// addKinds adds the shared buckets, after all clients.
func (a *allTotals) addKinds(s *Step, duet bool) {
	for _, k := range s.allKinds() {
		variant := NoVariant
		switch {
		case k.change:
			variant = Change
		case duet:
			variant = Base
		}
		a.of(variant, k.op).addKind(k)
	}
}

func (a *allTotals) of(variant Variant, op string) *Totals {
	for _, t := range *a {
		if t.Op == op && t.Variant == variant {
			return t
		}
	}
	t := &Totals{Op: op, Variant: variant}
	*a = append(*a, t)

	return t
}

// named sorts the totals. It clears the default name of operations if all have it.
func (a allTotals) named() (ops []Totals) {
	nonEmpty := map[string]bool{}
	for _, t := range a {
		nonEmpty[t.Op] = nonEmpty[t.Op] || !t.Empty()
	}
	none := !slices.Contains(slices.Collect(maps.Values(nonEmpty)), true)
	slices.SortFunc(a, func(x, y *Totals) int {
		return cmp.Or(cmp.Compare(x.Variant, y.Variant), cmp.Compare(x.Op, y.Op))
	})
	for _, t := range a {
		if none || nonEmpty[t.Op] {
			foldRarest(t.Errors)
			ops = append(ops, *t)
		}
	}

	return ops
}

func (r *Reading) operations() (n uint64) {
	for i := range r.Ops {
		n += uint64(r.Ops[i].Durations.Count) + r.Ops[i].Failed
	}

	return n
}

func (r *Reading) median() time.Duration {
	var all Distribution
	for i := range r.Ops {
		all.Merge(&r.Ops[i].Durations)
	}

	return all.Quantile(0.5)
}

// slowest returns the longest median of any operation.
func (r *Reading) slowest() (median time.Duration) {
	for i := range r.Ops {
		median = max(median, r.Ops[i].Durations.Quantile(0.5))
	}

	return median
}

// NeedOperations marks a step with a duration as too short if fewer than LeastOperations ended in
// it. Such figures show when the clients began, not the server. A step with a number of operations
// is never too short.
func (r *Reading) NeedOperations(ended uint64) {
	if r.Complete && r.Window > 0 && ended < LeastOperations {
		r.Complete, r.TooShort = false, &ended
	}
}

// Join adds the reading that directly follows this one.
func (r *Reading) Join(next *Reading) {
	r.Elapsed += next.Elapsed
	r.ClientWait.Merge(&next.ClientWait)
	r.Requests.Merge(&next.Requests)
	for i := range next.Ops {
		t := r.Op(next.Ops[i].Op)
		if t == nil {
			r.Ops = append(r.Ops, Totals{Op: next.Ops[i].Op})
			t = &r.Ops[len(r.Ops)-1]
		}
		t.join(&next.Ops[i])
	}
	slices.SortFunc(r.Ops, func(a, b Totals) int { return cmp.Compare(a.Op, b.Op) })
}

func (r *Reading) readOpenLoop(s *Step) {
	if r.Complete {
		r.Elapsed = max(r.Elapsed, s.plan.Duration) // the last operations are due before the end
	}
	r.OpenLoop, r.Unstarted = s.schedule.read(r.Elapsed, r.median())
	r.Complete = r.Complete && r.Unstarted == 0 && !r.OpenLoop.overloaded(s.plan.Duration)
}

func (r *Reading) readParts(s *Step) {
	if s.plan.windowed() {
		r.Window = r.Elapsed
		if end := s.windowEnd.Load(); r.Started && end != notKnownYet {
			r.Window = min(time.Duration(end)-s.line.openedAt, r.Elapsed)
		}
	} else if first := time.Duration(s.marked.Load()); first != 0 && r.Started {
		r.AllAtWork = max(first-s.line.openedAt, 0)
	}
}

func (s *Step) readClients(r *Reading) {
	for _, c := range s.clients {
		started, ended := time.Duration(c.started.Load()), time.Duration(c.ended.Load())
		if started == 0 {
			continue
		}
		var operations int64
		for _, rec := range c.kinds() {
			operations += rec.durations.number.Load()
		}
		r.ClientTimes.Record(max(ended-started, 0))
		r.ClientOps.Record(time.Duration(operations))
	}
}

// MostFrequent returns the texts by descending count.
func MostFrequent(counts map[string]uint64) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
}

// foldRarest merges all but the most frequent error texts into otherErrors, to limit the size of
// reports.
func foldRarest(errors map[string]uint64) {
	texts := slices.DeleteFunc(MostFrequent(errors), func(text string) bool { return text == otherErrors })
	for _, text := range texts[min(maxMessages, len(texts)):] {
		errors[otherErrors] += errors[text]
		delete(errors, text)
	}
}

// elapsed returns the time from the start line to now, or to the last client's end.
func (s *Step) elapsed(ended int, last time.Duration) time.Duration {
	if !s.line.isOpen() {
		return 0
	}
	if ended < len(s.clients) {
		last = now()
	}

	return max(last-s.line.openedAt, 0)
}

// WithTotals returns the reading with one more operation for each variant with several, named op:
// their sum, without texts of errors.
func (r *Reading) WithTotals(op string) *Reading {
	all := *r
	all.Ops = slices.Clone(r.Ops)
	for first := range r.Ops {
		sum, kinds := Totals{Op: op, Variant: r.Ops[first].Variant, Time: r.Ops[first].Time}, 0
		for i := range r.Ops {
			t := &r.Ops[i]
			if t.Variant != sum.Variant {
				continue
			}
			if i < first { // its variant has its total already
				break
			}
			kinds++
			sum.Durations.Merge(&t.Durations)
			sum.Failed += t.Failed
			sum.Rows += t.Rows
			sum.BytesSent += t.BytesSent
			sum.BytesReceived += t.BytesReceived
		}
		if kinds > 1 {
			all.Ops = append(all.Ops, sum)
		}
	}

	return &all
}

// Op returns an operation's totals outside duets, or nil.
func (r *Reading) Op(name string) *Totals { return r.Of(NoVariant, name) }

// Of returns the totals of a variant's operation, or nil.
func (r *Reading) Of(variant Variant, name string) *Totals {
	for i := range r.Ops {
		if t := &r.Ops[i]; t.Op == name && t.Variant == variant {
			return t
		}
	}

	return nil
}
