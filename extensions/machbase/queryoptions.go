package machbase

import (
	"slices"
	"strings"
	"time"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
)

// How a query gives its rows to the script.
const (
	rowsObjects = "objects" // one object a row, with the columns' names as keys
	rowsArrays  = "arrays"  // one array a row
	rowsDiscard = "discard" // none: read, checked and counted in Go, so that a row costs no JavaScript
)

// queryOptions are the last argument of query.
type queryOptions struct {
	rows    string
	ns      bool
	timeout time.Duration
	expect  []expectation
}

// The options of a query, and of a statement without rows.
var (
	queryKeys = []string{"rows", "expect", "times", "timeout"} //nolint:gochecknoglobals // a constant
	execKeys  = []string{"timeout"}                            //nolint:gochecknoglobals // a constant
)

// parseQueryOptions reads those of { rows, expect, times, timeout } that are known.
func parseQueryOptions(value sobek.Value, timeout time.Duration, known []string) (*queryOptions, error) {
	o := &queryOptions{rows: rowsObjects, timeout: timeout}
	if k6glue.IsNullish(value) {
		return o, nil
	}
	object, ok := value.(*sobek.Object)
	if !ok {
		return nil, newError(KindUsage, "the options must be an object such as { rows: 'arrays' }, not %s", k6glue.Show(value))
	}

	for _, key := range object.Keys() {
		value := object.Get(key)
		if !slices.Contains(known, key) {
			return nil, newError(KindUsage, "unknown option %q; known are %s", key, strings.Join(known, ", "))
		}
		if sobek.IsUndefined(value) {
			continue
		}
		if err := o.set(key, value); err != nil {
			return nil, err
		}
	}

	return o, nil
}

func (o *queryOptions) set(key string, value sobek.Value) (err error) {
	switch key {
	case "rows":
		o.rows = k6glue.Show(value)
		if o.rows != rowsObjects && o.rows != rowsArrays && o.rows != rowsDiscard {
			return newError(KindUsage, "option rows must be 'objects', 'arrays' or 'discard', not %q", o.rows)
		}
	case "times":
		o.ns = k6glue.Show(value) == "ns"
		if !o.ns && k6glue.Show(value) != "date" {
			return newError(KindUsage, "option times must be 'date' or 'ns', not %q", k6glue.Show(value))
		}
	case "timeout":
		o.timeout, err = duration(value)
	case "expect":
		o.expect, err = expectations(value)
	}

	return err
}

// duration reads a k6 duration: a string such as "5s" or a number of milliseconds.
func duration(value sobek.Value) (time.Duration, error) {
	d, ok := k6glue.DurationOf(value)
	if !ok || d <= 0 {
		return 0, newError(KindUsage, "option timeout must be a duration such as '5s' or a number of milliseconds, not %s", k6glue.Show(value))
	}

	return d, nil
}

func expectations(value sobek.Value) ([]expectation, error) {
	object, ok := value.(*sobek.Object)
	if !ok {
		return nil, newError(KindUsage, "option expect must be an object such as { code: 'WISH' }, not %s", k6glue.Show(value))
	}

	keys := object.Keys()
	expect := make([]expectation, len(keys))
	for i, key := range keys {
		want, err := bind(object.Get(key))
		if err != nil {
			return nil, newError(KindUsage, "expect: %s: %s", key, err)
		}
		expect[i] = expectation{column: key, value: want}
	}

	return expect, nil
}
