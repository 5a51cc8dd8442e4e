package machbase

import (
	"fmt"
	"math"
	"math/big"
	"net"
	"time"

	"github.com/grafana/sobek"
)

// maxSafe is the largest whole number that JavaScript's Number holds exactly.
const maxSafe = 1<<53 - 1

// typedBind is a parameter whose type the script chose: machbase.bind("double", 3).
type typedBind struct {
	value any
}

// binds turns an array of JavaScript values into parameters.
func binds(rt *sobek.Runtime, value sobek.Value) ([]any, error) {
	if isNullish(value) {
		return nil, nil
	}
	array, ok := value.(*sobek.Object)
	if !ok || array.ClassName() != "Array" {
		return nil, newError(KindUsage, "the parameters must be an array such as ['WISH', 100], not %s", value.String())
	}

	args := make([]any, array.Get("length").ToInteger())
	for i := range args {
		arg, err := bind(array.Get(fmt.Sprint(i)))
		if err != nil {
			return nil, newError(KindUsage, "parameter %d: %s", i+1, err)
		}
		args[i] = arg
	}

	return args, nil
}

// bind turns a JavaScript value into a parameter: a string into varchar, a whole number or BigInt into long, any other
// number into double, a Date into datetime, an ArrayBuffer into binary, null into null.
func bind(value sobek.Value) (any, error) {
	if isNullish(value) {
		return nil, nil //nolint:nilnil // a null is a value
	}
	switch v := value.Export().(type) {
	case string, int64, time.Time:
		return v, nil
	case float64:
		if v == math.Trunc(v) && math.Abs(v) <= maxSafe {
			return int64(v), nil
		}

		return v, nil
	case *big.Int:
		if !v.IsInt64() {
			return nil, fmt.Errorf("%s does not fit a long (64 bits)", v)
		}

		return v.Int64(), nil
	case sobek.ArrayBuffer:
		return v.Bytes(), nil
	case typedBind:
		return v.value, nil
	default:
		return nil, fmt.Errorf("a %s cannot be bound; use a string, number, BigInt, Date, ArrayBuffer, null or machbase.bind(type, value)",
			value.ExportType())
	}
}

// bindAs turns a JavaScript value into a parameter of the named Machbase type.
func bindAs(name string, value sobek.Value) (any, error) {
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
	case "ipv4", "ipv6":
		if ip := net.ParseIP(fmt.Sprint(plain)); ip != nil {
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
	default:
		return nil, fmt.Errorf("unknown type %q; known are short, integer, long, float, double, datetime, varchar, ipv4, ipv6, binary", name)
	}

	return nil, fmt.Errorf("%s cannot be bound as %s", show(plain), name)
}

func bindInteger(name string, plain any, lowest, highest int64, convert func(int64) any) (any, error) {
	n, ok := integer(plain)
	if !ok {
		return nil, fmt.Errorf("%s cannot be bound as %s", show(plain), name)
	}
	if n < lowest || n > highest {
		return nil, fmt.Errorf("%d does not fit a %s (%d to %d)", n, name, lowest, highest)
	}

	return convert(n), nil
}

func bindFloat(name string, plain any, convert func(float64) any) (any, error) {
	if n, ok := integer(plain); ok {
		return convert(float64(n)), nil
	}
	if f, ok := float(plain); ok {
		return convert(f), nil
	}

	return nil, fmt.Errorf("%s cannot be bound as %s", show(plain), name)
}

// bindTime takes a Date, a number of milliseconds or a BigInt of nanoseconds since 1970.
func bindTime(value sobek.Value, plain any) (any, error) {
	if _, ns := value.Export().(*big.Int); ns {
		return time.Unix(0, plain.(int64)), nil //nolint:forcetypeassert // bind made it one
	}
	switch v := plain.(type) {
	case time.Time:
		return v, nil
	case int64:
		return time.UnixMilli(v), nil
	case float64:
		return time.UnixMilli(0).Add(time.Duration(v * float64(time.Millisecond))), nil
	default:
		return nil, fmt.Errorf("%s cannot be bound as datetime; use a Date, milliseconds or a BigInt of nanoseconds", show(plain))
	}
}

// toJS turns a value of the server into a JavaScript value. A datetime becomes a Date or, with ns, a BigInt of
// nanoseconds since 1970; a long that Number cannot hold exactly becomes a BigInt.
func toJS(rt *sobek.Runtime, value any, ns bool) (sobek.Value, error) {
	switch v := value.(type) {
	case nil:
		return sobek.Null(), nil
	case int64:
		if v > maxSafe || v < -maxSafe {
			return rt.ToValue(big.NewInt(v)), nil
		}

		return rt.ToValue(v), nil
	case int16:
		return rt.ToValue(int64(v)), nil
	case int32:
		return rt.ToValue(int64(v)), nil
	case float32:
		return rt.ToValue(float64(v)), nil
	case time.Time:
		if ns {
			return rt.ToValue(big.NewInt(v.UnixNano())), nil
		}

		return rt.New(rt.Get("Date"), rt.ToValue(v.UnixMilli()))
	case net.IP:
		return rt.ToValue(v.String()), nil
	case []byte:
		return rt.ToValue(rt.NewArrayBuffer(v)), nil
	default:
		return rt.ToValue(v), nil
	}
}

func isNullish(value sobek.Value) bool {
	return value == nil || sobek.IsUndefined(value) || sobek.IsNull(value)
}
