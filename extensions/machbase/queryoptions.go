package machbase

import (
	"time"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
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
	tags    k6mod.Tags
	expect  []expectation
	minRows rowCount
}

// rowCount is the option minRows: how many rows an answer has at least.
type rowCount struct {
	given bool
	rows  uint64
}

func readRowCount(method, what string, value sobek.Value) (rowCount, error) {
	n, err := k6mod.Unsigned(method, what, value)

	return rowCount{given: true, rows: n}, err
}

// withExpect returns the count where rows have expectations: one row, unless the script says
// another number. An empty answer is not the expected one.
func (c rowCount) withExpect(expect []expectation) rowCount {
	if !c.given && len(expect) > 0 {
		c.rows = 1
	}

	return c
}

// check returns the error of an answer with fewer rows.
func (c rowCount) check(rows int64) error {
	if uint64(rows) < c.rows {
		return k6mod.Errorf(kindExpect, "the answer has %d rows, not %d at least", rows, c.rows)
	}

	return nil
}

// allQueryOptions are the options of a query.
var allQueryOptions = k6mod.Options[queryOptions]{ //nolint:gochecknoglobals // a table
	{Name: "rows", Read: func(o *queryOptions, method string, value sobek.Value) (err error) {
		o.rows, err = k6mod.Word(method, "option rows", value, rowsObjects, rowsArrays, rowsDiscard)

		return err
	}},
	{Name: "expect", Read: func(o *queryOptions, method string, value sobek.Value) (err error) {
		o.expect, err = expectations(method, value)

		return err
	}},
	k6mod.Into("minRows", func(o *queryOptions) *rowCount { return &o.minRows }, readRowCount),
	{Name: "times", Read: func(o *queryOptions, method string, value sobek.Value) error {
		word, err := k6mod.Word(method, "option times", value, "date", "ns")
		o.ns = word == "ns"

		return err
	}},
	{Name: "timeout", Read: func(o *queryOptions, method string, value sobek.Value) error {
		return readTimeout(&o.timeout, method, value)
	}},
	k6mod.TagsOption(func(o *queryOptions) *k6mod.Tags { return &o.tags }),
}

// execOptions are those of a statement without rows.
var execOptions = k6mod.Options[task]{ //nolint:gochecknoglobals // a table
	{Name: "timeout", Read: func(t *task, method string, value sobek.Value) error { return readTimeout(&t.timeout, method, value) }},
	k6mod.TagsOption(func(t *task) *k6mod.Tags { return &t.tags }),
}

// connectOptions are those of connecting, which has its time from the client.
var connectOptions = k6mod.Options[task]{ //nolint:gochecknoglobals // a table
	k6mod.TagsOption(func(t *task) *k6mod.Tags { return &t.tags }),
}

// readTimeout reads how long a call may take.
func readTimeout(timeout *time.Duration, method string, value sobek.Value) error {
	d, err := k6mod.Time(method, "option timeout", value)
	if err != nil {
		return err
	}
	if d == 0 {
		return k6mod.Misuse("%s: option timeout must be more than 0", method)
	}
	*timeout = d

	return nil
}

func expectations(method string, value sobek.Value) ([]expectation, error) {
	object, ok := value.(*sobek.Object)
	if !ok {
		return nil, k6mod.Wrong(method, "option expect", "an object such as { code: 'WISH' }", value)
	}

	keys := object.Keys()
	expect := make([]expectation, len(keys))
	for i, key := range keys {
		want, err := bind(object.Get(key))
		if err != nil {
			return nil, k6mod.Misuse("expect: %s: %s", key, err)
		}
		expect[i] = expectation{column: key, value: want}
	}

	return expect, nil
}
