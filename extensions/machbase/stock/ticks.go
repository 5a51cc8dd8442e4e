package stock

import "time"

// Tick is one row of table stock_tick.
type Tick struct {
	Code     string
	UnixNano int64   // nanoseconds since 1970 UTC, as Machbase stores them
	Price    float64 // at least 1
	Volume   float64 // at least 1
	BidPrice float64 // at least 0.01, below Price by half the spread
	AskPrice float64 // above Price by half the spread
}

// Time returns the tick's time in UTC.
func (t *Tick) Time() time.Time { return time.Unix(0, t.UnixNano).UTC() }

// Ticks calls yield for each tick in [from, to), in time order. Both ends are
// rounded down to 100 ms, so that ranges that touch each other never share a
// tick nor miss one. No two ticks have the same time.
//
// The tick is valid until yield returns and is then used again. Ticks stops at
// yield's first error and returns it as it is. It returns an error of its own when
// the range ends before it starts or lies outside of what 64 bits of nanoseconds
// hold (the years 1678 to 2262).
//
// A range that continues the last one, or starts later in the same hour,
// continues from there; any other one first generates what lies between its
// start and the full hour before, at most 3600 seconds times TPS ticks. So does the
// range after one that yield stopped. Nothing is allocated per tick.
func (g *Generator) Ticks(from, to time.Time, yield func(*Tick) error) error {
	first, end, err := beats(from, to)
	if err != nil || first == end {
		return err
	}
	w := g.ticks
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
