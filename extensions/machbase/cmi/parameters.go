package cmi

import (
	"encoding/binary"
	"math"
	"net"
	"net/netip"
	"reflect"
	"time"
)

const inputParameter = 1

// appendParameters encodes arguments for an execute: their number, and for each its position,
// direction, type, length (twice) and bytes, padded to an even length.
func appendParameters(b []byte, parameters []Column, args []any) ([]byte, error) {
	if len(args) != len(parameters) {
		return nil, usage("the statement takes %d parameters, not %d", len(parameters), len(args))
	}
	if len(args) > maxParameters {
		return nil, usage("a statement can have at most %d parameters, not %d", maxParameters, len(args))
	}
	start := len(b)
	b = binary.BigEndian.AppendUint16(b, uint16(len(args)))
	for i, arg := range args {
		head := len(b)
		b = append(b, byte(i+1), inputParameter, 0, 0, 0, 0, 0, 0, 0, 0, 0)
		values := len(b)
		t, with, err := appendArgument(b, parameters[i].Type, arg)
		if err != nil {
			return nil, usage("parameter %d: %s", i+1, err.Message)
		}
		b = with
		b[head+2] = byte(t)
		length := uint32(len(b) - values)
		binary.BigEndian.PutUint32(b[head+3:], length)
		binary.BigEndian.PutUint32(b[head+7:], length)
		if (len(b)-start)&1 != 0 {
			b = append(b, 0)
		}
	}

	return b, nil
}

func appendArgument(b []byte, parameter Type, arg any) (Type, []byte, *Error) { //nolint:cyclop,funlen // one case for each type
	switch v := arg.(type) {
	case nil:
		return appendNull(b, parameter)
	case string:
		return Varchar, append(b, v...), nil
	case []byte:
		return Binary, append(b, v...), nil
	case bool:
		n := uint16(0)
		if v {
			n = 1
		}

		return Short, binary.BigEndian.AppendUint16(b, n), nil
	case int16:
		return Short, binary.BigEndian.AppendUint16(b, uint16(v)), nil
	case int32:
		return Integer, binary.BigEndian.AppendUint32(b, uint32(v)), nil
	case float32:
		if err := requireWhole(parameter, float64(v)); err != nil {
			return 0, nil, err
		}

		return Float, binary.BigEndian.AppendUint32(b, math.Float32bits(v)), nil
	case float64:
		if err := requireWhole(parameter, v); err != nil {
			return 0, nil, err
		}

		return Double, binary.BigEndian.AppendUint64(b, math.Float64bits(v)), nil
	case time.Time:
		ns, err := Nanoseconds(v)

		return Datetime, binary.BigEndian.AppendUint64(b, uint64(ns)), err
	case netip.Addr:
		if !v.IsValid() {
			return 0, nil, usage("it is not an IP address")
		}
		t, b := appendAddress(b, v)

		return t, b, nil
	case net.IP:
		address, ok := netip.AddrFromSlice(v)
		if !ok {
			return 0, nil, usage("%d bytes are not an IP address", len(v))
		}
		t, b := appendAddress(b, address.Unmap()) // net.IP stores IPv4 in 16 bytes

		return t, b, nil
	}

	if n, ok := AsInteger(arg); ok {
		t := Long
		if parameter == Datetime {
			t = Datetime
		}

		return t, binary.BigEndian.AppendUint64(b, uint64(n)), nil
	}
	if v := reflect.ValueOf(arg); v.CanUint() {
		return Ulong, binary.BigEndian.AppendUint64(b, v.Uint()), nil
	}

	return 0, nil, usage("a %T cannot be bound", arg)
}

// The server would cut off a fraction.
func requireWhole(parameter Type, v float64) *Error {
	switch parameter { //nolint:exhaustive // other types accept fractions, or the server rejects them
	case Short, Ushort, Integer, Uinteger, Long, Ulong:
		if v != math.Trunc(v) {
			return usage("%v is not an integer, but the parameter has type %s", v, parameter)
		}
	}

	return nil
}

func appendNull(b []byte, t Type) (Type, []byte, *Error) {
	switch s := shapes[t]; s.size {
	case 2:
		return t, binary.BigEndian.AppendUint16(b, uint16(s.null)), nil
	case 4:
		return t, binary.BigEndian.AppendUint32(b, uint32(s.null)), nil
	case 8:
		return t, binary.BigEndian.AppendUint64(b, s.null), nil
	case variable:
		return t, b, nil
	default:
		return t, append(b, make([]byte, s.size)...), nil // an address
	}
}

func appendAddress(b []byte, address netip.Addr) (Type, []byte) {
	if address.Is4() {
		four := address.As4()

		return IPv4, append(append(b, 4), four[:]...)
	}
	sixteen := address.As16()

	return IPv6, append(append(b, 6), sixteen[:]...)
}

// The range of a datetime: 64 bits of nanoseconds since 1970.
var earliest, latest = time.Unix(0, math.MinInt64), time.Unix(0, math.MaxInt64) //nolint:gochecknoglobals // constants

// Nanoseconds returns the value of a datetime.
func Nanoseconds(t time.Time) (int64, *Error) {
	if t.Before(earliest) || t.After(latest) {
		return 0, usage("%s does not fit a datetime (the years 1678 to 2262)", t.UTC().Format(time.RFC3339))
	}

	return t.UnixNano(), nil
}
