package machbase

import (
	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

type queryAnswer struct {
	keep   bool
	expect []expectation

	places []int

	columns []Column
	rows    [][]any
	count   int64
}

func (a *queryAnswer) begin(keep bool, expect []expectation) {
	*a = queryAnswer{keep: keep, expect: expect, places: a.places[:0]}
}

// expectation is a column that must have the same value in every row.
type expectation struct {
	column string
	// value is a result of bind or bindAs.
	value any
}

func (a *queryAnswer) read(rows Rows) error {
	if a.keep {
		a.columns = rows.Columns()
	}
	for i := range a.expect {
		column := a.expect[i].column
		place := rows.Index(column)
		if place < 0 {
			return k6x.Misuse("expect: the answer has no column %q", column)
		}
		a.places = append(a.places, place)
	}

	for rows.Next() {
		a.count++
		for i := range a.expect {
			e := &a.expect[i]
			if place := a.places[i]; !rows.Equal(place, e.value) {
				return k6x.Errorf(kindExpect, "row %d: %s is %s, expected %s",
					a.count, e.column, show(rows.Values()[place]), show(e.value))
			}
		}
		if a.keep {
			a.rows = append(a.rows, rows.Values())
		}
	}

	return rows.Err()
}

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
		if err := k6x.SetOwn(object, c.Name, rt.ToValue(converted[i])); err != nil {
			return nil, err
		}
	}

	return object, nil
}
