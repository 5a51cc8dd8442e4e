package measure

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// Variant is the variant of a duet that an operation belongs to.
type Variant string

// Variants of a duet.
const (
	// NoVariant is the variant outside duets.
	NoVariant Variant = ""
	// Base is the reference.
	Base Variant = "base"
	// Change is compared with Base.
	Change Variant = "change"
)

// Constants for the slice length.
const (
	// shortestSlice is short, so that few disturbances start or end within a pair of slices. With a
	// neighbour that uses a processor half of the time, pairs of 10 ms estimate the ratio twice as
	// precisely as pairs of 80 ms. Shorter slices gain nothing, and more operations overlap with
	// the other variant.
	shortestSlice = 5 * time.Millisecond
	longestSlice  = 500 * time.Millisecond
	// sliceMeans and sliceP99s are how many consecutive operations of the mean and of the 99th
	// percentile fit into a slice, within the limits. With half as many, the interval is a fifth
	// narrower, but the measured effect is a sixth smaller, because more operations overlap with
	// the other variant.
	sliceMeans = 10
	sliceP99s  = 2
	// goodPairs is the desired number of pairs; short steps use shorter slices.
	goodPairs = 20
	// leastMeans is the minimum slice length in mean durations.
	leastMeans = 5
	// mostSlices limits the slices that are kept. A longer run reuses them from the first.
	mostSlices = slicePages * slicePageSize
	slicePages = 256
	// slicePageSize slices are allocated together.
	slicePageSize = 64
	warmTurn      = 25 * time.Millisecond
	// leastWarm is the minimum number of warm-up calls per variant. The first may connect, so its
	// duration does not count.
	leastWarm = 2
)

// ErrMixedDuet is returned if some clients in a step run a duet and others do not.
var ErrMixedDuet = errors.New("some clients of the step take turns between base and change, and others do not")

// duet is the state of a step whose clients switch between two variants at the same times. The
// measured phase consists of slices of equal length; each pair of slices has both variants in
// random order.
type duet struct {
	step *Step
	seed uint32

	// began and length are set when the start line opens.
	began, length time.Duration
	last          int64

	// pieces are the durations of warm-up operations of both variants.
	pieces Coarse

	busy busyTimes

	mu     sync.Mutex
	series map[string]*series
}

// busyTimes is indexed by slice; pages are allocated on demand.
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

// series holds an operation's durations in each slice; pages are allocated on demand.
type series struct {
	pages   [slicePages]atomic.Pointer[[slicePageSize]Coarse]
	crossed atomic.Uint64
}

func (s *series) record(slice int64, d time.Duration) {
	i := slice % mostSlices
	grown(&s.pages[i/slicePageSize])[i%slicePageSize].Record(d)
}

// of returns the durations in a slice; may be nil.
func (s *series) of(slice int64) *Coarse {
	i := slice % mostSlices
	page := s.pages[i/slicePageSize].Load()
	if page == nil {
		return nil
	}

	return &page[i%slicePageSize]
}

// Scramble is SplitMix64's finaliser, a bijection that makes consecutive numbers look random.
func Scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb

	return x ^ x>>31
}

// variant returns a slice's variant. A random bit orders each pair.
func (d *duet) variant(slice int64) Variant {
	slice %= mostSlices
	if Scramble(uint64(d.seed)<<32^uint64(slice/2))&1 == uint64(slice&1) {
		return Base
	}

	return Change
}

// slice returns the index of the slice at a time. The last slice includes the rest of the phase.
func (d *duet) slice(at time.Duration) int64 {
	slice := int64((at - d.began) / d.length)
	if d.last != 0 {
		slice = min(slice, d.last-1)
	}

	return slice
}

// begin sets the slice length at the start line.
func (d *duet) begin(at time.Duration) {
	d.began = at
	d.length = sliceOf(&d.pieces)
	if whole := d.step.plan.Duration; whole > 0 && d.step.plan.windowed() {
		d.length = max(min(d.length, whole/(2*goodPairs)), leastMeans*d.pieces.Mean(), shortestSlice)
		pairs := max(int64(math.Round(float64(whole)/float64(2*d.length))), 1)
		d.length, d.last = whole/time.Duration(2*pairs), 2*pairs
	}
}

// sliceOf returns the slice length for operations with these durations.
func sliceOf(pieces *Coarse) time.Duration {
	mean := pieces.Mean()
	length := max(sliceMeans*mean, sliceP99s*pieces.Quantile(0.99), shortestSlice)

	return max(min(length, longestSlice), leastMeans*mean)
}

// asDuet makes the step a duet, before its clients connect.
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

// IsDuet reports whether the step is a duet.
func (s *Step) IsDuet() bool { return s.duet.Load() != nil }

func (s *Step) asSolo() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.solo = true
	if s.duet.Load() != nil {
		return ErrMixedDuet
	}

	return nil
}

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

// duetState is a client's state in a duet.
type duetState struct {
	*duet

	variant Variant
	// slice is the slice in which the current call began, or was due in an open loop; -1 for none.
	slice int64
	until time.Duration
	// from is the start of the client's first call in the slice, and end the end of its last one.
	from, end time.Duration

	began time.Duration
	// asked holds the variants whose calls have called Enough, because they do many operations.
	asked struct{ base, change bool }
	calls int
}

func (t *duetState) enter(c *Client, begin time.Duration) {
	t.began = begin
	if !c.measuring {
		t.variant, t.until = Base, begin+warmTurn
		if (t.calls+c.index)%2 == 1 {
			t.variant = Change
		}

		return
	}
	slice := t.duet.slice(begin - c.queueDelay)
	if slice == t.slice {
		return
	}
	t.flush()
	t.slice, t.from, t.end = slice, begin, begin
	t.variant, t.until = t.duet.variant(slice), t.duet.began+time.Duration(slice+1)*t.length
}

func (t *duetState) leave(c *Client, end time.Duration) {
	if !c.measuring {
		if !*t.batches() {
			t.warm(end - t.began)
		}
		t.calls++

		return
	}
	t.worked(end)
}

// worked extends the client's working time in the slice. It reports whether the slice had ended
// before.
func (t *duetState) worked(until time.Duration) (crossed bool) {
	t.end = until

	return until > t.until
}

// warm records a warm-up duration, except for the first call per variant, which may connect.
func (t *duetState) warm(took time.Duration) {
	if t.calls >= 2 {
		t.pieces.Record(took)
	}
}

func (t *duetState) flush() {
	if t.slice >= 0 && t.end > t.from {
		t.busy.add(t.slice, t.end-t.from)
	}
	t.slice = -1
}

func (t *duetState) over() bool {
	*t.batches() = true

	return now() >= t.until
}

// batches points to whether the variant's calls do many operations.
func (t *duetState) batches() *bool {
	if t.variant == Change {
		return &t.asked.change
	}

	return &t.asked.base
}

// warmed reports whether the client has called both variants often enough.
func (t *duetState) warmed() bool { return t == nil || t.calls >= 2*leastWarm }

// RunDuet does the client's part like Run, with two variants that all clients switch between at the
// same times. An operation counts for the variant that began it, even if it ends in a later slice.
// Otherwise slow operations would be lost more often, which would hide stalls. Before the start
// line, each client calls each variant at least twice. A call with many operations must return when
// Enough says so.
func (c *Client) RunDuet(ctx context.Context, op string, warm func(), base, change func() error) error {
	d, err := c.step.asDuet()
	if err != nil {
		c.Leave()

		return err
	}
	c.mu.Lock()
	if c.duetState == nil {
		c.duetState = &duetState{duet: d, slice: -1}
		for _, r := range c.recorders {
			r.join(d)
		}
	}
	c.mu.Unlock()

	return c.run(ctx, op, warm, func() error {
		if c.duetState.variant == Change {
			return change()
		}

		return base()
	})
}

// EachTurn calls fn at each slice border with the new slice's variant, until the step has ended. If
// the caller is late, onTime is false and missed slices are skipped. Outside a duet it returns at
// the start line.
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

// onTime is the share of a slice (1/n) within which a border counts as on time.
const onTime = 10
