package machbase

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

type typedBind struct {
	value any
}

// Constant implements k6x.Constant: a frozen array of such values never changes.
func (typedBind) Constant() {}

var bindTypes = []string{ //nolint:gochecknoglobals // a constant
	"short", "integer", "long", "float", "double", "datetime", "varchar", "ipv4", "ipv6", "binary",
}

func binds(value sobek.Value) ([]any, error) {
	if k6x.IsNullish(value) {
		return nil, nil
	}

	return bindsIn(&k6x.Reading{}, value)
}

func bindsIn(reading *k6x.Reading, value sobek.Value) ([]any, error) {
	n, err := reading.Length(value)
	switch {
	case errors.Is(err, k6x.ErrNoArray):
		return nil, k6x.Misuse("the parameters must be an array such as ['WISH', 100], not %s", k6x.Show(value))
	case err != nil:
		return nil, k6x.Misuse("%s", err)
	}

	args := make([]any, n)
	for i := range args {
		arg, err := bind(k6x.Element(value, i))
		if err != nil {
			return nil, k6x.Misuse("parameter %d: %s", i+1, err)
		}
		args[i] = arg
	}

	return args, nil
}

func bind(value sobek.Value) (any, error) {
	if k6x.IsNullish(value) {
		return nil, nil //nolint:nilnil // nil is a null value
	}
	switch v := k6x.Scalar(value).(type) {
	case string, int64:
		return v, nil
	case time.Time:
		return checkTime(v)
	case float64:
		if v == math.Trunc(v) && math.Abs(v) <= k6x.MaxSafeInteger {
			return int64(v), nil
		}

		return v, nil
	case *big.Int:
		if !v.IsInt64() {
			return nil, fmt.Errorf("%s does not fit a long (64 bits)", v)
		}

		return v.Int64(), nil
	case sobek.ArrayBuffer:
		return slices.Clone(v.Bytes()), nil // the script may change it before the promise is settled
	case typedBind:
		return v.value, nil
	default:
		return nil, fmt.Errorf("%s cannot be bound; use a string, number, BigInt, Date, ArrayBuffer, null or machbase.bind(type, value)",
			describe(value))
	}
}

func describe(value sobek.Value) string {
	if object, ok := value.(*sobek.Object); ok {
		if object.ClassName() == "Date" {
			return "an invalid Date"
		}

		return "an object (" + object.ClassName() + ")"
	}

	return fmt.Sprintf("%s (%s)", value.String(), value.ExportType())
}

func checkTime(t time.Time) (any, error) {
	if _, err := cmi.Nanoseconds(t); err != nil {
		return nil, err
	}

	return t, nil
}

func bindAs(name string, value sobek.Value) (any, error) { //nolint:cyclop // one case for each type
	if !slices.Contains(bindTypes, name) {
		return nil, fmt.Errorf("unknown type %q; known are %s", name, strings.Join(bindTypes, ", "))
	}
	plain, err := bind(value)
	if err != nil || plain == nil {
		return nil, err
	}

	switch name {
	case "short":
		return bindInteger(name, plain, math.MinInt16, math.MaxInt16, func(n int64) any { return int16(n) })
	case "integer":
		return bindInteger(name, plain, math.MinInt32, math.MaxInt32, func(n int64) any { return int32(n) })
	case "long":
		return bindInteger(name, plain, math.MinInt64, math.MaxInt64, func(n int64) any { return n })
	case "float":
		return bindFloat(name, plain, func(f float64) any { return float32(f) })
	case "double":
		return bindFloat(name, plain, func(f float64) any { return f })
	case "datetime":
		return bindTime(value, plain)
	case "ipv4":
		if ip, err := netip.ParseAddr(fmt.Sprint(plain)); err == nil && ip.Is4() {
			return ip, nil
		}
	case "ipv6":
		if ip, err := netip.ParseAddr(fmt.Sprint(plain)); err == nil && ip.Is6() && ip.Zone() == "" {
			return ip, nil
		}
	case "varchar":
		if s, ok := plain.(string); ok {
			return s, nil
		}
	case "binary":
		switch b := plain.(type) {
		case []byte:
			return b, nil
		case string:
			return []byte(b), nil
		}
	}

	return nil, fmt.Errorf("%s cannot be bound as %s", show(plain), name)
}

func bindInteger(name string, plain any, lowest, highest int64, convert func(int64) any) (any, error) {
	n, ok := cmi.AsInteger(plain)
	if _, inexact := plain.(float64); !ok || inexact {
		return nil, fmt.Errorf("%s cannot be bound as %s", show(plain), name)
	}
	if n < lowest || n > highest {
		return nil, fmt.Errorf("%d does not fit a %s (%d to %d)", n, name, lowest, highest)
	}

	return convert(n), nil
}

func bindFloat(name string, plain any, convert func(float64) any) (any, error) {
	if f, ok := cmi.AsNumber(plain); ok {
		return convert(f), nil
	}

	return nil, fmt.Errorf("%s cannot be bound as %s", show(plain), name)
}

func bindTime(value sobek.Value, plain any) (any, error) {
	if _, ns := k6x.Scalar(value).(*big.Int); ns {
		return time.Unix(0, plain.(int64)), nil //nolint:forcetypeassert // bind returns this type
	}
	switch v := plain.(type) {
	case time.Time:
		return v, nil
	case int64:
		return checkTime(time.UnixMilli(v))
	case float64:
		if ns := v * float64(time.Millisecond); ns > math.MinInt64 && ns < math.MaxInt64 {
			return time.Unix(0, int64(ns)), nil
		}

		return nil, fmt.Errorf("%v ms does not fit a datetime (the years 1678 to 2262)", v)
	default:
		return nil, fmt.Errorf("%s cannot be bound as datetime; use a Date, milliseconds or a BigInt of nanoseconds", show(plain))
	}
}

// A datetime becomes a Date or, with ns, a BigInt of nanoseconds since 1970; a long that a
// number cannot hold exactly becomes a BigInt.
func toJS(rt *sobek.Runtime, value any, ns bool) (sobek.Value, error) {
	switch v := value.(type) {
	case nil:
		return sobek.Null(), nil
	case int64:
		if v > k6x.MaxSafeInteger || v < -k6x.MaxSafeInteger {
			return rt.ToValue(big.NewInt(v)), nil
		}

		return rt.ToValue(v), nil
	case int16, int32, uint16, uint32:
		n, _ := cmi.AsInteger(v)

		return rt.ToValue(n), nil
	case float32:
		return rt.ToValue(float64(v)), nil
	case time.Time:
		if ns {
			return rt.ToValue(big.NewInt(v.UnixNano())), nil
		}

		return rt.New(rt.Get("Date"), rt.ToValue(v.UnixMilli()))
	case uint64:
		if v > k6x.MaxSafeInteger {
			return rt.ToValue(new(big.Int).SetUint64(v)), nil
		}

		return rt.ToValue(int64(v)), nil
	case netip.Addr:
		return rt.ToValue(v.String()), nil
	case []byte:
		return rt.ToValue(rt.NewArrayBuffer(v)), nil
	default:
		return rt.ToValue(v), nil
	}
}
