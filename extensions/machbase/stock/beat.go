package stock

import (
	"fmt"
	"math"
	"time"
)

const (
	beatLength   = int64(100 * time.Millisecond)
	beatsPerHour = int64(time.Hour) / beatLength
)

// The range of 64 bits of nanoseconds since 1970.
//
//nolint:gochecknoglobals // constants
var (
	earliest = time.Unix(0, math.MinInt64).UTC().Truncate(time.Hour).Add(time.Hour)
	latest   = time.Unix(0, math.MaxInt64).UTC().Truncate(time.Hour)
)

// Both ends are rounded down, so adjacent ranges neither overlap nor leave a gap.
func beats(from, to time.Time) (first, end int64, err error) {
	switch {
	case from.Before(earliest):
		return 0, 0, fmt.Errorf("stock: range starts at %v, before %v", from, earliest)
	case to.After(latest):
		return 0, 0, fmt.Errorf("stock: range ends at %v, after %v", to, latest)
	case to.Before(from):
		return 0, 0, fmt.Errorf("stock: range ends at %v, before its start %v", to, from)
	}
	return floorDiv(from.UnixNano(), beatLength), floorDiv(to.UnixNano(), beatLength), nil
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func ceilDiv(a, b int64) int64 {
	return -floorDiv(-a, b)
}
