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

// Ticks calls yield for each tick in [from, to), ordered by time. Both ends are rounded down to 100
// ms, so adjacent ranges neither share nor miss a tick. No two ticks have the same time.
//
// The tick is valid until yield returns. Ticks returns yield's first error. It also returns an
// error if to is before from, or if a time is outside of the years 1678 to 2262.
//
// A range that starts at or after the end of the last one in the same hour continues from there.
// Any other range, and one after an error of yield, first generates the ticks from the start of the
// hour to its own start.
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
