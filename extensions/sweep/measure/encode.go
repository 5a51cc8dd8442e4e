package measure

import (
	"fmt"
	"math"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

const (
	digits = 3

	// maxEncoded limits the encoded text. An incompressible histogram of 3 digits needs less: it has
	// 55,296 counters of 9 bytes.
	maxEncoded = 700_000

	// maxCount is the largest integer that JSON numbers hold exactly.
	maxCount = 1 << 53
)

// Encode returns the distribution as an HDR histogram (nanoseconds, 3 digits, compressed V2 format,
// base64), which HdrHistogram libraries can read.
func (d *Distribution) Encode() string {
	h := hdrhistogram.NewPacked(1, int64(Highest), digits)
	for i, n := range d.counts {
		if n == 0 {
			continue
		}
		lowest, _ := valueRange(i)
		_ = h.RecordValues(lowest, int64(n)) // all counters are within its range
	}
	encoded, _ := h.Encode() // it never fails

	return string(encoded)
}

// Decode reads the output of Encode. Counters are exact; Min, Max and Sum have the counters'
// resolution (0.098 %), see SetExact. It returns an error for invalid text, and never allocates
// more than a few megabytes.
func Decode(encoded string) (Distribution, error) {
	if len(encoded) > maxEncoded {
		return Distribution{}, fmt.Errorf("not an HDR histogram: %d characters, which is more than any has (%d)", len(encoded), maxEncoded)
	}
	h, err := hdrhistogram.DecodePacked([]byte(encoded))
	switch {
	case err != nil:
		return Distribution{}, fmt.Errorf("not an HDR histogram in V2 compressed format, base64: %w", err)
	case h.SignificantFigures() != digits || h.LowestTrackableValue() > 1:
		return Distribution{}, fmt.Errorf("the HDR histogram has %d digits from %d ns on, and not %d from 1 ns on",
			h.SignificantFigures(), h.LowestTrackableValue(), digits)
	}
	d, sum := Distribution{}, 0.0
	for lowest, n := range h.ForEachBucket {
		if lowest > int64(Highest) || n > maxCount-d.Count {
			return Distribution{}, fmt.Errorf("the HDR histogram counts more than %s, or more than %d durations", Highest, int64(maxCount))
		}
		i := index(lowest)
		_, highest := valueRange(i)
		if d.Count == 0 {
			d.Min = time.Duration(lowest)
		}
		d.Max = time.Duration(highest)
		d.Count += n
		*d.counter(i) += uint64(n)
		sum += float64(n) * float64(lowest+highest) / 2
	}
	d.Sum = duration(sum)

	return d, nil
}

// SetExact sets the exact maximum and mean, for example from the report that contains the encoded
// histogram. It does nothing on an empty distribution.
func (d *Distribution) SetExact(highest, mean time.Duration) {
	if d.Count == 0 {
		return
	}
	d.Max = highest
	d.Min = min(d.Min, d.Max)
	d.Sum = duration(float64(mean) * float64(d.Count))
}

// duration converts ns nanoseconds without overflow.
func duration(ns float64) time.Duration {
	if ns >= math.MaxInt64 {
		return math.MaxInt64
	}

	return time.Duration(math.Round(ns))
}
