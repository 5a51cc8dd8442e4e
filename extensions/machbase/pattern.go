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

// wholes are integers, or times in nanoseconds.
type wholes struct {
	areTimes bool
	low      int64
}

func (w wholes) value(n int64) any {
	if w.areTimes {
		return time.Unix(0, n)
	}

	return n
}

type wholeBetween struct {
	wholes

	step, steps uint64
}

func (b wholeBetween) next(d *draws) any {
	if b.steps == math.MaxUint64 {
		return b.value(int64(d.random.Uint64()))
	}

	return b.value(int64(uint64(b.low) + d.random.Uint64N(b.steps+1)*b.step))
}

type realBetween struct{ low, high float64 }

func (b realBetween) next(d *draws) any {
	share := d.random.Float64()

	return b.low*(1-share) + b.high*share // finite, even if high-low is not
}

type wholeSequence struct {
	wholes

	step int64
}

func (s wholeSequence) next(d *draws) any { return s.value(s.low + d.turn*s.step) }

const patternForms = "a value, { oneOf: [...] }, { between: [low, high], step } or { from, step }"

func patterns(method, what string, value sobek.Value) ([]pattern, error) {
	values, err := k6x.Elements(method, what, value)
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
	k6x.Into("oneOf", func(o *patternOptions) *sobek.Value { return &o.oneOf }, asGiven),
	k6x.Into("between", func(o *patternOptions) *sobek.Value { return &o.between }, asGiven),
	k6x.Into("from", func(o *patternOptions) *sobek.Value { return &o.from }, asGiven),
	k6x.Into("step", func(o *patternOptions) *sobek.Value { return &o.step }, asGiven),
}

func asGiven(_, _ string, value sobek.Value) (sobek.Value, error) { return value, nil }

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
		low, isLow := numberOf(bounds[0])
		high, isHigh := numberOf(bounds[1])
		if isLow && isHigh && low.isTime == high.isTime && !high.below(low) {
			return within(low, high, step)
		}
	}

	return nil, k6x.Misuse("between must be two numbers or two Dates, the lower one first, not %s", k6x.Show(value))
}

// The numbers are integers if both bounds are.
func within(low, high number, step sobek.Value) (pattern, error) {
	every, err := low.step(step, time.Millisecond)
	if err != nil {
		return nil, err
	}
	if low.isWhole && high.isWhole {
		size := uint64(every)

		return wholeBetween{low.wholes(), size, (uint64(high.whole) - uint64(low.whole)) / size}, nil
	}
	if step != nil {
		return nil, k6x.Misuse("step is only for integers and Dates")
	}

	return realBetween{low.real, high.real}, nil
}

func sequence(value, step sobek.Value) (pattern, error) {
	from, err := bind(value)
	if err != nil {
		return nil, err
	}
	start, is := numberOf(from)
	if !is || !start.isWhole {
		return nil, k6x.Misuse("from must be an integer or a Date, not %s", k6x.Show(value))
	}
	every, err := start.step(step, 0)
	if err == nil && every == 0 {
		err = k6x.Misuse("a sequence of times needs a step, such as { from: date, step: '1s' }")
	}

	return wholeSequence{start.wholes(), every}, err
}

// number is a number, or a time as whole nanoseconds.
type number struct {
	whole           int64
	real            float64
	isWhole, isTime bool
}

func numberOf(value any) (number, bool) {
	switch n := value.(type) {
	case time.Time:
		return number{whole: n.UnixNano(), isWhole: true, isTime: true}, true
	case int64:
		return number{whole: n, real: float64(n), isWhole: true}, true
	case float64:
		return number{real: n}, !math.IsNaN(n) && !math.IsInf(n, 0)
	default:
		return number{}, false
	}
}

func (n number) wholes() wholes { return wholes{n.isTime, n.whole} }

func (n number) below(o number) bool {
	if n.isWhole && o.isWhole {
		return n.whole < o.whole
	}

	return n.real < o.real
}

// step reads the step from n on. Default: 1, or for times usual.
func (n number) step(value sobek.Value, usual time.Duration) (int64, error) {
	if n.isTime {
		step, err := k6x.Duration("a pattern", "step", value, usual)
		if err == nil && value != nil && step == 0 {
			err = k6x.Misuse("step must be more than 0")
		}

		return int64(step), err
	}
	if value == nil {
		return 1, nil
	}
	step, err := bind(value)
	whole, is := step.(int64)
	if err == nil && (!is || whole <= 0) {
		err = k6x.Misuse("step must be an integer above 0, not %s", k6x.Show(value))
	}

	return whole, err
}
