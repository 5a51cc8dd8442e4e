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
	{Name: "rows", Read: func(o *queryOptions, method string, value sobek.Value) (err error) {
		o.rows, err = k6x.Word(method, "option rows", value, rowsObjects, rowsArrays, rowsDiscard)

		return err
	}},
	{Name: "expect", Read: func(o *queryOptions, method string, value sobek.Value) (err error) {
		o.expect, err = expectations(method, value)

		return err
	}},
	k6x.Into("minRows", func(o *queryOptions) *rowCount { return &o.minRows }, readRowCount),
	{Name: "times", Read: func(o *queryOptions, method string, value sobek.Value) error {
		word, err := k6x.Word(method, "option times", value, "date", "ns")
		o.ns = word == "ns"

		return err
	}},
	{Name: "timeout", Read: func(o *queryOptions, method string, value sobek.Value) error {
		return readTimeout(&o.timeout, method, value)
	}},
	k6x.TagsOption(func(o *queryOptions) *k6x.Tags { return &o.tags }),
}

var execOptions = k6x.Options[task]{ //nolint:gochecknoglobals // a table
	{Name: "timeout", Read: func(t *task, method string, value sobek.Value) error { return readTimeout(&t.timeout, method, value) }},
	k6x.TagsOption(func(t *task) *k6x.Tags { return &t.tags }),
}

var connectOptions = k6x.Options[task]{ //nolint:gochecknoglobals // a table
	k6x.TagsOption(func(t *task) *k6x.Tags { return &t.tags }),
}

func readTimeout(timeout *time.Duration, method string, value sobek.Value) error {
	d, err := k6x.Time(method, "option timeout", value)
	if err != nil {
		return err
	}
	if d == 0 {
		return k6x.Misuse("%s: option timeout must be more than 0", method)
	}
	*timeout = d

	return nil
}

func expectations(method string, value sobek.Value) ([]expectation, error) {
	object, ok := value.(*sobek.Object)
	if !ok {
		return nil, k6x.Wrong(method, "option expect", "an object such as { code: 'WISH' }", value)
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
