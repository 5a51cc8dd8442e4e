package httpapi

import (
	"encoding/json"
	"math"
	"net"
	"net/netip"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

// bounds are the least and the largest value of a type of integers.
var bounds = map[cmi.Type][2]int64{ //nolint:gochecknoglobals // a constant
	cmi.Short: {math.MinInt16, math.MaxInt16}, cmi.Ushort: {0, math.MaxUint16},
	cmi.Integer: {math.MinInt32, math.MaxInt32}, cmi.Uinteger: {0, math.MaxUint32},
	cmi.Long: {math.MinInt64, math.MaxInt64}, cmi.Ulong: {0, math.MaxInt64}, cmi.Datetime: {math.MinInt64, math.MaxInt64},
}

// appendCell writes a value in JSON; false when it does not fit the column. What fits is what the
// native protocol takes, but for binary values, which the API does not, and integers of more than
// 63 bits.
func appendCell(b []byte, kind cmi.Type, value any) ([]byte, bool) {
	switch v := value.(type) {
	case nil:
		return append(b, "null"...), true
	case string:
		return appendText(b, kind, v)
	case time.Time:
		return strconv.AppendInt(b, v.UnixNano(), 10), kind == cmi.Datetime
	case netip.Addr:
		return appendAddress(b, kind, v)
	case net.IP:
		ip, ok := netip.AddrFromSlice(v)
		b, fits := appendAddress(b, kind, ip)

		return b, fits && ok
	case []byte:
		return b, false
	}

	switch v := reflect.ValueOf(value); {
	case v.CanInt():
		return appendInteger(b, kind, v.Int())
	case v.CanUint():
		if v.Uint() <= math.MaxInt64 {
			return appendInteger(b, kind, int64(v.Uint()))
		}

		return appendFloat(b, kind, float64(v.Uint()))
	case v.CanFloat():
		return appendFloat(b, kind, v.Float())
	}

	return b, false
}

func appendInteger(b []byte, kind cmi.Type, n int64) ([]byte, bool) {
	if kind == cmi.Float || kind == cmi.Double {
		return strconv.AppendInt(b, n, 10), true
	}
	within, known := bounds[kind]

	return strconv.AppendInt(b, n, 10), known && n >= within[0] && n <= within[1]
}

func appendFloat(b []byte, kind cmi.Type, f float64) ([]byte, bool) {
	switch {
	case kind == cmi.Float || kind == cmi.Double:
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return append(b, "null"...), true
		}
		bits := 64
		if kind == cmi.Float {
			bits = 32
		}

		return strconv.AppendFloat(b, f, 'g', -1, bits), true
	case f == math.Trunc(f) && f >= math.MinInt64 && f < -math.MinInt64 && kind != cmi.Datetime:
		return appendInteger(b, kind, int64(f))
	default:
		return b, false
	}
}

func appendText(b []byte, kind cmi.Type, s string) ([]byte, bool) {
	if kind == cmi.IPv4 || kind == cmi.IPv6 {
		ip, err := netip.ParseAddr(s)
		b, fits := appendAddress(b, kind, ip)

		return b, fits && err == nil
	}
	if !kind.IsText() || !utf8.ValidString(s) {
		return b, false
	}
	if strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' }) < 0 {
		return append(append(append(b, '"'), s...), '"'), true
	}
	quoted, err := json.Marshal(s)

	return append(b, quoted...), err == nil
}

func appendAddress(b []byte, kind cmi.Type, ip netip.Addr) ([]byte, bool) {
	switch {
	case kind == cmi.IPv4 && ip.Unmap().Is4():
		ip = ip.Unmap()
	case kind == cmi.IPv6 && ip.IsValid() && ip.Zone() == "":
	default:
		return b, false
	}

	return append(append(append(b, '"'), ip.String()...), '"'), true
}

// misfit is the error of a value that does not fit its column.
func misfit(column tableColumn, value any) *cmi.Error {
	switch v := value.(type) {
	case []byte:
		return cmi.NewError(cmi.KindAppend, "column %q (%s) cannot take a binary value over HTTP", column.name, column.kind)
	case string:
		value = oneLine(v)
	}

	return cmi.NewError(cmi.KindAppend, "column %q (%s) cannot take %v", column.name, column.kind, value)
}
