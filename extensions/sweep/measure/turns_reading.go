package measure

import "time"

// Turns are how the variants of a duet took turns: its slices, and what was done in them.
type Turns struct {
	// Seed is that of their order.
	Seed uint32
	// Length is that of a slice.
	Length time.Duration
	// Ops are by kind of operation.
	Ops map[string]*TurnsOf
}

// TurnsOf are the pairs of slices as one kind of operation had them.
type TurnsOf struct {
	Pairs []SlicePair
	// Crossed counts the operations that ended after the slice in which they began.
	Crossed uint64
}

// SlicePair is two neighbouring slices, one of each variant.
type SlicePair struct{ Base, Change Slice }

// Slice is what the clients did of a slice, all of them together: the operations that began in it
// or, in an open-loop step, were due in it.
type Slice struct {
	// Busy is for how long clients were at work for it, each from when its first operation began to
	// when its last one ended. In an open-loop step it is the slice's length for each client.
	Busy time.Duration
	// Durations are those of the successful operations; nil where there were none.
	Durations *Coarse
}

// read adds to a reading how the variants took turns. Once all clients have ended, the pairs are
// read as well.
func (d *duet) read(r *Reading) {
	// Each variant has a time of its own, and no client has one of a variant alone.
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
			t.OverTime.Turns = d.turnsIn(t.OverTime, t, r.Elapsed)
		}
	}
	whole := min(int64(r.Elapsed/(2*d.length)), mostSlices/2)
	if r.Complete && d.last != 0 {
		whole = min(d.last, mostSlices) / 2
	}
	r.Duet = d.turns(r, whole)
}

// turns are the first pairs of all kinds of operations of a reading.
func (d *duet) turns(r *Reading, whole int64) *Turns {
	t := &Turns{Seed: d.seed, Length: d.length, Ops: map[string]*TurnsOf{}}
	for i := range r.Ops {
		if op := r.Ops[i].Op; t.Ops[op] == nil {
			t.Ops[op] = d.pairs(d.of(op), whole, r.Elapsed)
		}
	}

	return t
}

// turnsIn is for how long clients were at work for a variant in each slot, on average: the time of
// its slices there, more or less by what they were at work for it in all, the same part of each.
func (d *duet) turnsIn(o *OverTime, t *Totals, elapsed time.Duration) []time.Duration {
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
	// The sums are rounded, and not each turn: all together they are the variant's time.
	var length, told time.Duration
	for i, turn := range turns {
		length += turn
		until := time.Duration(float64(length) / float64(all) * float64(t.Time))
		turns[i], told = until-told, until
	}

	return turns
}

// timeOf is how long clients were at work for a slice, all together.
func (d *duet) timeOf(slice int64, elapsed time.Duration) time.Duration {
	if d.step.schedule == nil {
		return d.busy.of(slice)
	}

	return min(d.length, max(elapsed-time.Duration(slice)*d.length, 0)) * time.Duration(len(d.step.clients))
}

// pairs are those of one kind of operation.
func (d *duet) pairs(s *series, whole int64, elapsed time.Duration) *TurnsOf {
	t := &TurnsOf{Pairs: make([]SlicePair, whole), Crossed: s.crossed.Load()}
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

// Classes are the bounds of the classes that the durations of slices are counted in, in seconds:
// one more than there are classes.
func Classes() []float64 {
	bounds := make([]float64, coarseCounters+1)
	for i := range bounds {
		bounds[i] = coarseLowest(i).Seconds()
	}

	return bounds
}

// Counts are the successful operations of the slice by class of duration.
func (s *Slice) Counts() []float64 {
	counts := make([]float64, coarseCounters)
	if s.Durations != nil {
		s.Durations.each(func(i int, n uint64) { counts[i] = float64(n) })
	}

	return counts
}
