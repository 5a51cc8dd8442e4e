package sqlmachbase

import (
	"database/sql/driver"
	"fmt"
	"math/big"
	"net"
	"net/netip"
	"reflect"
	"time"
)

func checkArgument(arg *driver.NamedValue) (err error) {
	if arg.Name != "" {
		return fmt.Errorf("argument %q has a name, but Machbase's parameters are question marks without names", arg.Name)
	}
	arg.Value, err = argument(arg.Value)

	return err
}

// argument keeps the types that the client accepts, since the server depends on a number's type.
func argument(value any) (any, error) {
	if isTaken(value) {
		return value, nil
	}
	pointer := reflect.ValueOf(value)
	isPointer := pointer.Kind() == reflect.Pointer
	if isPointer && pointer.IsNil() {
		return nil, nil //nolint:nilnil // nil is a null value
	}
	switch v := value.(type) {
	case driver.Valuer:
		inner, err := v.Value()
		if err == nil && !isTaken(inner) {
			err = fmt.Errorf("a %T gives a %T, which cannot be bound", value, inner)
		}

		return inner, err
	case *big.Int:
		return bigArgument(v)
	}
	if isPointer {
		return argument(pointer.Elem().Interface())
	}

	return driver.DefaultParameterConverter.ConvertValue(value)
}

func isTaken(value any) bool {
	switch value.(type) {
	case nil, bool, string, []byte, float32, float64, time.Time, netip.Addr, net.IP,
		int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		return true
	default:
		return false
	}
}

func bigArgument(n *big.Int) (any, error) {
	switch {
	case n.IsInt64():
		return n.Int64(), nil
	case n.IsUint64():
		return n.Uint64(), nil
	default:
		return nil, fmt.Errorf("%s does not fit 64 bits", n)
	}
}

func values(args []driver.NamedValue) []any {
	all := make([]any, len(args))
	for i := range args {
		all[i] = args[i].Value
	}

	return all
}
