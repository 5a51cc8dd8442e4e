package stock

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Rates, in ticks per second over all codes.
const (
	// DefaultTPS is the rate of the published benchmark.
	DefaultTPS = 1000
	// MinTPS is the lowest rate that [New] accepts.
	MinTPS = 0.01
	// MaxTPS is the highest rate that [New] accepts. With a higher one, an hour would take minutes
	// to generate.
	MaxTPS = 1_000_000
)

// Options describe a data set. Equal options give equal rows.
type Options struct {
	// Seed selects the data set. Every value is valid.
	Seed uint64
	// TPS is the number of ticks per second over all codes, from [MinTPS] to [MaxTPS]. It has no
	// default; [DefaultTPS] is the published rate.
	TPS float64
	// Codes are the stock codes, distinct and up to [MaxCodeLen] bytes each; [Codes] returns those
	// of the benchmark. Their order is part of the data set.
	Codes []string
}

// Generator generates the rows of one data set. It remembers a position for [Generator.Ticks] and
// one for each period of [Generator.Rollups], so that consecutive ranges need no catching up. It
// must not be used by several goroutines at the same time, nor in its own yield.
type Generator struct {
	options Options
	codes   []string
	traits  []traits
	ticks   *walk
	rollups map[time.Duration]*walk // roll-ups by period
	sums    []Rollup
	columns columns
}

// New returns a generator. It returns an error that names the field if TPS is out of range, if
// there are no codes, or if a code is empty, too long or repeated.
func New(options Options) (*Generator, error) {
	if err := checkTPS(options.TPS); err != nil {
		return nil, err
	}
	if err := checkCodes(options.Codes); err != nil {
		return nil, err
	}
	codes := slices.Clone(options.Codes)
	g := &Generator{
		options: options,
		codes:   codes,
		traits:  drawTraits(options.Seed, len(codes)),
		rollups: map[time.Duration]*walk{},
		sums:    make([]Rollup, len(codes)),
	}
	g.ticks = g.newWalk()

	return g, nil
}

func (g *Generator) newWalk() *walk {
	return newWalk(g.options.Seed, g.options.TPS, g.codes, g.traits)
}

func checkTPS(tps float64) error {
	// Also rejects NaN.
	if !(tps >= MinTPS && tps <= MaxTPS) {
		return fmt.Errorf("stock: TPS is %v, want %v to %v ticks per second", tps, MinTPS, MaxTPS)
	}
	return nil
}

func checkCodes(codes []string) error {
	if len(codes) == 0 {
		return errors.New("stock: Codes is empty, want at least one stock code")
	}
	seen := make(map[string]bool, len(codes))
	for i, code := range codes {
		switch {
		case code == "":
			return fmt.Errorf("stock: Codes[%d] is an empty string", i)
		case len(code) > MaxCodeLen:
			return fmt.Errorf("stock: Codes[%d] is %q, longer than %d bytes", i, code, MaxCodeLen)
		case seen[code]:
			return fmt.Errorf("stock: Codes[%d] is %q, which is repeated", i, code)
		}
		seen[code] = true
	}
	return nil
}
