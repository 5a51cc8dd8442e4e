package measure

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/splitmix"
)

// Variant is the one of a duet that an operation is of.
type Variant string

// The variants of a duet.
const (
	// NoVariant is that of operations in a step that is no duet.
	NoVariant Variant = ""
	// Base is what the change stands beside.
	Base Variant = "base"
	// Change is what is judged.
	Change Variant = "change"
)

// The length of a slice, and what it is chosen from.
const (
	// shortestSlice is so short that little of what disturbs a machine begins or ends within a
	// pair: that is most of what is left of it in the ratio of the two. Beside a neighbour that
	// takes a processor half of the time, pairs of 10 ms know the ratio of a run twice as well as
	// pairs of 80 ms. Shorter ones win nothing more, and more of their operations end beside those
	// of the other variant.
	shortestSlice = 5 * time.Millisecond
	longestSlice  = 500 * time.Millisecond
	// sliceMeans and sliceP99s are how many operations of the mean duration, and of the 99th
	// percentile, a slice is to hold one after another, as far as the longest slice allows. With
	// half as many, the interval beside a neighbour is a fifth narrower, and the change that it
	// shows a sixth smaller: more of the operations end beside those of the other variant.
	sliceMeans = 10
	sliceP99s  = 2
	// goodPairs is how many pairs there are to be: a step of a short time has shorter slices.
	goodPairs = 20
	// leastMeans is how many mean durations a slice holds whatever its length is.
	leastMeans = 5
	// mostSlices is how many slices a run counts apart. A longer one begins again with the first.
	mostSlices = slicePages * slicePageSize
	slicePages = 256
	// slicePageSize is the unit of growth.
	slicePageSize = 64
	// warmTurn is how long a call of the warm-up that does many operations lasts.
	warmTurn = 25 * time.Millisecond
	// leastWarm is how many calls of each variant come before the start line, at least. The first
	// may connect: it says nothing of how long an operation takes.
	leastWarm = 2
)

// ErrMixedDuet is why a step is none that can be measured: some of its clients take turns between
// two variants, and others do not.
var ErrMixedDuet = errors.New("some clients of the step take turns between base and change, and others do not")

// duet is a step whose clients take turns between two variants, all at the same times: the measured
// phase is cut into slices of one length, two of them are a pair, and a pair has each variant once,
// in an order of chance.
type duet struct {
	step *Step
	seed uint32

	// began and length are those of the slices, once the start line is open.
	began, length time.Duration
	// last is how many slices there are; zero: as many as there is time for.
	last int64

	// pieces are the durations of the warm-up's operations, of both variants.
	pieces Coarse

	// busy is for how long clients were at work in each slice, ns, all of them together.
	busy busyTimes

	mu     sync.Mutex // guards series
	series map[string]*series
}

// busyTimes are those of all slices; pages are made on demand.
type busyTimes [slicePages]atomic.Pointer[[slicePageSize]atomic.Int64]

func (b *busyTimes) add(slice int64, d time.Duration) {
	i := slice % mostSlices
	grown(&b[i/slicePageSize])[i%slicePageSize].Add(int64(d))
}

func (b *busyTimes) of(slice int64) time.Duration {
	i := slice % mostSlices
	page := b[i/slicePageSize].Load()
	if page == nil {
		return 0
	}

	return time.Duration(page[i%slicePageSize].Load())
}

// series are the durations of one kind of operation in each slice; pages are made on demand.
type series struct {
	pages   [slicePages]atomic.Pointer[[slicePageSize]Coarse]
	crossed atomic.Uint64
}

func (s *series) record(slice int64, d time.Duration) {
	i := slice % mostSlices
	grown(&s.pages[i/slicePageSize])[i%slicePageSize].Record(d)
}

// of is what was recorded in a slice; nil: nothing.
func (s *series) of(slice int64) *Coarse {
	i := slice % mostSlices
	page := s.pages[i/slicePageSize].Load()
	if page == nil {
		return nil
	}

	return &page[i%slicePageSize]
}

// variant is the one of a slice. The order in a pair is that of a bit of chance.
func (d *duet) variant(slice int64) Variant {
	slice %= mostSlices
	if splitmix.Mix(uint64(d.seed)<<32^uint64(slice/2))&1 == uint64(slice&1) {
		return Base
	}

	return Change
}

// slice is the one at a time of the measured phase. What is left of it after the last slice, as
// their length is rounded, is of that one.
func (d *duet) slice(at time.Duration) int64 {
	slice := int64((at - d.began) / d.length)
	if d.last != 0 {
		slice = min(slice, d.last-1)
	}

	return slice
}

// begin chooses the slices at the start line.
func (d *duet) begin(at time.Duration) {
	d.began = at
	d.length = sliceOf(&d.pieces)
	if whole := d.step.plan.Duration; whole > 0 && d.step.plan.windowed() {
		d.length = max(min(d.length, whole/(2*goodPairs)), leastMeans*d.pieces.Mean(), shortestSlice)
		pairs := max(int64(math.Round(float64(whole)/float64(2*d.length))), 1)
		d.length, d.last = whole/time.Duration(2*pairs), 2*pairs
	}
}

// sliceOf is the length of the slices for operations of these durations.
func sliceOf(pieces *Coarse) time.Duration {
	mean := pieces.Mean()
	length := max(sliceMeans*mean, sliceP99s*pieces.Quantile(0.99), shortestSlice)

	return max(min(length, longestSlice), leastMeans*mean)
}

// asDuet makes the step a duet, before its clients are connected.
func (s *Step) asDuet() (*duet, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.duet.Load() == nil {
		if s.solo {
			return nil, ErrMixedDuet
		}
		s.duet.Store(&duet{step: s, seed: s.plan.Seed, series: map[string]*series{}})
	}

	return s.duet.Load(), nil
}

// IsDuet tells whether the clients of the step take turns between two variants.
func (s *Step) IsDuet() bool { return s.duet.Load() != nil }

// asSolo makes the step one that is no duet.
func (s *Step) asSolo() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.solo = true
	if s.duet.Load() != nil {
		return ErrMixedDuet
	}

	return nil
}

// of returns what is counted of one kind of operation.
func (d *duet) of(op string) *series {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.series[op]
	if s == nil {
		s = &series{}
		d.series[op] = s
	}

	return s
}

// turns are where a client stands in a duet.
type turns struct {
	*duet

	variant Variant
	// slice is the one in which the current call began or, in an open loop, was due; -1: none.
	slice int64
	// until is when the slice is over, or the turn of the warm-up.
	until time.Duration
	// from is when the client's first call in the slice began, and end when the last of those that
	// began in it ended.
	from, end time.Duration

	// began is when the current call did.
	began time.Duration
	// asked are the variants whose calls have asked whether they have to return: these do many
	// operations.
	asked struct{ base, change bool }
	// calls counts those of the warm-up.
	calls int
}

// enter says that a call begins.
func (t *turns) enter(c *Client, begin time.Duration) {
	t.began = begin
	if !c.measuring {
		t.variant, t.until = Base, begin+warmTurn
		if (t.calls+c.index)%2 == 1 {
			t.variant = Change
		}

		return
	}
	slice := t.duet.slice(begin - c.late)
	if slice == t.slice {
		return
	}
	t.flush()
	t.slice, t.from, t.end = slice, begin, begin
	t.variant, t.until = t.duet.variant(slice), t.duet.began+time.Duration(slice+1)*t.length
}

// leave says that the call has ended.
func (t *turns) leave(c *Client, end time.Duration) {
	if !c.measuring {
		if !*t.batches() {
			t.warm(end - t.began)
		}
		t.calls++

		return
	}
	t.worked(end)
}

// worked takes until when the client was at work for the variant: what began in its slice is its
// own, whenever that ends. It tells whether the slice was over before.
func (t *turns) worked(until time.Duration) (crossed bool) {
	t.end = until

	return until > t.until
}

// warm takes how long a call, or one of its operations, took before the start line. The first call
// of a variant may connect.
func (t *turns) warm(took time.Duration) {
	if t.calls >= 2 {
		t.pieces.Record(took)
	}
}

// flush adds up the time that the client was at work for the slice.
func (t *turns) flush() {
	if t.slice >= 0 && t.end > t.from {
		t.busy.add(t.slice, t.end-t.from)
	}
	t.slice = -1
}

// over tells a call that does many operations that its turn is.
func (t *turns) over() bool {
	*t.batches() = true

	return now() >= t.until
}

// batches tells whether calls of the variant do many operations.
func (t *turns) batches() *bool {
	if t.variant == Change {
		return &t.asked.change
	}

	return &t.asked.base
}

// warmed tells whether the client has done enough of both variants before the start line.
func (t *turns) warmed() bool { return t == nil || t.calls >= 2*leastWarm }

// RunDuet does the client's part of a step as Run does, in which all clients take turns between two
// variants: all of them change over at the same times. An operation belongs to the variant that
// began it, with all of its time, also when it ends in a later slice: were it left out, what is
// slow would be left out more often, and a server that stands still would look as fast as before.
// Before the start line, each client calls each variant a few times, whatever the plan says.
//
// A call that does many operations has to return when Enough says so.
func (c *Client) RunDuet(ctx context.Context, op string, warm func(), base, change func() error) error {
	d, err := c.step.asDuet()
	if err != nil {
		c.Leave()

		return err
	}
	c.mu.Lock()
	if c.turns == nil {
		c.turns = &turns{duet: d, slice: -1}
		for _, r := range c.recorders {
			r.join(d)
		}
	}
	c.mu.Unlock()

	return c.run(ctx, op, warm, func() error {
		if c.turns.variant == Change {
			return change()
		}

		return base()
	})
}

// EachTurn calls fn at each border of slices, with the variant whose slice begins, until the step
// has ended. Who calls it is late at times: then onTime is false, and where whole slices have gone
// by, fn is not called for them. In a step that is no duet it returns when the start line opens.
func (s *Step) EachTurn(ended <-chan struct{}, fn func(variant Variant, onTime bool)) {
	select {
	case <-s.line.open:
	case <-ended:
		return
	}
	d := s.duet.Load()
	if d == nil {
		return
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for slice := int64(0); d.last == 0 || slice <= d.last; slice++ {
		slice = max(slice, int64((now()-d.began)/d.length))
		due := d.began + time.Duration(slice)*d.length
		timer.Reset(due - now())
		select {
		case <-timer.C:
		case <-ended:
			return
		}
		fn(d.variant(slice), now()-due < d.length/onTime)
	}
}

// onTime is the part of a slice within which a border is seen in time.
const onTime = 10
