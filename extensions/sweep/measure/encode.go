package measure

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"math"
	"sync"
)

// encoder holds reusable buffers: a report may have thousands of histograms, and a compressor takes
// a megabyte.
type encoder struct {
	plain      []byte
	compressed bytes.Buffer
	zlib       *zlib.Writer
}

var encoders = sync.Pool{New: func() any { //nolint:gochecknoglobals // a pool
	e := &encoder{}
	e.zlib, _ = zlib.NewWriterLevel(&e.compressed, zlib.BestCompression) // the level is valid

	return e
}}

// Encode returns the distribution as an HDR histogram (nanoseconds, 3 digits, compressed V2 format,
// base64), which HdrHistogram libraries can read.
func (d *Distribution) Encode() (string, error) {
	e := encoders.Get().(*encoder) //nolint:forcetypeassert // the pool has no others
	defer encoders.Put(e)
	e.compressed.Reset()
	e.compressed.Write(make([]byte, outerHeader))
	e.zlib.Reset(&e.compressed)
	e.plain = d.appendPlain(e.plain[:0])
	if _, err := e.zlib.Write(e.plain); err != nil {
		return "", err
	}
	if err := e.zlib.Close(); err != nil {
		return "", err
	}
	raw := e.compressed.Bytes()
	binary.BigEndian.PutUint32(raw, compressedCookie|0x10)
	binary.BigEndian.PutUint32(raw[4:], uint32(len(raw)-outerHeader))

	return base64.StdEncoding.EncodeToString(raw), nil
}

// appendPlain appends the header and the counters up to the last non-zero one. Two or more zeros
// are written as their negative number.
func (d *Distribution) appendPlain(to []byte) []byte {
	to = append(to, make([]byte, innerHeader)...)
	zeros := int64(0)
	for _, n := range d.counts {
		if n == 0 {
			zeros++

			continue
		}
		to = appendZeros(to, zeros)
		to = appendZigZag(to, int64(n))
		zeros = 0
	}
	if d.Count == 0 {
		to = appendZeros(to, 1)
	}
	binary.BigEndian.PutUint32(to, plainCookie|0x10)
	binary.BigEndian.PutUint32(to[4:], uint32(len(to)-innerHeader))
	binary.BigEndian.PutUint32(to[12:], digits)
	binary.BigEndian.PutUint64(to[16:], 1)
	binary.BigEndian.PutUint64(to[24:], uint64(Highest))
	binary.BigEndian.PutUint64(to[32:], math.Float64bits(1))

	return to
}

func appendZeros(to []byte, n int64) []byte {
	switch n {
	case 0:
		return to
	case 1:
		return appendZigZag(to, 0)
	}

	return appendZigZag(to, -n)
}

// appendZigZag appends a varint of one to nine bytes.
func appendZigZag(to []byte, n int64) []byte {
	value := uint64(n)<<1 ^ uint64(n>>63)
	for range 8 {
		if value < 0x80 {
			return append(to, byte(value))
		}
		to = append(to, byte(value)|0x80)
		value >>= 7
	}

	return append(to, byte(value))
}
