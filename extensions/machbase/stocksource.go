package machbase

import (
	"errors"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/stock"
)

const defaultTPS = stock.DefaultTPS

// Names of the generators of appender.generate.
const (
	generatorTicks   = "stock_tick"
	generatorSeconds = "stock_rollup_1s"
	generatorMinutes = "stock_rollup_1m"
)

// stockSource makes the rows of the stock benchmark's tables.
type stockSource struct {
	seed      uint64
	tps       float64
	generator *stock.Generator
}

func newStockSource(seed uint64, tps float64) (*stockSource, error) {
	generator, err := stock.New(stock.Options{Seed: seed, TPS: tps, Codes: stock.Codes()})
	if err != nil {
		return nil, err
	}

	return &stockSource{seed: seed, tps: tps, generator: generator}, nil
}

// rows yields the rows of the named table with a time in [from, to).
func (s *stockSource) rows(name string, from, to time.Time, yield func(row ...any) error) error {
	err := s.generate(name, from, to, yield)
	var known *Error
	if err != nil && !errors.As(err, &known) { // the generator's own: the range is wrong
		return newError(KindUsage, "generate: %s", err)
	}

	return err
}

func (s *stockSource) generate(name string, from, to time.Time, yield func(row ...any) error) error {
	switch name {
	case generatorTicks:
		return s.generator.Ticks(from, to, func(t *stock.Tick) error {
			return yield(t.Code, t.UnixNano, t.Price, t.Volume, t.BidPrice, t.AskPrice)
		})
	case generatorSeconds:
		return s.rollups(time.Second, from, to, yield)
	case generatorMinutes:
		return s.rollups(time.Minute, from, to, yield)
	default:
		return newError(KindUsage, "generate: unknown generator %q; known are %q, %q and %q",
			name, generatorTicks, generatorSeconds, generatorMinutes)
	}
}

func (s *stockSource) rollups(period time.Duration, from, to time.Time, yield func(row ...any) error) error {
	return s.generator.Rollups(period, from, to, func(r *stock.Rollup) error {
		return yield(r.Code, r.UnixNano, r.SumPrice, r.SumVolume, r.SumBid, r.SumAsk, r.Count)
	})
}
