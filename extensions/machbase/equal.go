package machbase

import (
	"bytes"
	"fmt"
	"math"
	"net/netip"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

// Equal compares a value of a row with a parameter value. Numbers of different types are equal if
// their values are.
func Equal(got, want any) bool {
	if n, ok := cmi.AsInteger(want); ok {
		m, ok := cmi.AsInteger(got)

		return ok && m == n
	}
	if f, ok := cmi.AsNumber(want); ok {
		_, whole := cmi.AsInteger(got) // its conversion may round
		g, ok := cmi.AsNumber(got)

		return ok && !whole && (g == f || math.IsNaN(g) && math.IsNaN(f))
	}

	switch want := want.(type) {
	case nil, netip.Addr:
		return got == want
	case string:
		if address, ok := got.(netip.Addr); ok {
			got = address.String()
		}

		return got == want
	case []byte:
		got, ok := got.([]byte)

		return ok && bytes.Equal(got, want)
	case time.Time:
		got, ok := got.(time.Time)

		return ok && got.Equal(want)
	}

	return false
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
