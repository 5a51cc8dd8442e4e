package drivers

import (
	"reflect"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

// eachRow calls fn for each row of columns in the types of cmi.Appender, until fn returns an error,
// and returns how many calls succeeded. It reuses the row.
func eachRow(columns []any, fn func(row []any) error) (int, error) {
	slices := make([]reflect.Value, len(columns))
	rows := 0
	for i, column := range columns {
		slices[i] = reflect.ValueOf(column)
		if slices[i].Kind() != reflect.Slice {
			return 0, cmi.NewError(cmi.KindUsage, "column %d must be a slice of values, not %T", i+1, column)
		}
		length := slices[i].Len()
		if i > 0 && length != rows {
			return 0, cmi.NewError(cmi.KindUsage, "column %d has %d values, but the ones before it have %d", i+1, length, rows)
		}
		rows = length
	}

	row := make([]any, len(columns))
	for n := range rows {
		for i := range slices {
			row[i] = slices[i].Index(n).Interface()
		}
		if err := fn(row); err != nil {
			return n, err
		}
	}

	return rows, nil
}
