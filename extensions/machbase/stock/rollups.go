package stock

import (
	"fmt"
	"time"
)

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

// Time returns the start of the period in UTC.
func (r *Rollup) Time() time.Time { return time.Unix(0, r.UnixNano).UTC() }

// Rollups calls yield for each code and each full period in [from, to), ordered by time, then
// by [Options].Codes. A period in which a code has no tick has no row. The period is a
// multiple of 100 ms that divides an hour, such as a second or a minute.
//
// The row is valid until yield returns. Errors are as for Ticks.
func (g *Generator) Rollups(period time.Duration, from, to time.Time, yield func(*Rollup) error) error {
	if period <= 0 || int64(period)%beatLength != 0 || time.Hour%period != 0 {
		return fmt.Errorf("stock: the period is %v, want a multiple of 100 ms that divides an hour", period)
	}
	if _, _, err := beats(from, to); err != nil {
		return err
	}
	// Round inwards: a period that is cut by a nanosecond is not full.
	first := ceilDiv(from.UnixNano(), int64(period))
	end := floorDiv(to.UnixNano(), int64(period))
	beats := int64(period) / beatLength
	w := g.rollups[period]
	if w == nil {
		w = g.newWalk()
		g.rollups[period] = w
	}
	for p := first; p < end; p++ {
		w.seek(p * beats)
		g.sumPeriod(w, p*int64(period), (p+1)*beats)
		for i := range g.sums {
			if g.sums[i].Count == 0 {
				continue
			}
			if err := yield(&g.sums[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (g *Generator) sumPeriod(w *walk, unixNano, end int64) {
	for i, code := range g.codes {
		g.sums[i] = Rollup{Code: code, UnixNano: unixNano}
	}
	for w.beat < end {
		for i := range w.startBeat() {
			w.draw(i)
			sum := &g.sums[w.index]
			sum.SumPrice += w.tick.Price
			sum.SumVolume += w.tick.Volume
			sum.SumBid += w.tick.BidPrice
			sum.SumAsk += w.tick.AskPrice
			sum.Count++
		}
		w.endBeat()
	}
}
