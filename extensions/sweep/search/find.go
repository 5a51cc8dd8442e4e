package search

import (
	"fmt"
	"math"
	"reflect"
	"strings"

	"go.k6.io/k6/v2/lib/types"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
)

// What a search may vary.
const (
	ofClients = "clients"
	OfRate    = "rate"
)

// findPrecision is how far the answer of a search may be below the highest number that keeps the
// bound, as a part of it. Integers are the finest: up to 50 it is exact.
const findPrecision = 0.02

// defaultDoublings is how often the first rate of a search that names none can be doubled up to the
// most.
const defaultDoublings = 7

// Find is a search for the highest number of clients, or the highest rate, at which the latency
// keeps a bound.
type Find struct {
	// Of is what is varied: clients or rate. Default: clients.
	Of string `json:"of"`
	// Min is the first number that is tried. Default: one client, or a 128th of the highest rate.
	Min float64 `json:"min"`
	// Max is the highest number that is tried.
	Max float64 `json:"max"`

	// The bounds, at least one of them. All that are given must be kept, by all kinds of
	// operations.
	P50  types.NullDuration `json:"p50"`
	P90  types.NullDuration `json:"p90"`
	P95  types.NullDuration `json:"p95"`
	P99  types.NullDuration `json:"p99"`
	P999 types.NullDuration `json:"p999"`
	Mean types.NullDuration `json:"mean"`
}

// findBound is one of the bounds: the figure's latency may be at most limit.
type findBound struct {
	*report.Figure
	limit types.NullDuration
}

// bounds are those that are given, in the order of report.Figures.
func (f *Find) bounds() (given []findBound) {
	limits := f.limits()
	for _, figure := range report.Latencies() {
		if limit := limits[figure.Key]; limit.Valid {
			given = append(given, findBound{figure, limit})
		}
	}

	return given
}

// names are the names of the bounds that there are, such as "p50, p99 and mean".
func (f *Find) names() string {
	limits := f.limits()
	var names []string
	for _, figure := range report.Latencies() {
		if _, is := limits[figure.Key]; is {
			names = append(names, figure.Key)
		}
	}
	last := len(names) - 1

	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// limits are the fields that bound a figure, by the figure's key.
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

// Varies is what the search varies: OfClients or OfRate.
func (f *Find) Varies() string {
	if f.Of == "" {
		return ofClients
	}

	return f.Of
}

// First is the number that is tried first.
func (f *Find) First() float64 {
	switch {
	case f.Min > 0:
		return f.Min
	case f.Varies() == OfRate:
		return max(math.Floor(f.Max/(1<<defaultDoublings)), 1)
	}

	return 1
}

// Bound is the bound in words, such as "p99 <= 5ms".
func (f *Find) Bound() string {
	words := make([]string, 0, 1)
	for _, b := range f.bounds() {
		words = append(words, fmt.Sprintf("%s <= %s", b.Key, b.limit.TimeDuration()))
	}

	return strings.Join(words, " and ")
}

// Describe says what is searched for.
func (f *Find) Describe() string {
	if f.Varies() == OfRate {
		return fmt.Sprintf("up to %s operations a second, to find the highest rate with %s", stream.FormatNumber(f.Max), f.Bound())
	}

	return fmt.Sprintf("up to %s clients, to find the highest number with %s", stream.FormatNumber(f.Max), f.Bound())
}

// Validate returns what is wrong with the options of a search for a number of at most so much.
func (f *Find) Validate(most float64) (errs []error) {
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	check(f.Varies() == ofClients || f.Varies() == OfRate, "find.of must be 'clients' or 'rate', but is '%s'", f.Of)
	check(f.Max >= 1 && f.Max <= most && f.Max == math.Trunc(f.Max),
		"find.max must be an integer from 1 to %s, but is %v", stream.FormatNumber(most), f.Max)
	check(f.Min >= 0 && f.Min <= f.Max && f.Min == math.Trunc(f.Min),
		"find.min must be an integer of at most find.max, but is %v", f.Min)
	check(len(f.bounds()) > 0, "find must name a bound, such as p99: '5ms'; there are %s", f.names())
	for _, b := range f.bounds() {
		check(b.limit.Duration > 0, "find.%s must be more than 0, but is %s", b.Key, b.limit.Duration)
	}

	return errs
}

// mostNumbers is how many numbers are tried when every one is decided rightly: doubled until the
// bound breaks, then halving what is between.
func (f *Find) mostNumbers() int {
	doublings := math.Ceil(math.Log2(f.Max / f.First()))

	return 2 + int(doublings) + int(math.Ceil(math.Log2(1/findPrecision)))
}

// MostSteps is how many steps a search has at most, with so many repeats of each number: enough for
// three more of every number, and for eight numbers to be tried as often as any may be: the ends of
// the bracket, and those between that stay undecided.
func (f *Find) MostSteps(repeats int) int {
	return f.mostNumbers()*(repeats+3) + 8*mostTries
}
