package drivers

import (
	"fmt"
	"math"
	"net"
	"net/netip"
	"strings"
	"time"

	"github.com/machbase/neo-client/api"
)

// nulls are null values that the client encodes incorrectly: it treats unsigned columns as signed.
var nulls = map[api.ColumnType]any{ //nolint:gochecknoglobals // a constant
	api.ColumnTypeUShort: uint16(math.MaxUint16), api.ColumnTypeUInteger: uint32(math.MaxUint32), api.ColumnTypeULong: uint64(math.MaxUint64),
}

func fit(column api.ColumnType, value any) (any, bool) { //nolint:cyclop // one case for each type
	if value == nil {
		return nulls[column], true
	}
	switch column { //nolint:exhaustive // other types are text
	case api.ColumnTypeShort:
		return within(value, math.MinInt16, math.MaxInt16, func(n int64) any { return int16(n) })
	case api.ColumnTypeUShort:
		return within(value, 0, math.MaxUint16, func(n int64) any { return uint16(n) })
	case api.ColumnTypeInteger:
		return within(value, math.MinInt32, math.MaxInt32, func(n int64) any { return int32(n) })
	case api.ColumnTypeUInteger:
		return within(value, 0, math.MaxUint32, func(n int64) any { return uint32(n) })
	case api.ColumnTypeLong:
		return within(value, math.MinInt64, math.MaxInt64, func(n int64) any { return n })
	case api.ColumnTypeULong:
		if n, ok := value.(uint64); ok {
			return n, true
		}

		return within(value, 0, math.MaxInt64, func(n int64) any { return n })
	case api.ColumnTypeFloat:
		f, ok := decimal(value)

		return float32(f), ok
	case api.ColumnTypeDouble:
		f, ok := decimal(value)

		return f, ok
	case api.ColumnTypeDatetime:
		at, ok := value.(time.Time)

		return at, ok
	case api.ColumnTypeIPv4, api.ColumnTypeIPv6:
		return address(column, value)
	case api.ColumnTypeBinary, api.ColumnTypeBlob:
		switch value := value.(type) {
		case []byte:
			return value, true
		case string:
			return []byte(value), true
		}

		return nil, false
	default:
		text, ok := value.(string)

		return text, ok && !strings.Contains(text, "\x00") // C would cut it off there
	}
}

func within(value any, least, most int64, convert func(int64) any) (any, bool) {
	n, ok := whole(value)
	if !ok || n < least || n > most {
		return nil, false
	}

	return convert(n), true
}

func whole(value any) (int64, bool) {
	switch v := value.(type) {
	case int:
		return int64(v), true
	case int8:
		return int64(v), true
	case int16:
		return int64(v), true
	case int32:
		return int64(v), true
	case int64:
		return v, true
	case uint8:
		return int64(v), true
	case uint16:
		return int64(v), true
	case uint32:
		return int64(v), true
	case uint64:
		return int64(v), v <= math.MaxInt64
	case float32:
		return whole(float64(v))
	case float64:
		return int64(v), v == math.Trunc(v) && v >= math.MinInt64 && v < -math.MinInt64
	default:
		return 0, false
	}
}

func decimal(value any) (float64, bool) {
	switch v := value.(type) {
	case float64:
		return v, true
	case float32:
		return float64(v), true
	case uint64:
		return float64(v), true
	default:
		n, ok := whole(value)

		return float64(n), ok
	}
}

func address(column api.ColumnType, value any) (any, bool) {
	ip, ok := value.(netip.Addr)
	if text, isText := value.(string); isText {
		parsed, err := netip.ParseAddr(text)
		ip, ok = parsed, err == nil
	}
	if !ok || ip.Zone() != "" || ip.Is4() != (column == api.ColumnTypeIPv4) {
		return nil, false
	}

	return net.IP(ip.AsSlice()), true
}

func misfit(column *api.Column, value any) string {
	if text, ok := value.(string); ok && len(text) > 40 {
		value = strings.ToValidUTF8(text[:40], "") + "..."
	}

	return fmt.Sprintf("column %q (%s) cannot take %v", column.Name, column.Type, value)
}
