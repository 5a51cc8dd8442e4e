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

// Compressed V2 format of HdrHistogram: a 4-byte cookie and length, then zlib data with a 40-byte
// header and counters. Numbers are big-endian. A digit of the cookie gives the counter width in
// older versions and is ignored. Source: AbstractHistogram.encodeIntoCompressedByteBuffer of
// github.com/HdrHistogram/HdrHistogram.
const (
	compressedCookie = 0x1c849304
	plainCookie      = 0x1c849303
	cookieWidth      = 0xf0
	outerHeader      = 8
	innerHeader      = 40
	digits           = 3

	// maxEncoded limits the base64 text. An incompressible histogram of 3 digits needs less: it has
	// 55,296 counters of 9 bytes.
	maxEncoded = 700_000

	// maxCount is the largest integer that JSON numbers hold exactly.
	maxCount = 1 << 53
)

// Decode reads the output of Encode and of other HdrHistogram libraries with 3 digits, in
// nanoseconds up to 1 h. Counters are exact; Min, Max and Sum have the counters' resolution (0.098
// %), see SetExact. It returns an error for invalid text, and never allocates more than a few
// megabytes.
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

func inflate(compressed []byte) ([]byte, error) {
	source := bytes.NewReader(compressed)
	z, err := zlib.NewReader(source)
	if err != nil {
		return nil, err
	}
	limited := &io.LimitedReader{R: z, N: maxEncoded}
	raw, err := io.ReadAll(limited) // reads the checksum too
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

// read fills the empty d from header and counters.
func (d *Distribution) read(raw []byte) error {
	if len(raw) < innerHeader {
		return fmt.Errorf("its header has %d bytes instead of %d", len(raw), innerHeader)
	}
	payload := raw[innerHeader:]
	cookie, length := binary.BigEndian.Uint32(raw), binary.BigEndian.Uint32(raw[4:])
	// The field at 8, used by Java's rotation in memory, does not affect the order here.
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

// readCounters fills d from known counters in units of 2^unit ns. A negative number stands for that
// many zero counters.
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
		if skip < 0 || skip > int64(known-at) { // -MinInt64 is itself
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

// addAt adds n values of the other histogram's counter at, and returns the middle of its range. A
// coarser counter is added at its highest value, so that quantiles are never too low.
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

// zigZag reads a varint of one to nine bytes. size is 0 if it is cut off.
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

// duration converts ns nanoseconds without overflow.
func duration(ns float64) time.Duration {
	if ns >= math.MaxInt64 {
		return math.MaxInt64
	}

	return time.Duration(math.Round(ns))
}

// octave returns the number of bits of v that a counter does not distinguish.
func octave(v int64) int { return max(bits.Len64(uint64(v))-halfBits-1, 0) }
