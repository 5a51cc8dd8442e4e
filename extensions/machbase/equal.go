package machbase

import (
	"bytes"
	"fmt"
	"math"
	"net/netip"
	"time"
)

// Equal compares a value of a row with a parameter value. Numbers of different types are equal if
// their values are.
func Equal(got, want any) bool {
	if n, ok := integer(want); ok {
		return equalInteger(got, n)
	}
	if f, ok := float(want); ok {
		return equalFloat(got, f)
	}

	switch want := want.(type) {
	case nil:
		return got == nil
	case string:
		switch got := got.(type) {
		case string:
			return got == want
		case netip.Addr:
			return got.String() == want
		}
	case netip.Addr:
		got, ok := got.(netip.Addr)

		return ok && got == want
	case []byte:
		got, ok := got.([]byte)

		return ok && bytes.Equal(got, want)
	case time.Time:
		got, ok := got.(time.Time)

		return ok && got.Equal(want)
	}

	return false
}

func equalInteger(got any, want int64) bool {
	if n, ok := integer(got); ok {
		return n == want
	}
	f, ok := float(got)

	return ok && same(want, f)
}

func equalFloat(got any, want float64) bool {
	if n, ok := integer(got); ok {
		return same(n, want)
	}
	f, ok := float(got)

	return ok && (f == want || math.IsNaN(f) && math.IsNaN(want))
}

// float64(n) == f would round an n of more than 53 bits.
func same(n int64, f float64) bool {
	return f >= math.MinInt64 && f < -math.MinInt64 && f == math.Trunc(f) && n == int64(f)
}

func integer(v any) (int64, bool) {
	switch v := v.(type) {
	case int16:
		return int64(v), true
	case int32:
		return int64(v), true
	case int64:
		return v, true
	case uint16:
		return int64(v), true
	case uint32:
		return int64(v), true
	case uint64:
		return int64(v), v <= math.MaxInt64
	default:
		return 0, false
	}
}

func float(v any) (float64, bool) {
	switch v := v.(type) {
	case float32:
		return float64(v), true
	case float64:
		return v, true
	default:
		return 0, false
	}
}

func show(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return fmt.Sprintf("%q", v)
	default:
		return fmt.Sprint(v)
	}
}
