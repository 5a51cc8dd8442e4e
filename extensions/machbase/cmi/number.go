package cmi

import (
	"math"
	"reflect"
)

// AsInteger returns the value of an integer, or of a floating-point number without a fraction, if
// it fits 64 bits with a sign.
func AsInteger(value any) (int64, bool) {
	if n, is := value.(int64); is {
		return n, true
	}
	switch v := reflect.ValueOf(value); {
	case v.CanInt():
		return v.Int(), true
	case v.CanUint():
		return int64(v.Uint()), v.Uint() <= math.MaxInt64
	case v.CanFloat():
		f := v.Float()

		return int64(f), f == math.Trunc(f) && f >= math.MinInt64 && f < -math.MinInt64
	default:
		return 0, false
	}
}

// AsNumber returns the value of any number, rounded to 64 bits.
func AsNumber(value any) (float64, bool) {
	switch v := reflect.ValueOf(value); {
	case v.CanFloat():
		return v.Float(), true
	case v.CanUint():
		return float64(v.Uint()), true
	case v.CanInt():
		return float64(v.Int()), true
	default:
		return 0, false
	}
}
