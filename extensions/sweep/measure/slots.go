package measure

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
)

// What a step did over time is kept in slots of equal length from its start line on. When there are
// as many as MostSlots, each two become one, and slots are twice as long from then on: a step of
// three seconds or more has 150 to 300.
const (
	// MostSlots is how many slots a step has at most.
	MostSlots = 300
	// ShortestSlot is how long the slots of a short step are.
	ShortestSlot = 10 * time.Millisecond

	// timerPause is for how long the timer leaves slots to the clients, at least: it wakes a
	// processor that may be idle.
	timerPause = 50 * time.Millisecond
	// mostKinds is of how many kinds of operations a step keeps what they did over time.
	mostKinds = 16
	// mostPacked is how many bytes the slots of a step may take. Beyond that, each two become one.
	mostPacked = 3 << 20
)

// slots keeps what the clients of a step did over time, as the difference of what each kind of
// operation has at the ends of a slot: an operation takes no part in it. The first client that sees
// that the slot is over adds it to a list; while all clients wait, a timer does, now and then.
type slots struct {
	// next is when clients have to look again: the slot under way is over, or nothing has ended for
	// a while. Before the start line that is never.
	next atomic.Int64

	mu    sync.Mutex // guards what follows; a client that finds it taken goes on, but after a stall
	start time.Duration
	width time.Duration
	at    int // the slot under way
	kinds []*overTime
	now   [coarseCounters]uint64
	timer *time.Timer
	ended bool

	standstills
}

// overTime is what one kind of operation did over time, as it is counted; in a duet, what one
// variant did of it.
type overTime struct {
	*kind

	// before is what the kind had when the slot under way began.
	before  [coarseCounters]uint64
	failed  atomic.Uint64
	slowest slowest
	slots   []Slot // those before the one under way, as far as there were operations
}

func newSlots() *slots {
	s := &slots{width: ShortestSlot}
	s.next.Store(math.MaxInt64)

	return s
}

// keep returns where operations of a kind are kept; nil: it is one too many.
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

// open begins the first slot, of which each is so long at first.
func (s *slots) open(at, width time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.start, s.width = at, width
	s.begin(at)
	s.lookAgain()
	s.timer = time.AfterFunc(s.width, func() {
		defer crash.Contain("what keeps a step's slots")
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.ended {
			s.roll(now())
			s.timer.Reset(max(s.end()-now(), timerPause))
		}
	})
}

// close says that all clients have ended.
func (s *slots) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	s.next.Store(math.MaxInt64)
	if s.timer != nil {
		s.timer.Stop()
	}
}

// tick says that an operation has ended.
func (s *slots) tick(at time.Duration) {
	late := int64(at) - s.next.Load()
	if late < 0 {
		return
	}
	if !s.mu.TryLock() {
		if late < int64(ShortestSlot) {
			return
		}
		s.mu.Lock() // nobody looked for a while: what this client has to count is not of that slot
	}
	defer s.mu.Unlock()
	if int64(at) >= s.next.Load() {
		s.went(at)
		s.roll(at)
	}
}

// roll ends the slot under way when it is over.
func (s *slots) roll(at time.Duration) {
	if at >= s.end() {
		s.empty()
		for s.at = s.after(at); s.at >= MostSlots; s.at = s.after(at) {
			s.fold()
		}
	}
	s.lookAgain()
}

// end is when the slot under way is over.
func (s *slots) end() time.Duration { return s.start + time.Duration(s.at+1)*s.width }

// lookAgain says when that is to be done.
func (s *slots) lookAgain() { s.next.Store(int64(min(s.end(), s.last+beat))) }

// after is the slot at a time.
func (s *slots) after(at time.Duration) int { return int((at - s.start) / s.width) }

// empty moves what was counted to the slot under way.
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

// took is what a kind of operation has that it did not have when the slot under way began, packed.
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

// fold makes each two slots one.
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

// read returns what a kind of operation did over time in a step that took elapsed; nil when that
// was not kept. It may be called at any time.
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

// OverTime is what a kind of operation did over time in a step.
type OverTime struct {
	// Width is how long a slot is. The last one ends with the step: it is half as long at least,
	// and one and a half times as long at most.
	Width time.Duration
	// Slots are in their order, from the start line on.
	Slots []Slot
	// Slowest are the slowest successful operations, the slowest first.
	Slowest []Slow
	// Turns are of a variant in a duet: for how long its clients were at work in each slot, on
	// average. A slot is there as long as some pairs of slices. Nil in other steps.
	Turns []time.Duration
}

// fit makes the slots those of a step that took elapsed: none is left out, and none is very short.
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

// SlotsOf is how many slots of a width a step has that took elapsed.
func SlotsOf(elapsed, width time.Duration) int { return max(int((elapsed+width/2)/width), 1) }

// wideEnough is a width, doubled until a step that took elapsed has no more than MostSlots of it.
func wideEnough(width, elapsed time.Duration) time.Duration {
	for SlotsOf(elapsed, width) > MostSlots {
		width *= 2
	}

	return width
}

// PartOverTime is what one part of a step did over time, where several machines have clients in it.
type PartOverTime struct {
	*OverTime

	// Began is when the part began, after the first one.
	Began time.Duration
	// FirstClient is the place of its first client among those of the whole step.
	FirstClient int
}

// MergeOverTime puts the parts of a step that took elapsed on one time, to the nearest slot; nil
// when there are none.
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

// Length is how long slot i of a step that took elapsed is.
func (o *OverTime) Length(i int, elapsed time.Duration) time.Duration {
	if i < len(o.Slots)-1 {
		return o.Width
	}

	return elapsed - time.Duration(i)*o.Width
}

// Work is for how long operations were done in slot i of a step that took elapsed.
func (o *OverTime) Work(i int, elapsed time.Duration) time.Duration {
	if o.Turns != nil {
		return o.Turns[i]
	}

	return o.Length(i, elapsed)
}

// Slot is what a kind of operation did in a part of a step's time: what ended in it.
type Slot struct {
	// Failed are failed operations.
	Failed uint64
	// counts are the counters of a coarse histogram that are not zero: how many are between one and
	// the next, and what it counts.
	counts []byte
}

// NewSlot takes all durations of successful operations out of a histogram.
func NewSlot(failed uint64, took *Coarse) Slot {
	slot := Slot{Failed: failed, counts: packCounters(took.each)}
	took.sum.Store(0)
	took.each(func(i int, _ uint64) { took.counter(i).Store(0) })

	return slot
}

// packCounters writes counters, which each goes through in their order, in few bytes.
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

// each calls fn for all counters that are not zero, in the order of their durations.
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

// plus returns both together.
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

// Count is how many operations succeeded.
func (s *Slot) Count() int64 {
	var count uint64
	s.each(func(_ int, n uint64) { count += n })

	return int64(count)
}

// Quantile is the smallest duration that at least the part q (0 to 1) of the successful operations
// did not exceed, as far as the counters tell; zero when there is none.
func (s *Slot) Quantile(q float64) time.Duration { return coarseQuantile(s.each, s.Count(), q) }

// Each calls fn with the range of durations and the number of operations of each counter that is
// not zero, the shortest first.
func (s *Slot) Each(fn func(from, to time.Duration, n uint64)) {
	s.each(func(i int, n uint64) { fn(coarseLowest(i), coarseLowest(i+1), n) })
}
