package measure

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A step is recorded over time in slots of equal length. When there are MostSlots, pairs of slots
// are merged and the length doubles. So a step of three seconds or more has 150 to 300.
const (
	// MostSlots is the maximum number of slots.
	MostSlots = 300
	// ShortestSlot is the initial length.
	ShortestSlot = 10 * time.Millisecond

	// timerPause is the minimum time between timer checks, which may wake an idle processor.
	timerPause = 50 * time.Millisecond
	// mostKinds limits the operation names recorded over time.
	mostKinds = 16
	// mostPacked limits the memory of slots in bytes; beyond it, pairs are merged.
	mostPacked = 3 << 20
)

// slots record over time by differences of the shared counters, so operations do no extra work. The
// first client that notices the end of a slot stores it; a timer does so while all clients wait.
type slots struct {
	// next is when clients must check again: at the end of the slot, or after a pause without
	// operations. Before the start line it is never.
	next atomic.Int64

	mu    sync.Mutex // guards the fields below; a client that cannot lock it continues, except after a stall
	start time.Duration
	width time.Duration
	at    int
	kinds []*overTime
	now   [coarseCounters]uint64
	timer *time.Timer
	ended bool

	standstills
}

// overTime records an operation over time; in a duet, one variant.
type overTime struct {
	*kind

	// before holds the counters at the start of the current slot.
	before  [coarseCounters]uint64
	failed  atomic.Uint64
	slowest slowest
	slots   []Slot // earlier slots with operations
}

func newSlots() *slots {
	s := &slots{width: ShortestSlot}
	s.next.Store(math.MaxInt64)

	return s
}

// keep returns the record of a kind, or nil beyond mostKinds.
func (s *slots) keep(of *kind) *overTime {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.kinds {
		if k.kind == of {
			return k
		}
	}
	if len(s.kinds) == mostKinds {
		return nil
	}
	k := &overTime{kind: of}
	k.slowest.floor.Store(-1)
	s.kinds = append(s.kinds, k)

	return k
}

func (s *slots) open(at, width time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.start, s.width = at, width
	s.begin(at)
	s.lookAgain()
	s.timer = time.AfterFunc(s.width, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.ended {
			s.roll(now())
			s.timer.Reset(max(s.end()-now(), timerPause))
		}
	})
}

func (s *slots) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	s.next.Store(math.MaxInt64)
	if s.timer != nil {
		s.timer.Stop()
	}
}

func (s *slots) tick(at time.Duration) {
	late := int64(at) - s.next.Load()
	if late < 0 {
		return
	}
	if !s.mu.TryLock() {
		if late < int64(ShortestSlot) {
			return
		}
		s.mu.Lock() // after a pause: first store the earlier slots
	}
	defer s.mu.Unlock()
	if int64(at) >= s.next.Load() {
		s.went(at)
		s.roll(at)
	}
}

func (s *slots) roll(at time.Duration) {
	if at >= s.end() {
		s.empty()
		for s.at = s.after(at); s.at >= MostSlots; s.at = s.after(at) {
			s.fold()
		}
	}
	s.lookAgain()
}

func (s *slots) end() time.Duration { return s.start + time.Duration(s.at+1)*s.width }

func (s *slots) lookAgain() { s.next.Store(int64(min(s.end(), s.last+beat))) }

func (s *slots) after(at time.Duration) int { return int((at - s.start) / s.width) }

func (s *slots) empty() {
	packed := 0
	for _, k := range s.kinds {
		failed := k.failed.Swap(0)
		slot := Slot{Failed: failed, counts: s.took(k)}
		if failed > 0 || len(slot.counts) > 0 {
			k.slots = append(k.slots, make([]Slot, max(s.at+1-len(k.slots), 0))...)
			k.slots[s.at] = k.slots[s.at].plus(slot)
		}
		for i := range k.slots {
			packed += len(k.slots[i].counts)
		}
	}
	if packed > mostPacked {
		s.fold()
		s.at /= 2
	}
}

// took returns what a kind has counted in the current slot, packed.
func (s *slots) took(k *overTime) []byte {
	clear(s.now[:])
	k.addTo(&s.now)
	packed := packCounters(func(fn func(i int, n uint64)) {
		for i, n := range s.now {
			if since := n - k.before[i]; since > 0 {
				fn(i, since)
			}
		}
	})
	k.before = s.now

	return packed
}

func (s *slots) fold() {
	s.width *= 2
	for _, k := range s.kinds {
		k.slots = fold(k.slots)
	}
}

func fold(all []Slot) []Slot {
	half := make([]Slot, 0, MostSlots/2+1)
	for pair := range slices.Chunk(all, 2) {
		one := pair[0]
		if len(pair) > 1 {
			one = one.plus(pair[1])
		}
		half = append(half, one)
	}

	return half
}

// read returns an operation over time in a step that took elapsed; nil if not recorded. Call it at
// any time.
func (s *slots) read(op string, change bool, elapsed time.Duration) *OverTime {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.kinds, func(k *overTime) bool { return k.op == op && k.change == change })
	if i < 0 || elapsed <= 0 {
		return nil
	}
	s.empty()
	o := &OverTime{Width: s.width, Slots: slices.Clone(s.kinds[i].slots), Slowest: s.kinds[i].slowest.read()}
	o.fit(elapsed)

	return o
}

// OverTime has the figures of an operation over time.
type OverTime struct {
	// Width is the length of a slot. The last one is 0.5 to 1.5 times as long.
	Width time.Duration
	// Slots start at the start line.
	Slots []Slot
	// Slowest holds the slowest successful operations in descending order.
	Slowest []Slow
	// Turns holds the average working time of a duet's clients for the variant in each slot; nil
	// outside duets.
	Turns []time.Duration
}

// fit adjusts the slots to a step that took elapsed.
func (o *OverTime) fit(elapsed time.Duration) {
	n := SlotsOf(elapsed, o.Width)
	for ; n > MostSlots; n = SlotsOf(elapsed, o.Width) {
		o.Width, o.Slots = 2*o.Width, fold(o.Slots)
	}
	for len(o.Slots) > n {
		last := len(o.Slots) - 1
		o.Slots[last-1] = o.Slots[last-1].plus(o.Slots[last])
		o.Slots = o.Slots[:last]
	}
	o.Slots = append(o.Slots, make([]Slot, n-len(o.Slots))...)
}

// SlotsOf returns the number of slots of a width in a step that took elapsed.
func SlotsOf(elapsed, width time.Duration) int { return max(int((elapsed+width/2)/width), 1) }

// wideEnough doubles a width until a step that took elapsed has at most MostSlots slots.
func wideEnough(width, elapsed time.Duration) time.Duration {
	for SlotsOf(elapsed, width) > MostSlots {
		width *= 2
	}

	return width
}

// PartOverTime is the part of one machine in a distributed step.
type PartOverTime struct {
	*OverTime

	// Began is the part's start relative to the first part.
	Began time.Duration
	// FirstClient is the index of its first client in the whole step.
	FirstClient int
}

// MergeOverTime aligns the parts of a step that took elapsed, to the nearest slot; nil without
// parts.
func MergeOverTime(parts []PartOverTime, elapsed time.Duration) *OverTime {
	if len(parts) == 0 {
		return nil
	}
	whole := &OverTime{Width: ShortestSlot}
	for _, p := range parts {
		whole.Width = max(whole.Width, p.Width)
	}
	whole.Width = wideEnough(whole.Width, elapsed)
	for _, p := range parts {
		slots := p.Slots
		for width := p.Width; width < whole.Width; width *= 2 {
			slots = fold(slots)
		}
		first := int((p.Began + whole.Width/2) / whole.Width)
		whole.Slots = append(whole.Slots, make([]Slot, max(first+len(slots)-len(whole.Slots), 0))...)
		for i, s := range slots {
			whole.Slots[first+i] = whole.Slots[first+i].plus(s)
		}
		for _, slow := range p.Slowest {
			slow.Began += p.Began
			slow.Client += p.FirstClient
			whole.Slowest = append(whole.Slowest, slow)
		}
	}
	whole.fit(elapsed)
	slices.SortStableFunc(whole.Slowest, func(a, b Slow) int { return cmp.Compare(b.Took, a.Took) })
	whole.Slowest = whole.Slowest[:min(len(whole.Slowest), MostSlowest)]

	return whole
}

// Length returns the length of slot i in a step that took elapsed.
func (o *OverTime) Length(i int, elapsed time.Duration) time.Duration {
	if i < len(o.Slots)-1 {
		return o.Width
	}

	return elapsed - time.Duration(i)*o.Width
}

// Work returns the time for operations in slot i of a step that took elapsed.
func (o *OverTime) Work(i int, elapsed time.Duration) time.Duration {
	if o.Turns != nil {
		return o.Turns[i]
	}

	return o.Length(i, elapsed)
}

// Slot counts the operations that ended in a slot.
type Slot struct {
	Failed uint64
	// counts encodes the non-zero counters of a coarse histogram: for each counter, its distance from
	// the previous one, and the count.
	counts []byte
}

// NewSlot moves all durations from a histogram into a slot.
func NewSlot(failed uint64, took *Coarse) Slot {
	slot := Slot{Failed: failed, counts: packCounters(took.each)}
	took.sum.Store(0)
	took.each(func(i int, _ uint64) { took.counter(i).Store(0) })

	return slot
}

func packCounters(each func(fn func(i int, n uint64))) []byte {
	var packed []byte
	last := -1
	each(func(i int, n uint64) {
		packed = binary.AppendUvarint(packed, uint64(i-last-1))
		packed = binary.AppendUvarint(packed, n)
		last = i
	})

	return packed
}

// each calls fn for all non-zero counters in ascending order.
func (s *Slot) each(fn func(i int, n uint64)) {
	last := -1
	for at := s.counts; len(at) > 0; {
		gap, size := binary.Uvarint(at)
		n, more := binary.Uvarint(at[size:])
		at = at[size+more:]
		last += int(gap) + 1
		fn(last, n)
	}
}

func (s Slot) plus(other Slot) Slot {
	if len(s.counts) > 0 && len(other.counts) > 0 {
		var both Coarse
		s.each(func(i int, n uint64) { both.counter(i).Add(n) })
		other.each(func(i int, n uint64) { both.counter(i).Add(n) })
		s.counts = packCounters(both.each)
	} else if len(s.counts) == 0 {
		s.counts = other.counts
	}
	s.Failed += other.Failed

	return s
}

// Count returns the number of successful operations.
func (s *Slot) Count() int64 {
	var count uint64
	s.each(func(_ int, n uint64) { count += n })

	return int64(count)
}

// Quantile returns the smallest duration that at least a share q (0 to 1) does not exceed, within
// the counters' resolution; 0 without operations.
func (s *Slot) Quantile(q float64) time.Duration { return coarseQuantile(s.each, s.Count(), q) }

// Each calls fn with the range and count of each non-zero counter in ascending order.
func (s *Slot) Each(fn func(from, to time.Duration, n uint64)) {
	s.each(func(i int, n uint64) { fn(coarseLowest(i), coarseLowest(i+1), n) })
}
