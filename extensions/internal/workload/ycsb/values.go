package ycsb

import (
	"bytes"
	"errors"
	"math/rand/v2"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

const (
	alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
	tagSize  = 11      // characters of 6 bits for a 64-bit tag
	starts   = 1 << 16 // possible start offsets in the pool
)

type values struct {
	seed uint64
	pool []byte
}

func newValues(seed uint64, longest int) *values {
	random := rand.NewPCG(seed, measure.Scramble(seed))
	pool := make([]byte, 0, longest+starts+10)
	for len(pool) < longest+starts {
		drawn := random.Uint64()
		for range 10 {
			pool = append(pool, alphabet[drawn&63])
			drawn >>= 6
		}
	}

	return &values{seed: measure.Scramble(seed), pool: pool}
}

// Do not modify the result.
func (v *values) random(random *rand.Rand, length int) []byte {
	start := random.IntN(starts)

	return v.pool[start : start+length]
}

// appendOwn appends the value that a field must have with dataIntegrity: a tag derived from key and
// field, and a stretch of the pool derived from the tag.
func (v *values) appendOwn(buf, key []byte, field, length int) []byte {
	tag := v.seed
	for _, c := range key {
		tag = (tag ^ uint64(c)) * 1099511628211
	}
	tag = measure.Scramble(tag + uint64(field))
	start := int(measure.Scramble(tag) % starts)
	for range tagSize {
		buf = append(buf, alphabet[tag&63])
		tag >>= 6
	}

	return append(buf, v.pool[start+tagSize:start+length]...)
}

// ErrWrongValue is returned if a field does not have the value that belongs to its key.
var ErrWrongValue = errors.New("data integrity: a field has not the value that was written to it")

func (v *values) verify(buf, key []byte, field int, value []byte, length int) ([]byte, error) {
	buf = v.appendOwn(buf[:0], key, field, length)
	if !bytes.Equal(buf, value) {
		return buf, ErrWrongValue
	}

	return buf, nil
}
