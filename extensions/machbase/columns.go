package machbase

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

// columnsOf copies the columns: the script may change them before the promise is settled.
func columnsOf(value sobek.Value) ([]any, error) {
	reading := &k6x.Reading{}
	n, err := reading.Length(value)
	switch {
	case errors.Is(err, k6x.ErrNoArray):
		return nil, fmt.Errorf("it takes an array of columns such as [['a', 'b'], new Float64Array([1, 2])], not %s", k6x.Show(value))
	case err != nil:
		return nil, err
	}

	columns := make([]any, n)
	for i := range columns {
		column, err := columnOf(reading, k6x.Element(value, i))
		if err != nil {
			return nil, fmt.Errorf("column %d: %w", i+1, err)
		}
		columns[i] = column
	}

	return columns, nil
}

func columnOf(reading *k6x.Reading, value sobek.Value) (any, error) {
	object, ok := value.(*sobek.Object)
	if !ok {
		return nil, fmt.Errorf("it must be an array or a typed array, not %v", value)
	}
	if object.ClassName() == "Array" {
		return bindsIn(reading, object)
	}
	numbers := reflect.ValueOf(k6x.Scalar(object))
	if numbers.Kind() != reflect.Slice {
		return nil, fmt.Errorf("it must be an array or a typed array, not %s", describe(value))
	}

	return reflect.AppendSlice(reflect.MakeSlice(numbers.Type(), 0, numbers.Len()), numbers).Interface(), nil
}
