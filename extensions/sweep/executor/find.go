package executor

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"go.k6.io/k6/v2/lib/types"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/input"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
)

// Values of Find.Of.
const (
	ofClients = "clients"
	ofRate    = "rate"
)

// findPrecision limits how far the result may be below the true one, relative to the true one.
// Integers up to 50 are exact.
const findPrecision = 0.02

// defaultDoublings is the number of doublings from the default first rate to the maximum.
const defaultDoublings = 7

// Find holds the options of a search.
type Find struct {
	// Of is clients (default) or rate.
	Of string `json:"of"`
	// Min is the first number. Default: one client, or a 128th of the highest rate.
	Min float64 `json:"min"`
	Max float64 `json:"max"`

	// The bounds, at least one. All kinds of operations have to meet all of them.
	P50  types.NullDuration `json:"p50"`
	P90  types.NullDuration `json:"p90"`
	P95  types.NullDuration `json:"p95"`
	P99  types.NullDuration `json:"p99"`
	P999 types.NullDuration `json:"p999"`
	Mean types.NullDuration `json:"mean"`
}

type findBound struct {
	*report.Figure
	limit types.NullDuration
}

func (f *Find) bounds() (given []findBound) {
	limits := f.limits()
	for _, figure := range report.Latencies() {
		if limit := limits[figure.Key]; limit.Valid {
			given = append(given, findBound{figure, limit})
		}
	}

	return given
}

// names lists the possible bounds.
func (f *Find) names() []string {
	return slices.DeleteFunc(input.Names(reflect.TypeFor[Find]()), func(name string) bool {
		return slices.Contains([]string{"of", "min", "max"}, name)
	})
}

// limits returns the given bounds, by the figure's key.
func (f *Find) limits() map[string]types.NullDuration {
	limits := map[string]types.NullDuration{}
	v := reflect.ValueOf(f).Elem()
	for i := range v.NumField() {
		if limit, is := v.Field(i).Interface().(types.NullDuration); is {
			limits[v.Type().Field(i).Tag.Get("json")] = limit
		}
	}

	return limits
}

// Varies returns ofClients or ofRate.
func (f *Find) Varies() string {
	if f.Of == "" {
		return ofClients
	}

	return f.Of
}

// First returns the first number.
func (f *Find) First() float64 {
	switch {
	case f.Min > 0:
		return f.Min
	case f.Varies() == ofRate:
		return max(math.Floor(f.Max/(1<<defaultDoublings)), 1)
	}

	return 1
}

// Bound describes the bounds, such as "p99 <= 5ms".
func (f *Find) Bound() string {
	words := make([]string, 0, 1)
	for _, b := range f.bounds() {
		words = append(words, fmt.Sprintf("%s <= %s", b.Key, b.limit.TimeDuration()))
	}

	return strings.Join(words, " and ")
}

// Describe describes the search.
func (f *Find) Describe() string {
	if f.Varies() == ofRate {
		return fmt.Sprintf("up to %s operations a second, to find the highest rate with %s", stream.FormatNumber(f.Max), f.Bound())
	}

	return fmt.Sprintf("up to %s clients, to find the highest number with %s", stream.FormatNumber(f.Max), f.Bound())
}

// Validate returns errors in the options; most is the largest allowed number.
func (f *Find) Validate(most float64) (errs []error) {
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	check(f.Varies() == ofClients || f.Varies() == ofRate, "find.of must be 'clients' or 'rate', but is '%s'", f.Of)
	check(f.Max >= 1 && f.Max <= most && f.Max == math.Trunc(f.Max),
		"find.max must be an integer from 1 to %s, but is %v", stream.FormatNumber(most), f.Max)
	check(f.Min >= 0 && f.Min <= f.Max && f.Min == math.Trunc(f.Min),
		"find.min must be an integer of at most find.max, but is %v", f.Min)
	check(len(f.bounds()) > 0, "find must name a bound, such as p99: '5ms'; there are %s", strings.Join(f.names(), ", "))
	for _, b := range f.bounds() {
		check(b.limit.Duration > 0, "find.%s must be more than 0, but is %s", b.Key, b.limit.Duration)
	}

	return errs
}

// mostNumbers returns how many numbers a search without wrong decisions tries: doubling until the
// bound is missed, then halving.
func (f *Find) mostNumbers() int {
	doublings := math.Ceil(math.Log2(f.Max / f.First()))

	return 2 + int(doublings) + int(math.Ceil(math.Log2(1/findPrecision)))
}

// MostSteps returns the most steps of a search with this number of repeats: three more for each
// number, and all tries for eight numbers (the ends of the bracket and undecided ones).
func (f *Find) MostSteps(repeats int) int {
	return f.mostNumbers()*(repeats+3) + 8*mostTries
}
