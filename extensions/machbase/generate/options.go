package generate

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
)

// MaxTags is the maximum number of tags, whose names are kept in memory.
const MaxTags = 1_000_000

// Options are the common options of series.
type Options struct {
	// Tags is the number of tags, from 1 to MaxTags. Their names are Prefix and a number from 0.
	Tags   int    `json:"tags"`
	Prefix string `json:"prefix"`
	// From is the time of the first row of each tag.
	From time.Time `json:"from"`
	// The range ends before To, or after Rows rows in total, perhaps in the middle of a round of
	// tags. Set one of both.
	To   time.Time `json:"to"`
	Rows int64     `json:"rows"`
	// Interval is the time between the rows of a tag, at least one nanosecond.
	Interval time.Duration `json:"-"`
}

// The range of 64 bits of nanoseconds since 1970.
//
//nolint:gochecknoglobals // constants
var earliest, latest = time.Unix(0, math.MinInt64), time.Unix(0, math.MaxInt64)

func (o *Options) check() error {
	switch {
	case o.Tags < 1 || o.Tags > MaxTags:
		return fmt.Errorf("tags must be from 1 to %d, not %d", MaxTags, o.Tags)
	case o.Interval <= 0:
		return fmt.Errorf("interval must be more than 0, not %s", o.Interval)
	case o.Rows < 0:
		return fmt.Errorf("rows must be at least 1, not %d", o.Rows)
	case o.From.IsZero():
		return errors.New("from is missing: it is the time of the first rows")
	case o.From.Before(earliest) || o.From.After(latest):
		return fmt.Errorf("from is %s, which is outside of the years 1678 to 2262", o.From.UTC().Format(time.RFC3339))
	case o.To.IsZero() == (o.Rows == 0):
		return errors.New("set either to (the time before which the rows end) or rows (their number)")
	case o.Rows > 0:
		return o.checkRows()
	case o.To.Before(o.From):
		return fmt.Errorf("to is %s, before from", o.To.UTC().Format(time.RFC3339))
	case o.To.After(latest):
		return fmt.Errorf("to is %s, after the year 2262", o.To.UTC().Format(time.RFC3339))
	}

	return nil
}

func (o *Options) checkRows() error {
	steps := (o.Rows - 1) / int64(o.Tags)
	if left := uint64(math.MaxInt64) - uint64(o.From.UnixNano()); steps > 0 && left/uint64(steps) < uint64(o.Interval) {
		return fmt.Errorf("%d rows every %s end after the year 2262", o.Rows, o.Interval)
	}

	return nil
}

func (o *Options) count() (int64, error) {
	if o.Rows > 0 {
		return o.Rows, nil
	}
	span := uint64(o.To.UnixNano()) - uint64(o.From.UnixNano())
	steps := span / uint64(o.Interval)
	if span%uint64(o.Interval) > 0 {
		steps++
	}
	if steps > math.MaxInt64/uint64(o.Tags) {
		return 0, fmt.Errorf("from %s to %s every %s are more rows than can be counted", o.From.UTC().Format(time.RFC3339),
			o.To.UTC().Format(time.RFC3339), o.Interval)
	}

	return int64(steps) * int64(o.Tags), nil
}

func (o *Options) names() []string {
	names := make([]string, o.Tags)
	for i := range names {
		names[i] = o.Prefix + strconv.Itoa(i)
	}

	return names
}
