package machbase

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/splitmix"
)

// pattern makes the parameter of each operation of a run.
type pattern interface{ next(d *draws) any }

// draws is how far a client has come in what it draws for its operations. What it draws follows
// from the seed and the client alone.
type draws struct {
	random *rand.Rand
	// turn is the number of the operation among those of all clients, which take turns: client 3 of
	// 8 does 3, 11, 19 and so on.
	turn, clients int64
}

func newDraws(seed uint64, index, clients int) *draws {
	return &draws{
		random: rand.New(rand.NewPCG(splitmix.Mix(seed), splitmix.Mix(uint64(index)))),
		turn:   int64(index), clients: int64(clients),
	}
}

// parameters makes those of the next operation.
func (d *draws) parameters(patterns []pattern, into []any) []any {
	for _, p := range patterns {
		into = append(into, p.next(d))
	}
	d.turn += d.clients

	return into
}

// constant is a value that is the same each time.
type constant struct{ value any }

func (c constant) next(*draws) any { return c.value }

// oneOf draws each of its values as often as the others.
type oneOf []any

func (o oneOf) next(d *draws) any { return o[d.random.IntN(len(o))] }

// wholeBetween draws one of low, low+step and so on up to so many steps above low.
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

// realBetween is wholeBetween of numbers that are not whole; a step of 0 is none.
type realBetween struct{ low, high, step float64 }

func (b realBetween) next(d *draws) any {
	if b.step == 0 {
		share := d.random.Float64()

		return b.low*(1-share) + b.high*share // which is finite where their difference is not
	}

	return b.low + b.step*float64(d.random.Int64N(int64((b.high-b.low)/b.step)+1))
}

// timeBetween is wholeBetween of nanoseconds.
type timeBetween struct{ wholeBetween }

func (b timeBetween) next(d *draws) any { return time.Unix(0, b.draw(d)) }

// The sequences give operation after operation, of whichever client, the next value.
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

// patternForms says what a parameter of a run can be.
const patternForms = "a value, { oneOf: [...] }, { between: [low, high], step } or { from, step }"

// patterns reads the parameters of a run.
func patterns(value sobek.Value) ([]pattern, error) {
	values, err := k6mod.Elements("run", "option params", value)
	if err != nil {
		return nil, err
	}
	all := make([]pattern, len(values))
	for i, value := range values {
		if all[i], err = patternOf(value); err != nil {
			return nil, k6mod.Misuse("run: parameter %d: %s", i+1, err)
		}
	}

	return all, nil
}

// patternOptions are what an object that is a pattern may have.
type patternOptions struct{ oneOf, between, from, step sobek.Value }

var allPatternOptions = k6mod.Options[patternOptions]{ //nolint:gochecknoglobals // a table
	patternOption("oneOf", func(o *patternOptions) *sobek.Value { return &o.oneOf }),
	patternOption("between", func(o *patternOptions) *sobek.Value { return &o.between }),
	patternOption("from", func(o *patternOptions) *sobek.Value { return &o.from }),
	patternOption("step", func(o *patternOptions) *sobek.Value { return &o.step }),
}

func patternOption(name string, field func(*patternOptions) *sobek.Value) k6mod.Option[patternOptions] {
	return k6mod.Option[patternOptions]{Name: name, Read: func(o *patternOptions, _ string, value sobek.Value) error {
		*field(o) = value

		return nil
	}}
}

func patternOf(value sobek.Value) (pattern, error) {
	object, is := value.(*sobek.Object)
	if !is || object.ClassName() != "Object" || k6glue.Scalar(value) != nil {
		v, err := bind(value)

		return constant{v}, err
	}
	var o patternOptions
	if err := allPatternOptions.Read("a pattern", value, &o); err != nil {
		return nil, err
	}
	switch {
	case o.oneOf != nil && o.between == nil && o.from == nil && o.step == nil:
		return oneOfValues(o.oneOf)
	case o.between != nil && o.oneOf == nil && o.from == nil:
		return between(o.between, o.step)
	case o.from != nil && o.oneOf == nil && o.between == nil:
		return sequence(o.from, o.step)
	default:
		return nil, k6mod.Misuse("it must be %s", patternForms)
	}
}

func oneOfValues(value sobek.Value) (pattern, error) {
	values, err := binds(value)
	if err != nil {
		return nil, err
	}
	if len(values) == 0 {
		return nil, k6mod.Misuse("oneOf must have a value at least")
	}

	return oneOf(values), nil
}

// between reads a pattern of an even distribution.
func between(value, step sobek.Value) (pattern, error) {
	bounds, err := binds(value)
	if err != nil {
		return nil, err
	}
	if len(bounds) == 2 {
		if from, to, are := times(bounds[0], bounds[1]); are && !to.Before(from) {
			every, err := timeStep(step, time.Millisecond)
			if err != nil {
				return nil, err
			}

			return timeBetween{steps(from.UnixNano(), to.UnixNano(), uint64(every))}, nil
		}
		low, high, are := numbers(bounds[0], bounds[1])
		if are && low <= high {
			return numbersBetween(bounds, low, high, step)
		}
	}

	return nil, k6mod.Misuse("between must be two numbers or two Dates, the lower one first, not %s", k6glue.Show(value))
}

// numbersBetween is between of two numbers, which are whole where all three of them are.
func numbersBetween(bounds []any, low, high float64, step sobek.Value) (pattern, error) {
	every, whole, err := numberStep(step)
	if err != nil {
		return nil, err
	}
	from, fromWhole := bounds[0].(int64)
	to, toWhole := bounds[1].(int64)
	if fromWhole && toWhole && (step == nil || whole) {
		return steps(from, to, uint64(max(every, 1))), nil
	}

	if every > 0 && !((high-low)/every < 1<<53) {
		return nil, k6mod.Misuse("between has too many steps of %v", every)
	}

	return realBetween{low, high, every}, nil
}

func steps(low, high int64, step uint64) wholeBetween {
	return wholeBetween{low, step, (uint64(high) - uint64(low)) / step}
}

// sequence reads a pattern of values that follow one another.
func sequence(value, step sobek.Value) (pattern, error) {
	from, err := bind(value)
	if err != nil {
		return nil, err
	}
	if start, is := from.(time.Time); is {
		every, err := timeStep(step, 0)
		if err == nil && every == 0 {
			err = k6mod.Misuse("a sequence of times needs a step, such as { from: date, step: '1s' }")
		}

		return timeSequence{start, every}, err
	}
	start, _, are := numbers(from, from)
	if !are {
		return nil, k6mod.Misuse("from must be a number or a Date, not %s", k6glue.Show(value))
	}
	every, whole, err := numberStep(step)
	if every == 0 {
		every, whole = 1, true
	}
	if first, is := from.(int64); is && whole {
		return wholeSequence{first, int64(every)}, err
	}

	return realSequence{start, every}, err
}

// numberStep reads the step of numbers: 0 where none is said.
func numberStep(value sobek.Value) (step float64, whole bool, err error) {
	if value == nil {
		return 0, false, nil
	}
	bound, err := bind(value)
	if err != nil {
		return 0, false, err
	}
	step, _, is := numbers(bound, bound)
	if !is || !(step > 0) {
		return 0, false, k6mod.Misuse("step must be a number above 0, not %s", k6glue.Show(value))
	}
	_, whole = bound.(int64)

	return step, whole, nil
}

// timeStep reads the step of times.
func timeStep(value sobek.Value, usual time.Duration) (time.Duration, error) {
	step, err := k6mod.Duration("a pattern", "step", value, usual)
	if err == nil && value != nil && step == 0 {
		err = k6mod.Misuse("step must be more than 0")
	}

	return step, err
}

func times(a, b any) (first, second time.Time, are bool) {
	first, isFirst := a.(time.Time)
	second, isSecond := b.(time.Time)

	return first, second, isFirst && isSecond
}

// numbers are two that are finite, as bind makes them of numbers whose type the script has not
// chosen.
func numbers(a, b any) (first, second float64, are bool) {
	for i, v := range []any{a, b} {
		into := &first
		if i == 1 {
			into = &second
		}
		switch n := v.(type) {
		case int64:
			*into = float64(n)
		case float64:
			*into = n
		default:
			return 0, 0, false
		}
		if math.IsNaN(*into) || math.IsInf(*into, 0) {
			return 0, 0, false
		}
	}

	return first, second, true
}
