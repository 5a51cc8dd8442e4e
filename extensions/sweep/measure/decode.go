package measure

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"time"
)

// The compressed V2 format of the HdrHistogram project: a cookie and a length of 4 bytes each, and
// then, through zlib, a header of 40 bytes and the counters. Numbers are big-endian. A cookie says
// in its second lowest digit how wide the counters of older versions are, which says nothing in
// this one.
// Source: AbstractHistogram.encodeIntoCompressedByteBuffer of github.com/HdrHistogram/HdrHistogram.
const (
	compressedCookie = 0x1c849304
	plainCookie      = 0x1c849303
	cookieWidth      = 0xf0
	outerHeader      = 8
	innerHeader      = 40
	digits           = 3

	// maxEncoded is above what a histogram of 3 digits comes to when no two of its counters are
	// equal and zlib gains nothing: 55,296 counters of 9 bytes, and a third more for base64.
	maxEncoded = 700_000

	// maxCount is the most that a number in JSON holds exactly, and low enough for sums of many
	// histograms.
	maxCount = 1 << 53
)

// Decode reads what Encode writes, and what other HdrHistogram libraries write with 3 digits of
// nanoseconds up to 1 h. Count and counters come back as they were; Min, Max and Sum are as fine as
// the counters are (0.098 %), see SetExact.
//
// It returns an error that says what is wrong with the text when it is none, and never allocates
// more than some megabytes for it.
func Decode(encoded string) (Distribution, error) {
	d := Distribution{}
	raw, err := unpack(encoded)
	if err != nil {
		return d, fmt.Errorf("not an HDR histogram in V2 compressed format, base64: %w", err)
	}
	if err := d.read(raw); err != nil {
		return Distribution{}, fmt.Errorf("the HDR histogram cannot be used: %w", err)
	}

	return d, nil
}

// SetExact sets the longest duration and the mean, which are known exactly from elsewhere, such as
// the report that an encoded histogram came with: the sum follows from the mean, and with them
// Quantile, Mean and Merge give what they gave before the distribution was encoded. It does nothing
// when the distribution is empty.
func (d *Distribution) SetExact(highest, mean time.Duration) {
	if d.Count == 0 {
		return
	}
	d.Max = highest
	d.Min = min(d.Min, d.Max)
	d.Sum = duration(float64(mean) * float64(d.Count))
}

// unpack undoes base64, the outer header and zlib.
func unpack(encoded string) ([]byte, error) {
	if len(encoded) > maxEncoded {
		return nil, fmt.Errorf("%d characters, which is more than any has (%d)", len(encoded), maxEncoded)
	}
	raw, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if err != nil {
		return nil, err
	}
	if len(raw) < outerHeader {
		return nil, fmt.Errorf("%d bytes are too short", len(raw))
	}
	if cookie := binary.BigEndian.Uint32(raw); cookie&^cookieWidth != compressedCookie {
		return nil, fmt.Errorf("it begins with %#x, not with %#x", cookie, compressedCookie|0x10)
	}
	if length := binary.BigEndian.Uint32(raw[4:]); int64(length) != int64(len(raw)-outerHeader) {
		return nil, fmt.Errorf("%d bytes follow the header, which says %d", len(raw)-outerHeader, length)
	}

	return inflate(raw[outerHeader:])
}

// inflate undoes zlib, up to the size that the longest histogram has: a few bytes can stand for
// gigabytes.
func inflate(compressed []byte) ([]byte, error) {
	source := bytes.NewReader(compressed)
	z, err := zlib.NewReader(source)
	if err != nil {
		return nil, err
	}
	limited := &io.LimitedReader{R: z, N: maxEncoded}
	raw, err := io.ReadAll(limited) // to the end, where zlib compares its checksum
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errors.New("it is cut off")
	case err != nil:
		return nil, err
	case limited.N == 0:
		return nil, fmt.Errorf("it inflates to more than any has (%d bytes)", maxEncoded)
	case source.Len() != 0:
		return nil, fmt.Errorf("%d bytes too many", source.Len())
	}

	return raw, nil
}

// read fills d, which is empty, from the header and the counters.
func (d *Distribution) read(raw []byte) error {
	if len(raw) < innerHeader {
		return fmt.Errorf("its header has %d bytes instead of %d", len(raw), innerHeader)
	}
	payload := raw[innerHeader:]
	cookie, length := binary.BigEndian.Uint32(raw), binary.BigEndian.Uint32(raw[4:])
	// The number at 8, by which Java rotates its counters in memory, is not about their order here.
	figures := int32(binary.BigEndian.Uint32(raw[12:]))
	lowest, highest := int64(binary.BigEndian.Uint64(raw[16:])), int64(binary.BigEndian.Uint64(raw[24:]))
	ratio := math.Float64frombits(binary.BigEndian.Uint64(raw[32:]))

	unit := bits.Len64(uint64(max(lowest, 1))) - 1 // some libraries write 0 for 1
	switch {
	case cookie&^cookieWidth != plainCookie:
		return fmt.Errorf("its header begins with %#x, not with %#x", cookie, plainCookie|0x10)
	case int64(length) != int64(len(payload)):
		return fmt.Errorf("its counters have %d bytes and not %d, as its header says", len(payload), length)
	case figures != digits:
		return fmt.Errorf("it has %d significant digits, and not %d", figures, digits)
	case ratio != 1:
		return fmt.Errorf("its values are multiplied by %g, and not whole nanoseconds", ratio)
	case lowest < 0 || highest < 1 || unit > bits.Len64(uint64(Highest)):
		return fmt.Errorf("its range from %d to %d ns is impossible", lowest, highest)
	}

	return d.readCounters(payload, unit, octave(highest>>unit)<<halfBits+2*half)
}

// readCounters fills d from the counters of a histogram that has known of them, in units of 2^unit
// ns. A counter is a positive number; a negative one stands for as many counters that are zero.
func (d *Distribution) readCounters(payload []byte, unit, known int) error {
	var sum float64
	for at := 0; len(payload) > 0; {
		n, size := zigZag(payload)
		if size == 0 {
			return errors.New("its last counter is cut off")
		}
		payload = payload[size:]

		skip := int64(1)
		if n < 0 {
			skip = -n
		}
		if skip < 0 || skip > int64(known-at) { // the negative of the lowest number is itself
			return fmt.Errorf("it has more than the %d counters of its range", known)
		}
		if n > 0 {
			middle, err := d.addAt(at, unit, n)
			if err != nil {
				return err
			}
			sum += float64(n) * middle
		}
		at += int(skip)
	}
	d.Sum = duration(sum)

	return nil
}

// addAt adds n to the counters for what another histogram's counter at holds, and returns the
// middle of that one's range. Where that histogram is coarser, its highest value decides: a
// quantile is then never too low.
func (d *Distribution) addAt(at, unit int, n int64) (middle float64, err error) {
	lowest, highest := valueRange(at)
	if lowest > int64(Highest)>>unit {
		return 0, fmt.Errorf("it counts durations of more than %s", Highest)
	}
	if n > maxCount-d.Count {
		return 0, fmt.Errorf("it counts more than %d durations", int64(maxCount))
	}
	lowest, highest = lowest<<unit, (highest+1)<<unit-1

	i := index(highest)
	if d.Count == 0 {
		d.Min = time.Duration(lowest)
	}
	_, ours := valueRange(i)
	d.Max = time.Duration(ours)
	d.Count += n
	*d.counter(i) += uint64(n)

	return (float64(lowest) + float64(highest)) / 2, nil
}

// zigZag reads a number of one to nine bytes, of which all but the ninth say in their highest bit
// whether there is one more. The size is zero when it is cut off.
func zigZag(raw []byte) (n int64, size int) {
	const last = 8
	var value uint64
	for i, b := range raw {
		if i == last {
			value |= uint64(b) << (7 * last)

			return int64(value>>1) ^ -int64(value&1), last + 1
		}
		value |= uint64(b&0x7f) << (7 * i)
		if b&0x80 == 0 {
			return int64(value>>1) ^ -int64(value&1), i + 1
		}
	}

	return 0, 0
}

// duration is the nearest there is to ns nanoseconds.
func duration(ns float64) time.Duration {
	if ns >= math.MaxInt64 {
		return math.MaxInt64
	}

	return time.Duration(math.Round(ns))
}

// octave is the number of bits that v has above those that a counter tells apart.
func octave(v int64) int { return max(bits.Len64(uint64(v))-halfBits-1, 0) }
