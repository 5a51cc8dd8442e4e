package machbase

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/grafana/sobek"
)

// columnsOf turns an array of columns into what an appender takes. A typed array becomes a slice of its numbers, with no
// value of its own for each; a copy, as the script may fill the array anew while a promise is not settled yet.
func columnsOf(value sobek.Value) ([]any, error) {
	array, ok := value.(*sobek.Object)
	if !ok || array.ClassName() != "Array" {
		return nil, fmt.Errorf("it takes an array of columns such as [['a', 'b'], new Float64Array([1, 2])], not %s", value.String())
	}

	columns := make([]any, array.Get("length").ToInteger())
	for i := range columns {
		column, err := columnOf(array.Get(strconv.Itoa(i)))
		if err != nil {
			return nil, fmt.Errorf("column %d: %w", i+1, err)
		}
		columns[i] = column
	}

	return columns, nil
}

func columnOf(value sobek.Value) (any, error) {
	object, ok := value.(*sobek.Object)
	if !ok {
		return nil, fmt.Errorf("it must be an array or a typed array, not %v", value)
	}
	if object.ClassName() == "Array" {
		return binds(object)
	}
	switch v := object.Export().(type) {
	case []float64:
		return slices.Clone(v), nil
	case []float32:
		return slices.Clone(v), nil
	case []int64:
		return slices.Clone(v), nil
	case []uint64:
		return slices.Clone(v), nil
	case []int32:
		return slices.Clone(v), nil
	case []uint32:
		return slices.Clone(v), nil
	case []int16:
		return slices.Clone(v), nil
	case []uint16:
		return slices.Clone(v), nil
	case []int8:
		return slices.Clone(v), nil
	case []uint8:
		return slices.Clone(v), nil
	default:
		return nil, fmt.Errorf("it must be an array or a typed array, not %s", describe(value))
	}
}
