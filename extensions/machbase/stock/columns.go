package stock

import "time"

const batchRows = 1024

type columns struct {
	codes  []string
	times  []int64
	values [4][]float64
	counts []int64 // roll-ups only
}

func (c *columns) add(code string, at int64, price, volume, bid, ask float64) {
	c.codes = append(c.codes, code)
	c.times = append(c.times, at)
	for i, value := range [...]float64{price, volume, bid, ask} {
		c.values[i] = append(c.values[i], value)
	}
}

func (c *columns) clear() {
	c.codes, c.times, c.counts = c.codes[:0], c.times[:0], c.counts[:0]
	for i := range c.values {
		c.values[i] = c.values[i][:0]
	}
}

func (c *columns) send(send func(columns ...any) error) error {
	defer c.clear()
	switch {
	case len(c.codes) == 0:
		return nil
	case len(c.counts) == 0:
		return send(c.codes, c.times, c.values[0], c.values[1], c.values[2], c.values[3])
	default:
		return send(c.codes, c.times, c.values[0], c.values[1], c.values[2], c.values[3], c.counts)
	}
}

// TickBatches is [Generator.Ticks] as columns in the table's order, up to 1024 ticks a call:
// codes ([]string), times ([]int64, nanoseconds since 1970), and prices, volumes, bids and
// asks ([]float64). They are valid until send returns.
func (g *Generator) TickBatches(from, to time.Time, send func(columns ...any) error) error {
	c := &g.columns
	c.clear()
	err := g.Ticks(from, to, func(t *Tick) error {
		c.add(t.Code, t.UnixNano, t.Price, t.Volume, t.BidPrice, t.AskPrice)

		return c.sendFull(send)
	})
	if err != nil {
		return err
	}

	return c.send(send)
}

// RollupBatches is [Generator.Rollups] in the same form, with the counts ([]int64) as the last
// column.
func (g *Generator) RollupBatches(period time.Duration, from, to time.Time, send func(columns ...any) error) error {
	c := &g.columns
	c.clear()
	err := g.Rollups(period, from, to, func(r *Rollup) error {
		c.add(r.Code, r.UnixNano, r.SumPrice, r.SumVolume, r.SumBid, r.SumAsk)
		c.counts = append(c.counts, r.Count)

		return c.sendFull(send)
	})
	if err != nil {
		return err
	}

	return c.send(send)
}

func (c *columns) sendFull(send func(columns ...any) error) error {
	if len(c.codes) < batchRows {
		return nil
	}

	return c.send(send)
}
