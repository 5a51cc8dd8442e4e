package machbase

import (
	"time"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

// Values of the query option rows.
const (
	rowsObjects = "objects" // an object for each row, with the column names as keys
	rowsArrays  = "arrays"  // an array for each row
	rowsDiscard = "discard" // read, check and count the rows in Go, without JavaScript
)

type queryOptions struct {
	rows    string
	ns      bool
	timeout time.Duration
	tags    k6x.Tags
	expect  []expectation
	minRows rowCount
}

type rowCount struct {
	given bool
	rows  uint64
}

func readRowCount(method, what string, value sobek.Value) (rowCount, error) {
	n, err := k6x.Unsigned(method, what, value)

	return rowCount{given: true, rows: n}, err
}

// An empty answer does not meet expectations.
func (c rowCount) withExpect(expect []expectation) rowCount {
	if !c.given && len(expect) > 0 {
		c.rows = 1
	}

	return c
}

func (c rowCount) check(rows int64) error {
	if uint64(rows) < c.rows {
		return k6x.Errorf(kindExpect, "the answer has %d rows, but needs at least %d", rows, c.rows)
	}

	return nil
}

var allQueryOptions = k6x.Options[queryOptions]{ //nolint:gochecknoglobals // a table
	k6x.Into("rows", func(o *queryOptions) *string { return &o.rows }, func(method, what string, value sobek.Value) (string, error) {
		return k6x.Word(method, what, value, rowsObjects, rowsArrays, rowsDiscard)
	}),
	k6x.Into("expect", func(o *queryOptions) *[]expectation { return &o.expect }, expectations),
	k6x.Into("minRows", func(o *queryOptions) *rowCount { return &o.minRows }, readRowCount),
	{Name: "times", Read: func(o *queryOptions, method string, value sobek.Value) error {
		word, err := k6x.Word(method, "option times", value, "date", "ns")
		o.ns = word == "ns"

		return err
	}},
	k6x.Into("timeout", func(o *queryOptions) *time.Duration { return &o.timeout }, aboveZero),
	k6x.TagsOption(func(o *queryOptions) *k6x.Tags { return &o.tags }),
}

var execOptions = k6x.Options[task]{ //nolint:gochecknoglobals // a table
	k6x.Into("timeout", func(t *task) *time.Duration { return &t.timeout }, aboveZero),
	k6x.TagsOption(func(t *task) *k6x.Tags { return &t.tags }),
}

var connectOptions = k6x.Options[task]{ //nolint:gochecknoglobals // a table
	k6x.TagsOption(func(t *task) *k6x.Tags { return &t.tags }),
}

func aboveZero(method, what string, value sobek.Value) (time.Duration, error) {
	d, err := k6x.Time(method, what, value)
	if err == nil && d == 0 {
		err = k6x.Misuse("%s: %s must be more than 0", method, what)
	}

	return d, err
}

func expectations(method, what string, value sobek.Value) ([]expectation, error) {
	object, ok := value.(*sobek.Object)
	if !ok {
		return nil, k6x.Wrong(method, what, "an object such as { code: 'WISH' }", value)
	}

	keys := object.Keys()
	expect := make([]expectation, len(keys))
	for i, key := range keys {
		want, err := bind(object.Get(key))
		if err != nil {
			return nil, k6x.Misuse("expect: %s: %s", key, err)
		}
		expect[i] = expectation{column: key, value: want}
	}

	return expect, nil
}
