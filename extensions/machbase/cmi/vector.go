package cmi

import (
	"reflect"
	"time"
)

func lengthOf(column any) (int, bool) {
	switch column.(type) {
	case []any, []string, [][]byte, []time.Time, []float32, []float64,
		[]int8, []int16, []int32, []int64, []uint8, []uint16, []uint32, []uint64:
		return reflect.ValueOf(column).Len(), true
	default:
		return 0, false
	}
}

func putCell(b []byte, c Column, column any, row int) ([]byte, bool, *Error) { //nolint:cyclop // one case for each type
	switch v := column.(type) {
	case []float64:
		return putFloat(b, c, v[row])
	case []int64:
		return putInteger(b, c, v[row])
	case []string:
		return putText(b, c, v[row])
	case []any:
		return put(b, c, v[row])
	case []time.Time:
		return putTime(b, c, v[row])
	case [][]byte:
		if v[row] == nil {
			return b, false, nil
		}

		return putBytes(b, c, v[row])
	case []float32:
		return putFloat(b, c, float64(v[row]))
	case []int8:
		return putInteger(b, c, int64(v[row]))
	case []int16:
		return putInteger(b, c, int64(v[row]))
	case []int32:
		return putInteger(b, c, int64(v[row]))
	case []uint8:
		return putInteger(b, c, int64(v[row]))
	case []uint16:
		return putInteger(b, c, int64(v[row]))
	case []uint32:
		return putInteger(b, c, int64(v[row]))
	default:
		return putUnsigned(b, c, column.([]uint64)[row]) //nolint:forcetypeassert // lengthOf has checked it
	}
}
