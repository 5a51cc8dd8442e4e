package memcached

import (
	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
)

// number makes a number of 64 bits without a sign: beyond 2^53 - 1 a BigInt.
func (c *client) number(n uint64) sobek.Value { return k6glue.FromUnsigned(c.vu.Runtime(), n) }

// seconds reads a time in seconds, as memcached takes it.
func seconds(value sobek.Value) (n int32, ok bool) {
	switch v := k6glue.Scalar(value).(type) {
	case int64:
		return int32(v), v == int64(int32(v))
	case float64:
		return int32(v), v == float64(int32(v))
	default:
		return 0, false
	}
}
