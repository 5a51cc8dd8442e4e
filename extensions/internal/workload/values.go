package workload

import (
	"bytes"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sort"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/workload/ycsb"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// Reasons why a value is wrong. All wrap ErrWrongValue.
var (
	ErrWrongValue = errors.New("wrong value")
	ErrWrongSize  = fmt.Errorf("%w: it does not have the size of this key's value", ErrWrongValue)
	ErrWrongKey   = fmt.Errorf("%w: it does not begin like this key's value", ErrWrongValue)
	ErrWrongBytes = fmt.Errorf("%w: it begins like this key's value and continues differently", ErrWrongValue)
)

// Values generates and verifies the values of keys. It is immutable.
//
// A value consists of letters, digits, - and _. It starts with a tag of 11 characters that is
// unique to its key, followed by a stretch of a shared random pool. A cache cannot compress it to
// less than three quarters. A value shorter than 11 bytes holds the start of its tag, which may not
// be unique.
type Values struct {
	seed   uint64
	sizes  Sizes
	bounds []float64
	pool   []byte
}

const (
	tagSize = ycsb.TagSize
	starts  = 1 << 16 // possible start offsets in the pool
)

func newValues(seed uint64, sizes Sizes) *Values {
	v := &Values{seed: measure.Scramble(seed), sizes: slices.Clone(sizes), pool: ycsb.Pool(seed, sizes.largest()+starts)}
	total := 0.0
	for _, r := range sizes {
		total += r.Weight
	}
	sum := 0.0
	for _, r := range sizes {
		sum += r.Weight
		v.bounds = append(v.bounds, sum/total)
	}

	return v
}

// Append appends the value of key i.
func (v *Values) Append(buf []byte, i int) []byte {
	tag, rest := v.parts(i)
	characters := ycsb.Tag(tag)
	buf = append(buf, characters[:min(tagSize, rest.size)]...)

	return append(buf, rest.pool...)
}

// Verify returns nil if value belongs to key i, and otherwise ErrWrongSize, ErrWrongKey or
// ErrWrongBytes.
func (v *Values) Verify(i int, value []byte) error {
	tag, rest := v.parts(i)
	if len(value) != rest.size {
		return ErrWrongSize
	}
	start := min(tagSize, rest.size)
	characters := ycsb.Tag(tag)
	if !bytes.Equal(value[:start], characters[:start]) {
		return ErrWrongKey
	}
	if !bytes.Equal(value[start:], rest.pool) {
		return ErrWrongBytes
	}

	return nil
}

type remainder struct {
	size int
	pool []byte
}

func (v *Values) parts(i int) (tag uint64, rest remainder) {
	tag = measure.Scramble(v.seed + uint64(i)) // Mix is a bijection, so tags are unique
	size := v.size(tag)
	if size <= tagSize {
		return tag, remainder{size: size}
	}
	start := int(measure.Scramble(tag+2) % starts)

	return tag, remainder{size: size, pool: v.pool[start+tagSize : start+size]}
}

func (v *Values) size(tag uint64) int {
	r := &v.sizes[0]
	if len(v.sizes) > 1 {
		const unit = 1.0 / (1 << 53)
		at := sort.SearchFloat64s(v.bounds, float64(measure.Scramble(tag+3)>>11)*unit)
		r = &v.sizes[min(at, len(v.sizes)-1)]
	}
	if r.Min == r.Max {
		return r.Min
	}
	high, _ := bits.Mul64(measure.Scramble(tag+1), uint64(r.Max-r.Min+1))

	return r.Min + int(high)
}
