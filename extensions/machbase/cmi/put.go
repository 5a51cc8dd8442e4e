package cmi

import (
	"encoding/binary"
	"fmt"
	"math"
	"net"
	"net/netip"
	"reflect"
	"strings"
	"time"
)

type cellWriter func(b []byte, column Column, place int) ([]byte, bool, *Error)

// write encodes a row: 0 for uncompressed, the length of the null bits, a bit for each column that
// is null (highest first), and the other values, little-endian.
func (a *Appender) write(cell cellWriter) error {
	b := a.out.buf
	unit := len(b)
	b = append(b, unitRows, 0, 0, 0, typeBinary, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	row := len(b)
	b = append(b, 0)
	b = binary.LittleEndian.AppendUint32(b, uint32(a.nulls))
	nulls := len(b)
	for range a.nulls {
		b = append(b, 0)
	}

	for i, place := range a.places {
		present := false
		switch place {
		case placeNull:
		case placeArrival:
			b, present = binary.LittleEndian.AppendUint64(b, 0), true // set by the server
		default:
			var err *Error
			if b, present, err = cell(b, a.columns[i], place); err != nil {
				return err
			}
		}
		if !present {
			b[nulls+i/8] |= 1 << (7 - i%8)
		}
	}
	length := len(b) - row
	binary.LittleEndian.PutUint64(b[unit+8:], uint64(length))
	a.out.buf = b
	a.out.pad(length)

	return nil
}

func misfit(c Column, value any) *Error { return Misfit(c.Name, c.Type, value) }

// Misfit returns the error of a value that a column cannot take.
func Misfit(column string, columnType fmt.Stringer, value any) *Error {
	switch v := value.(type) {
	case string:
		if len(v) > 40 {
			value = strings.ToValidUTF8(v[:40], "") + "..."
		}
	case []byte:
		value = fmt.Sprintf("%d bytes", len(v))
	}

	return NewError(KindAppend, "column %q (%s) cannot take %v", column, columnType, value)
}

func put(b []byte, c Column, value any) ([]byte, bool, *Error) {
	switch v := value.(type) {
	case nil:
		return b, false, nil
	case string:
		return putText(b, c, v)
	case []byte:
		return putBytes(b, c, v)
	case float64:
		return putFloat(b, c, v)
	case float32:
		return putFloat(b, c, float64(v))
	case time.Time:
		return putTime(b, c, v)
	case netip.Addr:
		return putAddress(b, c, v)
	case net.IP:
		if address, ok := netip.AddrFromSlice(v); ok {
			return putAddress(b, c, address)
		}
	default:
		if n, ok := AsInteger(value); ok {
			return putInteger(b, c, n)
		}
		if v := reflect.ValueOf(value); v.CanUint() {
			return putUnsigned(b, c, v.Uint())
		}
	}

	return nil, false, misfit(c, value)
}

func putInteger(b []byte, c Column, n int64) ([]byte, bool, *Error) {
	fits := true
	switch c.Type { //nolint:exhaustive // the default handles the others
	case Short:
		b, fits = binary.LittleEndian.AppendUint16(b, uint16(n)), n == int64(int16(n))
	case Ushort:
		b, fits = binary.LittleEndian.AppendUint16(b, uint16(n)), n == int64(uint16(n))
	case Integer:
		b, fits = binary.LittleEndian.AppendUint32(b, uint32(n)), n == int64(int32(n))
	case Uinteger:
		b, fits = binary.LittleEndian.AppendUint32(b, uint32(n)), n == int64(uint32(n))
	case Long, Datetime:
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	case Ulong:
		b, fits = binary.LittleEndian.AppendUint64(b, uint64(n)), n >= 0
	case Float, Double:
		return putFloat(b, c, float64(n))
	default:
		fits = false
	}
	if !fits {
		return nil, false, misfit(c, n)
	}

	return b, true, nil
}

func putUnsigned(b []byte, c Column, n uint64) ([]byte, bool, *Error) {
	switch {
	case n <= math.MaxInt64:
		return putInteger(b, c, int64(n))
	case c.Type == Ulong:
		return binary.LittleEndian.AppendUint64(b, n), true, nil
	case c.Type == Float, c.Type == Double:
		return putFloat(b, c, float64(n))
	default:
		return nil, false, misfit(c, n)
	}
}

func putFloat(b []byte, c Column, f float64) ([]byte, bool, *Error) {
	switch c.Type { //nolint:exhaustive // other types do not fit
	case Double:
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(f)), true, nil
	case Float:
		return binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(f))), true, nil
	case Short, Ushort, Integer, Uinteger, Long, Ulong:
		if n, ok := AsInteger(f); ok {
			return putInteger(b, c, n)
		}
	}

	return nil, false, misfit(c, f)
}

func putTime(b []byte, c Column, t time.Time) ([]byte, bool, *Error) {
	if c.Type != Datetime {
		return nil, false, misfit(c, t.Format(time.RFC3339Nano))
	}
	ns, err := Nanoseconds(t)

	return binary.LittleEndian.AppendUint64(b, uint64(ns)), true, err
}

func putText(b []byte, c Column, s string) ([]byte, bool, *Error) {
	switch {
	case c.width == variable:
		return append(binary.LittleEndian.AppendUint32(b, uint32(len(s))), s...), true, nil
	case c.Type == IPv4, c.Type == IPv6:
		if address, err := netip.ParseAddr(s); err == nil {
			return putAddress(b, c, address)
		}
	}

	return nil, false, misfit(c, s)
}

func putBytes(b []byte, c Column, data []byte) ([]byte, bool, *Error) {
	if c.width != variable {
		return nil, false, misfit(c, data)
	}

	return append(binary.LittleEndian.AppendUint32(b, uint32(len(data))), data...), true, nil
}

func putAddress(b []byte, c Column, address netip.Addr) ([]byte, bool, *Error) {
	switch {
	case c.Type == IPv4 && address.Unmap().Is4():
		address = address.Unmap()
	case c.Type == IPv6 && address.IsValid() && address.Zone() == "":
		address = netip.AddrFrom16(address.As16())
	default:
		return nil, false, misfit(c, address)
	}
	_, b = appendAddress(b, address)

	return b, true, nil
}

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
