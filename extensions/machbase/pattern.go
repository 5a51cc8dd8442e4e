package machbase

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

// pattern generates a parameter for each operation of a run.
type pattern interface{ next(d *draws) any }

type draws struct {
	random *rand.Rand
	// turn numbers the operations of all clients: client 3 of 8 does 3, 11, 19 and so on.
	turn, clients int64
}

func newDraws(seed uint64, index, clients int) *draws {
	return &draws{
		random: rand.New(rand.NewPCG(seed, uint64(index))),
		turn:   int64(index), clients: int64(clients),
	}
}

func (d *draws) parameters(patterns []pattern, into []any) []any {
	for _, p := range patterns {
		into = append(into, p.next(d))
	}
	d.turn += d.clients

	return into
}

type constant struct{ value any }

func (c constant) next(*draws) any { return c.value }

type oneOf []any

func (o oneOf) next(d *draws) any { return o[d.random.IntN(len(o))] }

type wholeBetween struct {
	low         int64
	step, steps uint64
}

func (b wholeBetween) draw(d *draws) int64 {
	if b.steps == math.MaxUint64 {
		return int64(d.random.Uint64())
	}

	return int64(uint64(b.low) + d.random.Uint64N(b.steps+1)*b.step)
}

func (b wholeBetween) next(d *draws) any { return b.draw(d) }

type realBetween struct{ low, high float64 }

func (b realBetween) next(d *draws) any {
	share := d.random.Float64()

	return b.low*(1-share) + b.high*share // finite, even if high-low is not
}

type realSteps struct {
	realBetween

	step  float64
	steps int64
}

func (b realSteps) next(d *draws) any {
	return min(b.low+b.step*float64(d.random.Int64N(b.steps+1)), b.high)
}

type timeBetween struct{ wholeBetween }

func (b timeBetween) next(d *draws) any { return time.Unix(0, b.draw(d)) }

type (
	wholeSequence struct{ from, step int64 }
	realSequence  struct{ from, step float64 }
	timeSequence  struct {
		from time.Time
		step time.Duration
	}
)

func (s wholeSequence) next(d *draws) any { return s.from + d.turn*s.step }

func (s realSequence) next(d *draws) any { return s.from + float64(d.turn)*s.step }

func (s timeSequence) next(d *draws) any { return s.from.Add(time.Duration(d.turn) * s.step) }

const patternForms = "a value, { oneOf: [...] }, { between: [low, high], step } or { from, step }"

func patterns(value sobek.Value) ([]pattern, error) {
	values, err := k6x.Elements("run", "option params", value)
	if err != nil {
		return nil, err
	}
	all := make([]pattern, len(values))
	for i, value := range values {
		if all[i], err = patternOf(value); err != nil {
			return nil, k6x.Misuse("run: parameter %d: %s", i+1, err)
		}
	}

	return all, nil
}

type patternOptions struct{ oneOf, between, from, step sobek.Value }

var allPatternOptions = k6x.Options[patternOptions]{ //nolint:gochecknoglobals // a table
	patternOption("oneOf", func(o *patternOptions) *sobek.Value { return &o.oneOf }),
	patternOption("between", func(o *patternOptions) *sobek.Value { return &o.between }),
	patternOption("from", func(o *patternOptions) *sobek.Value { return &o.from }),
	patternOption("step", func(o *patternOptions) *sobek.Value { return &o.step }),
}

func patternOption(name string, field func(*patternOptions) *sobek.Value) k6x.Option[patternOptions] {
	return k6x.Option[patternOptions]{Name: name, Read: func(o *patternOptions, _ string, value sobek.Value) error {
		*field(o) = value

		return nil
	}}
}

func patternOf(value sobek.Value) (pattern, error) {
	object, is := value.(*sobek.Object)
	if !is || object.ClassName() != "Object" || k6x.Scalar(value) != nil {
		v, err := bind(value)

		return constant{v}, err
	}
	var o patternOptions
	if err := allPatternOptions.Read("a pattern", value, &o); err != nil {
		return nil, err
	}

	return o.pattern()
}

func (o *patternOptions) pattern() (pattern, error) {
	switch {
	case o.oneOf != nil && o.between == nil && o.from == nil && o.step == nil:
		return oneOfValues(o.oneOf)
	case o.between != nil && o.oneOf == nil && o.from == nil:
		return between(o.between, o.step)
	case o.from != nil && o.oneOf == nil && o.between == nil:
		return sequence(o.from, o.step)
	default:
		return nil, k6x.Misuse("it must be %s", patternForms)
	}
}

func listed(part string, value sobek.Value) ([]any, error) {
	elements, err := k6x.Elements("a pattern", part, value)
	if err != nil {
		return nil, err
	}
	values := make([]any, len(elements))
	for i, element := range elements {
		if values[i], err = bind(element); err != nil {
			return nil, k6x.Misuse("value %d of %s: %s", i+1, part, err)
		}
	}

	return values, nil
}

func oneOfValues(value sobek.Value) (pattern, error) {
	values, err := listed("oneOf", value)
	if err != nil {
		return nil, err
	}
	if len(values) == 0 {
		return nil, k6x.Misuse("oneOf must have at least one value")
	}

	return oneOf(values), nil
}

func between(value, step sobek.Value) (pattern, error) {
	bounds, err := listed("between", value)
	if err != nil {
		return nil, err
	}
	if len(bounds) == 2 {
		from, isFrom := bounds[0].(time.Time)
		to, isTo := bounds[1].(time.Time)
		if isFrom && isTo && !to.Before(from) {
			return timesBetween(from, to, step)
		}
		low, isLow := numberOf(bounds[0])
		high, isHigh := numberOf(bounds[1])
		if isLow && isHigh && !high.below(low) {
			return numbersBetween(low, high, step)
		}
	}

	return nil, k6x.Misuse("between must be two numbers or two Dates, the lower one first, not %s", k6x.Show(value))
}

func timesBetween(from, to time.Time, step sobek.Value) (pattern, error) {
	every, err := timeStep(step, time.Millisecond)
	if err != nil {
		return nil, err
	}

	return timeBetween{wholeSteps(from.UnixNano(), to.UnixNano(), uint64(every))}, nil
}

// The numbers are integers if both bounds and the step are.
func numbersBetween(low, high number, step sobek.Value) (pattern, error) {
	every, err := numberStep(step, one)
	if err != nil {
		return nil, err
	}
	if low.isWhole && high.isWhole && every.isWhole {
		return wholeSteps(low.whole, high.whole, uint64(every.whole)), nil
	}
	all := realBetween{low.real, high.real}
	if step == nil {
		return all, nil
	}
	// The tolerance is for rounding: 0.3 holds three steps of 0.1.
	steps := math.Floor((high.real - low.real) / every.real * (1 + 1e-12))
	if !(steps < 1<<53) {
		return nil, k6x.Misuse("between has too many steps of %v", every.real)
	}

	return realSteps{all, every.real, int64(steps)}, nil
}

func wholeSteps(low, high int64, step uint64) wholeBetween {
	return wholeBetween{low, step, (uint64(high) - uint64(low)) / step}
}

func sequence(value, step sobek.Value) (pattern, error) {
	from, err := bind(value)
	if err != nil {
		return nil, err
	}
	if start, is := from.(time.Time); is {
		every, err := timeStep(step, 0)
		if err == nil && every == 0 {
			err = k6x.Misuse("a sequence of times needs a step, such as { from: date, step: '1s' }")
		}

		return timeSequence{start, every}, err
	}
	start, is := numberOf(from)
	if !is {
		return nil, k6x.Misuse("from must be a number or a Date, not %s", k6x.Show(value))
	}
	every, err := numberStep(step, one)
	if start.isWhole && every.isWhole {
		return wholeSequence{start.whole, every.whole}, err
	}

	return realSequence{start.real, every.real}, err
}

type number struct {
	whole   int64
	real    float64
	isWhole bool
}

func numberOf(value any) (number, bool) {
	switch n := value.(type) {
	case int64:
		return number{n, float64(n), true}, true
	case float64:
		return number{real: n}, !math.IsNaN(n) && !math.IsInf(n, 0)
	default:
		return number{}, false
	}
}

func (n number) below(o number) bool {
	if n.isWhole && o.isWhole {
		return n.whole < o.whole
	}

	return n.real < o.real
}

func numberStep(value sobek.Value, usual number) (number, error) {
	if value == nil {
		return usual, nil
	}
	bound, err := bind(value)
	if err != nil {
		return number{}, err
	}
	step, is := numberOf(bound)
	if !is || step.real <= 0 {
		return number{}, k6x.Misuse("step must be a number above 0, not %s", k6x.Show(value))
	}

	return step, nil
}

func timeStep(value sobek.Value, usual time.Duration) (time.Duration, error) {
	step, err := k6x.Duration("a pattern", "step", value, usual)
	if err == nil && value != nil && step == 0 {
		err = k6x.Misuse("step must be more than 0")
	}

	return step, err
}

var one = number{1, 1, true} //nolint:gochecknoglobals // a constant
