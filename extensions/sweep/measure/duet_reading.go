package measure

import "time"

// DuetSlices are the slices of a duet and the operations in them.
type DuetSlices struct {
	// Seed ordered the variants.
	Seed uint32
	// Length is the length of a slice.
	Length time.Duration
	// Ops is indexed by operation name.
	Ops map[string]*SlicePairs
}

// SlicePairs are the pairs of slices for one operation.
type SlicePairs struct {
	Pairs []SlicePair
	// Crossed counts operations that ended after the slice in which they began.
	Crossed uint64
}

// SlicePair is two consecutive slices, one per variant.
type SlicePair struct{ Base, Change Slice }

// Slice holds the operations of all clients that began in a slice, or were due in it in an open
// loop.
type Slice struct {
	// Busy is the sum over clients of the time from their first operation's start to their last
	// one's end. In an open loop, it is the slice's length per client.
	Busy time.Duration
	// Durations of successful operations; may be nil.
	Durations *Coarse
}

// read adds the duet to a reading, with its pairs once all clients have ended.
func (d *duet) read(r *Reading) {
	// These figures have no meaning per variant.
	r.Window, r.AllAtWork = 0, 0
	r.ClientTimes, r.ClientOps = Distribution{}, Distribution{}
	if !r.Started {
		return
	}
	slices := min(int64(r.Elapsed/d.length)+1, mostSlices)
	if d.last != 0 {
		slices = min(slices, d.last)
	}
	times := map[Variant]time.Duration{}
	for i := range slices {
		times[d.variant(i)] += d.timeOf(i, r.Elapsed)
	}
	for i := range r.Ops {
		r.Ops[i].Time = times[r.Ops[i].Variant] / time.Duration(len(d.step.clients))
	}
	if r.Ended < len(d.step.clients) {
		return
	}
	for i := range r.Ops {
		if t := &r.Ops[i]; t.OverTime != nil {
			t.OverTime.Turns = d.workTimes(t.OverTime, t, r.Elapsed)
		}
	}
	whole := min(int64(r.Elapsed/(2*d.length)), mostSlices/2)
	if r.Complete && d.last != 0 {
		whole = min(d.last, mostSlices) / 2
	}
	r.Duet = d.slices(r, whole)
}

func (d *duet) slices(r *Reading, whole int64) *DuetSlices {
	t := &DuetSlices{Seed: d.seed, Length: d.length, Ops: map[string]*SlicePairs{}}
	for i := range r.Ops {
		if op := r.Ops[i].Op; t.Ops[op] == nil {
			t.Ops[op] = d.pairs(d.of(op), whole, r.Elapsed)
		}
	}

	return t
}

// workTimes returns the average working time of clients for a variant in each slot: the length of
// its slices there, scaled to the variant's total working time.
func (d *duet) workTimes(o *OverTime, t *Totals, elapsed time.Duration) []time.Duration {
	turns := make([]time.Duration, len(o.Slots))
	var all time.Duration
	for slice := int64(0); d.last == 0 || slice < d.last; slice++ {
		began := time.Duration(slice) * d.length
		if began >= elapsed {
			break
		}
		if d.variant(slice) == t.Variant {
			length := min(d.length, elapsed-began)
			turns[min(int(began/o.Width), len(turns)-1)] += length
			all += length
		}
	}
	// Rounding the sums, not each turn, makes them add up to the variant's time.
	var length, rounded time.Duration
	for i, turn := range turns {
		length += turn
		until := time.Duration(float64(length) / float64(all) * float64(t.Time))
		turns[i], rounded = until-rounded, until
	}

	return turns
}

func (d *duet) timeOf(slice int64, elapsed time.Duration) time.Duration {
	if d.step.schedule == nil {
		return d.busy.of(slice)
	}

	return min(d.length, max(elapsed-time.Duration(slice)*d.length, 0)) * time.Duration(len(d.step.clients))
}

func (d *duet) pairs(s *series, whole int64, elapsed time.Duration) *SlicePairs {
	t := &SlicePairs{Pairs: make([]SlicePair, whole), Crossed: s.crossed.Load()}
	for i := range 2 * whole {
		slice := Slice{Busy: d.timeOf(i, elapsed), Durations: s.of(i)}
		if d.variant(i) == Base {
			t.Pairs[i/2].Base = slice
		} else {
			t.Pairs[i/2].Change = slice
		}
	}

	return t
}

// Classes returns the bounds of the duration classes in seconds; one more than classes.
func Classes() []float64 {
	bounds := make([]float64, coarseCounters+1)
	for i := range bounds {
		bounds[i] = coarseLowest(i).Seconds()
	}

	return bounds
}

// Counts returns the successful operations per class.
func (s *Slice) Counts() []float64 {
	counts := make([]float64, coarseCounters)
	if s.Durations != nil {
		s.Durations.each(func(i int, n uint64) { counts[i] = float64(n) })
	}

	return counts
}
