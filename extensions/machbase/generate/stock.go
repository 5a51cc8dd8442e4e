package generate

import (
	"fmt"
	"math"
	"time"
)

// Rates, in ticks per second over all codes.
const (
	// DefaultTPS is the rate of the published benchmark.
	DefaultTPS = 1000
	// MinTPS is the lowest rate that [NewStock] accepts.
	MinTPS = 0.01
	// MaxTPS is the highest rate that [NewStock] accepts. With a higher one, an hour would take
	// minutes to generate.
	MaxTPS = 1_000_000
)

// Stock generates the rows of one data set. It remembers a position for [Stock.Ticks] and one for
// each period of [Stock.Rollups], so that consecutive ranges need no catching up. It must not be
// used by several goroutines at the same time, nor in its own yield.
type Stock struct {
	Seed uint64
	TPS  float64

	codes   []string
	traits  []traits
	ticks   *walk
	rollups map[time.Duration]*walk // roll-ups by period
	sums    []Rollup
}

// NewStock returns the generator of a data set: every seed is valid, and tps is the number of ticks
// per second over all codes, from [MinTPS] to [MaxTPS].
func NewStock(seed uint64, tps float64) (*Stock, error) {
	if !(tps >= MinTPS && tps <= MaxTPS) { // also rejects NaN
		return nil, fmt.Errorf("stock: TPS is %v, want %v to %v ticks per second", tps, MinTPS, MaxTPS)
	}

	return newStock(seed, tps, Codes()), nil
}

func newStock(seed uint64, tps float64, codes []string) *Stock {
	s := &Stock{
		Seed: seed, TPS: tps, codes: codes, traits: drawTraits(seed, len(codes)),
		rollups: map[time.Duration]*walk{}, sums: make([]Rollup, len(codes)),
	}
	s.ticks = s.newWalk()

	return s
}

func (s *Stock) newWalk() *walk { return newWalk(s.Seed, s.TPS, s.codes, s.traits) }

// Tick is one row of table stock_tick.
type Tick struct {
	Code     string
	UnixNano int64   // nanoseconds since 1970 UTC, as Machbase stores them
	Price    float64 // at least 1
	Volume   float64 // at least 1
	BidPrice float64 // at least 0.01, below Price by half the spread
	AskPrice float64 // above Price by half the spread
}

// Ticks calls yield for each tick in [from, to), ordered by time. Both ends are rounded down to 100
// ms, so adjacent ranges neither share nor miss a tick. No two ticks have the same time.
//
// The tick is valid until yield returns. Ticks returns yield's first error. It also returns an
// error if to is before from, or if a time is outside of the years 1678 to 2262.
//
// A range that starts at or after the end of the last one in the same hour continues from there.
// Any other range, and one after an error of yield, first generates the ticks from the start of the
// hour to its own start.
func (s *Stock) Ticks(from, to time.Time, yield func(*Tick) error) error {
	first, end, err := beats(from, to)
	if err != nil || first == end {
		return err
	}
	w := s.ticks
	w.seek(first)
	for w.beat < end {
		for i := range w.startBeat() {
			w.draw(i)
			if err := yield(&w.tick); err != nil {
				return err
			}
		}
		w.endBeat()
	}

	return nil
}

// TickBatches sends the rows of [Stock.Ticks].
func (s *Stock) TickBatches(from, to time.Time, send Send) error {
	b := newBatch(send, 4)
	err := s.Ticks(from, to, func(t *Tick) error {
		return b.add(t.Code, t.UnixNano, t.Price, t.Volume, t.BidPrice, t.AskPrice)
	})
	if err != nil {
		return err
	}

	return b.end()
}

// Rollup is a row of table stock_rollup_1s or stock_rollup_1m: the ticks of one code in one period.
type Rollup struct {
	Code      string
	UnixNano  int64 // start of the period, nanoseconds since 1970 UTC
	SumPrice  float64
	SumVolume float64
	SumBid    float64
	SumAsk    float64
	Count     int64 // at least 1
}

// Rollups calls yield for each code and each full period in [from, to), ordered by time, then by
// code. A period in which a code has no tick has no row. The period is a multiple of 100 ms that
// divides an hour, such as a second or a minute.
//
// The row is valid until yield returns. Errors are as for Ticks.
func (s *Stock) Rollups(period time.Duration, from, to time.Time, yield func(*Rollup) error) error {
	if _, _, err := beats(from, to); err != nil {
		return err
	}
	// Round inwards: a period that is cut by a nanosecond is not full.
	first := -floorDiv(-from.UnixNano(), int64(period))
	end := floorDiv(to.UnixNano(), int64(period))
	beats := int64(period) / beatLength
	w := s.rollups[period]
	if w == nil {
		w = s.newWalk()
		s.rollups[period] = w
	}
	for p := first; p < end; p++ {
		w.seek(p * beats)
		s.sumPeriod(w, p*int64(period), (p+1)*beats)
		for i := range s.sums {
			if s.sums[i].Count == 0 {
				continue
			}
			if err := yield(&s.sums[i]); err != nil {
				return err
			}
		}
	}

	return nil
}

// RollupBatches sends the rows of [Stock.Rollups].
func (s *Stock) RollupBatches(period time.Duration, from, to time.Time, send Send) error {
	b := newBatch(send, 4)
	err := s.Rollups(period, from, to, func(r *Rollup) error {
		b.counts = append(b.counts, r.Count)

		return b.add(r.Code, r.UnixNano, r.SumPrice, r.SumVolume, r.SumBid, r.SumAsk)
	})
	if err != nil {
		return err
	}

	return b.end()
}

func (s *Stock) sumPeriod(w *walk, unixNano, end int64) {
	for i, code := range s.codes {
		s.sums[i] = Rollup{Code: code, UnixNano: unixNano}
	}
	for w.beat < end {
		for i := range w.startBeat() {
			w.draw(i)
			sum := &s.sums[w.index]
			sum.SumPrice += w.tick.Price
			sum.SumVolume += w.tick.Volume
			sum.SumBid += w.tick.BidPrice
			sum.SumAsk += w.tick.AskPrice
			sum.Count++
		}
		w.endBeat()
	}
}

// Both ends are rounded down, so adjacent ranges neither overlap nor leave a gap. Full hours around
// them must be within the range of times.
func beats(from, to time.Time) (first, end int64, err error) {
	lowest := time.Unix(0, math.MinInt64).UTC().Truncate(time.Hour).Add(time.Hour)
	highest := time.Unix(0, math.MaxInt64).UTC().Truncate(time.Hour)
	switch {
	case from.Before(lowest):
		return 0, 0, fmt.Errorf("stock: range starts at %v, before %v", from, lowest)
	case to.After(highest):
		return 0, 0, fmt.Errorf("stock: range ends at %v, after %v", to, highest)
	case to.Before(from):
		return 0, 0, fmt.Errorf("stock: range ends at %v, before its start %v", to, from)
	}

	return floorDiv(from.UnixNano(), beatLength), floorDiv(to.UnixNano(), beatLength), nil
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}

	return q
}
