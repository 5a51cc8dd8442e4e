package memcached

import (
	"math"
	"math/big"

	"github.com/grafana/sobek"
)

const maxSafeInteger = 1<<53 - 1

// number makes a number of 64 bits without a sign: beyond 2^53 - 1 a BigInt.
func (c *client) number(n uint64) sobek.Value {
	if n <= maxSafeInteger {
		return c.vu.Runtime().ToValue(int64(n))
	}

	return c.vu.Runtime().ToValue(new(big.Int).SetUint64(n))
}

// unsigned reads a number of 64 bits without a sign: a whole number or a BigInt.
func unsigned(value sobek.Value) (n uint64, ok bool) {
	switch v := value.Export().(type) {
	case int64:
		return uint64(v), v >= 0
	case float64:
		return uint64(v), v >= 0 && v <= maxSafeInteger && v == math.Trunc(v)
	case *big.Int:
		return v.Uint64(), v.IsUint64()
	default:
		return 0, false
	}
}

// seconds reads a time in seconds, as memcached takes it.
func seconds(value sobek.Value) (n int32, ok bool) {
	switch v := value.Export().(type) {
	case int64:
		return int32(v), v == int64(int32(v))
	case float64:
		return int32(v), v == float64(int32(v))
	default:
		return 0, false
	}
}
