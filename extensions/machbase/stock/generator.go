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
	// MaxTPS is the highest rate that [New] accepts. Above it, reaching the end of
	// an hour would take minutes of generating.
	MaxTPS = 1_000_000
)

// Options describe a data set. Equal options give equal rows.
type Options struct {
	// Seed selects the data set; every value is a good one.
	Seed uint64
	// TPS is the number of ticks per second over all codes, from [MinTPS] to
	// [MaxTPS]. There is no default: [DefaultTPS] is the published rate.
	TPS float64
	// Codes are the stock codes, distinct and at most [MaxCodeLen] bytes each;
	// [Codes] returns the published number of them. Their order matters: it decides
	// which code a draw means.
	Codes []string
}

// Generator yields the rows of one data set. It remembers where the last call
// stopped, once for [Generator.Ticks] and once for each period of
// [Generator.Rollups], so that consecutive ranges cost what they hold, however
// they are alternated.
//
// A Generator must not be used by two goroutines at once, nor be called from
// its own yield. One with 692 codes takes less than 200 KB.
type Generator struct {
	options Options
	codes   []string
	traits  []traits
	ticks   *walk
	rollups map[time.Duration]*walk // by their period
	sums    []Rollup                // one per code, the period under way
	columns columns                 // of the batch under way
}

// New returns a generator of the data set that options describe. It returns an
// error that names the field when TPS is not a number from [MinTPS] to [MaxTPS],
// when there are no codes, or when a code is empty, too long or there twice.
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
	// Written so that NaN, which compares with nothing, is refused too.
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
			return fmt.Errorf("stock: Codes[%d] is %q, which is there twice", i, code)
		}
		seen[code] = true
	}
	return nil
}
