package generate

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Source generates the rows of a range.
type Source struct {
	options Options
	rows    int64
	value   func(tag int, step, at int64) float64
}

func newSource(o Options, value func(tag int, step, at int64) float64) (*Source, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	rows, err := o.count()
	if err != nil {
		return nil, err
	}

	return &Source{options: o, rows: rows, value: value}, nil
}

// Batches sends the rows.
func (s *Source) Batches(send Send) error {
	names := s.options.names()
	b := newBatch(send, 1)
	at, step, tag := s.options.From.UnixNano(), int64(0), 0
	for range s.rows {
		if err := b.add(names[tag], at, s.value(tag, step, at)); err != nil {
			return err
		}
		if tag++; tag == len(names) {
			at, step, tag = at+int64(s.options.Interval), step+1, 0
		}
	}

	return b.end()
}

// Sine makes offset + amplitude * sin of the time since 1970, with this period. The tags have
// evenly distributed phases.
func Sine(o Options, period time.Duration, amplitude, offset float64) (*Source, error) {
	switch {
	case period <= 0:
		return nil, fmt.Errorf("period must be more than 0, not %s", period)
	case !isFinite(amplitude) || !isFinite(offset):
		return nil, errors.New("amplitude and offset must be numbers")
	}

	return newSource(o, func(tag int, _, at int64) float64 {
		turn := float64(at%int64(period))/float64(period) + float64(tag)/float64(o.Tags)

		return offset + float64(amplitude*math.Sin(2*math.Pi*turn))
	})
}

// Sequence makes offset, offset + 1, offset + 2 and so on, for each tag.
func Sequence(o Options, offset float64) (*Source, error) {
	if !isFinite(offset) {
		return nil, errors.New("offset must be a number")
	}

	return newSource(o, func(_ int, step, _ int64) float64 { return offset + float64(step) })
}

func isFinite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
