package measure

import "time"

// Series counts operations that others have timed, such as k6's samples. Its memory does not grow
// with their number. It is not safe for concurrent use.
type Series struct {
	op     string
	window time.Duration

	ok, failed histogram
	within     int64
	// totals has the failures; Totals adds the durations.
	totals Totals
	over   *growingSlots
}

// NewSeries returns a series for an operation name. Only operations that end within window count
// for ops/s; 0 means all. overTime also records operations over time.
func NewSeries(op string, window time.Duration, overTime bool) *Series {
	s := &Series{op: op, window: window}
	if overTime {
		s.over = &growingSlots{width: ShortestSlot}
	}

	return s
}

// Ok counts a successful operation that ended at a time after the start line.
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

// Fail counts a failed operation. A negative duration is unknown.
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

// Ended returns the number of finished operations.
func (s *Series) Ended() uint64 { return uint64(s.ok.number.Load()) + s.totals.Failed }

// Absorb adds another series, without its operations over time.
func (s *Series) Absorb(other *Series) {
	s.ok.merge(&other.ok)
	s.failed.merge(&other.failed)
	s.within += other.within
	s.over = nil
	s.totals.join(&other.totals)
}

// Totals returns the series' figures in a step that took elapsed.
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

// Bytes returns the approximate memory of the series.
func (s *Series) Bytes() int {
	const itself = 1500
	n := itself + s.ok.bytes() + s.failed.bytes()
	if s.over != nil {
		n += s.over.bytes()
	}

	return n
}

// merge adds another histogram. No goroutine may write to either.
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

// growingSlots records operations over time without concurrency. A time out of order counts in the
// current slot.
type growingSlots struct {
	width  time.Duration
	at     int
	took   Coarse
	failed uint64
	slots  []Slot // earlier slots with operations
}

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
