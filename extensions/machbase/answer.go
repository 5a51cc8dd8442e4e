package machbase

import (
	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

// queryAnswer takes the rows of an answer: it keeps or only counts them, and checks each against
// what is expected.
type queryAnswer struct {
	keep   bool
	expect []expectation

	// places are where those columns stand.
	places []int

	columns []Column
	rows    [][]any
	count   int64

	seen seen
}

// begin makes ready for another answer. What is expected may be other clients' as well.
func (a *queryAnswer) begin(keep bool, expect []expectation) {
	a.keep, a.expect, a.places = keep, expect, a.places[:0]
	a.columns, a.rows, a.count = nil, nil, 0
}

// seen is the last answer that was looked at, all rows of which were as expected.
type seen struct {
	whole  cmi.Whole
	expect []expectation
	count  int64
	// strange is how many answers were others than those before, since one was not.
	strange int
}

// mostStrange is how many answers may be others than those before: then none is kept any more.
const mostStrange = 8

// expects tells whether this was expected of it. Expectations never change, so that the same memory
// has the same.
func (s *seen) expects(expect []expectation) bool {
	return len(s.expect) == len(expect) && (len(expect) == 0 || &s.expect[0] == &expect[0])
}

// repeating are rows that can be known again: see cmi.Rows.
type repeating interface {
	Keep(w *cmi.Whole)
	Repeats(w *cmi.Whole) bool
	AtOnce() bool
}

// expectation is a column that must have the same value in every row.
type expectation struct {
	column string
	// value is what bind and bindAs return.
	value any
}

// read is what a driver's Query calls. Where rows are only counted, those of an answer that is byte
// by byte the one before are not looked at again.
func (a *queryAnswer) read(rows Rows) error {
	again, can := rows.(repeating)
	if !can || a.keep || a.seen.strange > mostStrange {
		return a.look(rows)
	}
	if a.seen.expects(a.expect) && again.Repeats(&a.seen.whole) {
		a.count, a.seen.strange = a.seen.count, 0

		return nil
	}
	a.seen.strange++
	again.Keep(&a.seen.whole)
	err := a.look(rows)
	if err != nil || !again.AtOnce() {
		a.seen.whole.Forget()
	}
	a.seen.expect, a.seen.count = a.expect, a.count

	return err
}

// look takes the rows one by one.
func (a *queryAnswer) look(rows Rows) error {
	if a.keep {
		a.columns = rows.Columns()
	}
	for i := range a.expect {
		column := a.expect[i].column
		place := rows.Index(column)
		if place < 0 {
			return k6mod.Misuse("expect: the answer has no column %q", column)
		}
		a.places = append(a.places, place)
	}

	for rows.Next() {
		a.count++
		for i := range a.expect {
			e := &a.expect[i]
			if place := a.places[i]; !rows.Equal(place, e.value) {
				return k6mod.Errorf(kindExpect, "row %d: %s is %s, expected %s",
					a.count, e.column, show(rows.Values()[place]), show(e.value))
			}
		}
		if a.keep {
			a.rows = append(a.rows, rows.Values())
		}
	}

	return rows.Err()
}

// toJS turns the rows into an array of objects or of arrays, with a property columns.
func (a *queryAnswer) toJS(rt *sobek.Runtime, o *queryOptions) (sobek.Value, error) {
	rows := make([]any, len(a.rows))
	for i, values := range a.rows {
		row, err := a.rowToJS(rt, values, o)
		if err != nil {
			return nil, err
		}
		rows[i] = row
	}
	array := rt.NewArray(rows...)

	columns := make([]any, len(a.columns))
	for i, c := range a.columns {
		column := rt.NewObject()
		if err := column.Set("name", c.Name); err != nil {
			return nil, err
		}
		if err := column.Set("type", c.Type); err != nil {
			return nil, err
		}
		columns[i] = column
	}

	return array, array.DefineDataProperty("columns", rt.NewArray(columns...),
		sobek.FLAG_FALSE, sobek.FLAG_FALSE, sobek.FLAG_FALSE)
}

func (a *queryAnswer) rowToJS(rt *sobek.Runtime, values []any, o *queryOptions) (sobek.Value, error) {
	converted := make([]any, len(values))
	for i, value := range values {
		v, err := toJS(rt, value, o.ns)
		if err != nil {
			return nil, err
		}
		converted[i] = v
	}
	if o.rows == rowsArrays {
		return rt.NewArray(converted...), nil
	}

	object := rt.NewObject()
	for i, c := range a.columns {
		if err := object.Set(c.Name, converted[i]); err != nil {
			return nil, err
		}
	}

	return object, nil
}
