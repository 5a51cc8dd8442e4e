package generate

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
)

// MaxTags is the highest number of tags: their names are made beforehand, and kept.
const MaxTags = 1_000_000

// Options are what all generators have in common.
type Options struct {
	// Tags is the number of tags, from 1 to MaxTags. Their names are Prefix and a number from 0.
	Tags   int
	Prefix string
	// From is the time of the first row of each tag.
	From time.Time
	// To is the time before which the rows end. Rows is how many there are in all; the last round
	// may end amid the tags. One of both is set.
	To   time.Time
	Rows int64
	// Interval is the time from row to row of one tag, at least a nanosecond.
	Interval time.Duration
}

// Times outside of these do not fit 64 bits of nanoseconds since 1970.
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
		return fmt.Errorf("from is %s, which is none of the years 1678 to 2262", o.From.UTC().Format(time.RFC3339))
	case o.To.IsZero() == (o.Rows == 0):
		return errors.New("one of to and rows must be there, and not both: the time before which the rows end, or how many there are")
	case o.Rows > 0:
		return o.checkRows()
	case o.To.Before(o.From):
		return fmt.Errorf("to is %s, before from", o.To.UTC().Format(time.RFC3339))
	case o.To.After(latest):
		return fmt.Errorf("to is %s, after the year 2262", o.To.UTC().Format(time.RFC3339))
	}

	return nil
}

// checkRows makes sure that the last row has a time.
func (o *Options) checkRows() error {
	steps := (o.Rows - 1) / int64(o.Tags)
	if left := uint64(math.MaxInt64) - uint64(o.From.UnixNano()); steps > 0 && left/uint64(steps) < uint64(o.Interval) {
		return fmt.Errorf("%d rows every %s end after the year 2262", o.Rows, o.Interval)
	}

	return nil
}

// count is how many rows there are.
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
