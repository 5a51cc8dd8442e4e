package measure

import "time"

// Series counts the operations of one kind that somebody else has timed, such as by k6's samples.
// It grows with what it has seen, as a client's histograms do. It is not safe for use by several
// goroutines at once.
type Series struct {
	op     string
	window time.Duration

	ok, failed histogram
	within     int64
	// totals has the failures and their reasons; the durations are added when it is read.
	totals Totals
	over   *growingSlots
}

// NewSeries returns a series of operations named op. Operations that end within the window count
// for ops/s; zero: all do. overTime keeps what was done over time as well.
func NewSeries(op string, window time.Duration, overTime bool) *Series {
	s := &Series{op: op, window: window}
	if overTime {
		s.over = &growingSlots{width: ShortestSlot}
	}

	return s
}

// Ok counts an operation that has succeeded, and ended at a time after the start line.
func (s *Series) Ok(at, took time.Duration) {
	s.ok.record(took)
	if s.window == 0 || at <= s.window {
		s.within++
	}
	if s.over != nil {
		s.over.begin(at)
		s.over.took.Record(took)
	}
}

// Fail counts an operation that has failed. Below zero, how long it took is not known.
func (s *Series) Fail(at, took time.Duration, why string) {
	if took >= 0 {
		s.failed.record(took)
	}
	s.totals.Failed++
	s.totals.AddError(why)
	if s.over != nil {
		s.over.begin(at)
		s.over.failed++
	}
}

// Ended returns how many operations have ended.
func (s *Series) Ended() uint64 { return uint64(s.ok.number.Load()) + s.totals.Failed }

// Absorb counts what another series has counted. What that did over time is lost.
func (s *Series) Absorb(other *Series) {
	s.ok.merge(&other.ok)
	s.failed.merge(&other.failed)
	s.within += other.within
	s.over = nil
	s.totals.join(&other.totals)
}

// Totals returns what the series has counted in a step that took elapsed.
func (s *Series) Totals(elapsed time.Duration) Totals {
	t := s.totals
	t.Op, t.Within = s.op, s.within
	t.Durations.add(&s.ok)
	t.Failures.add(&s.failed)
	if s.over != nil {
		s.over.close()
		o := &OverTime{Width: s.over.width, Slots: s.over.slots}
		t.OverTime = MergeOverTime([]PartOverTime{{OverTime: o}}, elapsed)
	}

	return t
}

// Bytes returns about how much memory the series takes.
func (s *Series) Bytes() int {
	const itself = 1500
	n := itself + s.ok.bytes() + s.failed.bytes()
	if s.over != nil {
		n += s.over.bytes()
	}

	return n
}

// merge adds what another histogram counts. Nobody may write to either meanwhile.
func (h *histogram) merge(other *histogram) {
	number, sum := other.number.Load(), other.sum.Load()
	if number == 0 {
		return
	}
	if shortest := other.min.Load(); h.number.Load() == 0 || shortest < h.min.Load() {
		h.min.Store(shortest)
	}
	h.max.Store(max(h.max.Load(), other.max.Load()))
	h.number.Add(number)
	h.sum.Add(sum)
	other.pages(func(first int, p *page) {
		at := grown(&grown(&h.octaves[first/half])[first%half/pageSize])
		for i := range p {
			at[i].Add(p[i].Load())
		}
	})
}

// bytes is how much memory the buckets take.
func (b *buckets) bytes() int {
	const octaveSize, pageBytes = 8 * half / pageSize, 8 * pageSize
	n := octaves * 8
	for i := range b.octaves {
		if b.octaves[i].Load() != nil {
			n += octaveSize
		}
	}
	b.pages(func(int, *page) { n += pageBytes })

	return n
}

// growingSlots are what a series did over time, where nobody has to wait: times come about in their
// order, and one that is late counts to the slot under way.
type growingSlots struct {
	width  time.Duration
	at     int // the slot under way
	took   Coarse
	failed uint64
	slots  []Slot // those before it, as far as there were operations
}

// begin begins the slot of a time, where that is a later one.
func (g *growingSlots) begin(at time.Duration) {
	if int(at/g.width) <= g.at {
		return
	}
	g.close()
	for int(at/g.width) >= MostSlots {
		g.slots, g.width = fold(g.slots), 2*g.width
	}
	g.at = int(at / g.width)
}

// close moves what was counted to the slot under way.
func (g *growingSlots) close() {
	slot := NewSlot(g.failed, &g.took)
	g.failed = 0
	if slot.Failed == 0 && len(slot.counts) == 0 {
		return
	}
	g.slots = append(g.slots, make([]Slot, max(g.at+1-len(g.slots), 0))...)
	g.slots[g.at] = g.slots[g.at].plus(slot)
}

func (g *growingSlots) bytes() int {
	const itself, each = 4000, 32
	n := itself
	for i := range g.slots {
		n += each + len(g.slots[i].counts)
	}

	return n
}
