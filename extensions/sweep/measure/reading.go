package measure

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// LeastOperations is how many operations a rate, an average or a step with a time has to rest on.
const LeastOperations = 10

// Reading is what a step has come to so far. It may be taken at any time, by any goroutine.
type Reading struct {
	Started   bool          // the start line was opened
	StartedOn time.Time     // when it was, by the wall clock; zero: not yet
	Elapsed   time.Duration // since the start line; up to the last client's end once all have ended
	Ended     int           // clients that have ended

	// Window is the time for which operations were asked for, as far as it has passed; zero when a
	// number was.
	Window time.Duration
	// AllAtWork is how long all clients were at work, up to the first one's end, where there is no
	// window. It is zero before.
	AllAtWork time.Duration

	// Ops are by kind of operation, in the order of their names; in a duet, those of base come
	// before those of change.
	Ops []Totals
	// Duet is how the variants of a duet took turns; else nil.
	Duet *Turns

	// Counters are of all kinds of operations together.
	Counters Counters

	// Complete tells that all clients have done their whole share, and that it can be measured.
	Complete bool
	// TooShort is of a step with a time that is not complete because too few operations ended in
	// it: how many, of all kinds together; else nil.
	TooShort *uint64

	Unstarted uint64    // operations of an open-loop step that are due, but that no client has come to yet
	OpenLoop  *OpenLoop // how an open-loop step kept its rate; else nil

	// Standstill is how long the step stood still; nil where it has not begun, or nobody knows.
	Standstill *Standstill

	// ClientWait is from when the machine had an answer to when its client read it. It is of some
	// answers, of clients that take turns at event loops; empty where there are none.
	ClientWait Distribution

	// Of the clients that started, once all have ended. Empty before.
	ClientTimes Distribution // from the start of a client's first operation to the end of its last one
	ClientOps   Distribution // how many successful operations a client did
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

// ReadOverTime takes a reading that tells what the operations did over time so far; of a duet, how
// its variants took turns.
func (s *Step) ReadOverTime() Reading {
	r := s.Read()
	if d := s.duet.Load(); d != nil && r.Started && r.Duet == nil {
		// Clients add up a slice when they are in the next one: the last pair is not whole yet.
		r.Duet = d.turns(&r, max(min(int64(r.Elapsed/(2*d.length)), mostSlices/2)-1, 0))
	}
	for i := range r.Ops {
		if r.Ops[i].Variant == NoVariant {
			r.Ops[i].OverTime = s.slots.read(r.Ops[i].Op, false, r.Elapsed)
		}
	}

	return r
}

// allTotals are those of all kinds of operations, in the order in which clients began them.
type allTotals []*Totals

// add adds what a client did; in a duet, each variant has its own.
func (a *allTotals) add(c *Client, duet bool) {
	for _, rec := range c.kinds() {
		if !duet {
			a.of(NoVariant, rec.op).add(&rec.tally)

			continue
		}
		a.of(Base, rec.op).add(&rec.tally)
		if change := rec.change.Load(); change != nil {
			a.of(Change, rec.op).add(change)
		}
	}
}

// addKinds adds what clients have in common. It comes after all clients.
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

// of returns those of a variant's kind of operation.
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

// named are the totals in their order, without the name of the operations that nobody named, where
// all have names.
func (a allTotals) named() (ops []Totals) {
	happened := map[string]bool{}
	for _, t := range a {
		happened[t.Op] = happened[t.Op] || !t.Empty()
	}
	none := !slices.Contains(slices.Collect(maps.Values(happened)), true)
	slices.SortFunc(a, func(x, y *Totals) int {
		return cmp.Or(cmp.Compare(x.Variant, y.Variant), cmp.Compare(x.Op, y.Op))
	})
	for _, t := range a {
		if none || happened[t.Op] {
			foldRarest(t.Errors)
			ops = append(ops, *t)
		}
	}

	return ops
}

// operations is how many operations have ended, of all kinds together, the failed ones as well.
func (r *Reading) operations() (n uint64) {
	for i := range r.Ops {
		n += uint64(r.Ops[i].Durations.Count) + r.Ops[i].Failed
	}

	return n
}

// median is that of all durations together.
func (r *Reading) median() time.Duration {
	var all Distribution
	for i := range r.Ops {
		all.Merge(&r.Ops[i].Durations)
	}

	return all.Quantile(0.5)
}

// slowest is the median of the kind of operations whose median is longest.
func (r *Reading) slowest() (median time.Duration) {
	for i := range r.Ops {
		median = max(median, r.Ops[i].Durations.Quantile(0.5))
	}

	return median
}

// NeedOperations takes a step with a time for too short when so few operations have ended in it
// that they show when the clients began, and nothing of the server. A number of operations is what
// somebody asked for: that step is complete however small the number is.
func (r *Reading) NeedOperations(ended uint64) {
	if r.Complete && r.Window > 0 && ended < LeastOperations {
		r.Complete, r.TooShort = false, &ended
	}
}

// Join adds what came directly after this reading.
func (r *Reading) Join(next *Reading) {
	r.Elapsed += next.Elapsed
	r.ClientWait.Merge(&next.ClientWait)
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

// readOpenLoop reads how an open-loop step has kept its rate.
func (r *Reading) readOpenLoop(s *Step) {
	if r.Complete {
		r.Elapsed = max(r.Elapsed, s.plan.Duration) // the last operations are due before its end
	}
	r.OpenLoop, r.Unstarted = s.schedule.read(r.Elapsed, r.median())
	r.Complete = r.Complete && r.Unstarted == 0 && !r.OpenLoop.overloaded(s.plan.Duration)
}

// readParts reads how long the parts of the step are within which operations count apart.
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

// readClients reads what each of the clients did that started.
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

// MostFrequent returns the texts in the order of their counts, the most frequent first.
func MostFrequent(counts map[string]uint64) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
}

// foldRarest counts all but the most frequent error texts under otherErrors: clients whose errors
// all differ, such as by a local port, would otherwise make a report of thousands of texts.
func foldRarest(errors map[string]uint64) {
	texts := slices.DeleteFunc(MostFrequent(errors), func(text string) bool { return text == otherErrors })
	for _, text := range texts[min(maxMessages, len(texts)):] {
		errors[otherErrors] += errors[text]
		delete(errors, text)
	}
}

// elapsed is the step time: from the start line to the last client's end, or to now while clients
// are at work.
func (s *Step) elapsed(ended int, last time.Duration) time.Duration {
	if !s.line.isOpen() {
		return 0
	}
	if ended < len(s.clients) {
		last = now()
	}

	return max(last-s.line.openedAt, 0)
}

// Op returns the totals of one kind of operation of a step that is no duet, or nil when there are
// none.
func (r *Reading) Op(name string) *Totals { return r.Of(NoVariant, name) }

// Of returns the totals of a variant's kind of operation, or nil when there are none.
func (r *Reading) Of(variant Variant, name string) *Totals {
	for i := range r.Ops {
		if t := &r.Ops[i]; t.Op == name && t.Variant == variant {
			return t
		}
	}

	return nil
}
