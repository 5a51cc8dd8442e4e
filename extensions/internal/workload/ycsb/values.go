package ycsb

import (
	"bytes"
	"errors"
	"math/rand/v2"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

const alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"

// TagSize is the number of characters of 6 bits in a 64-bit tag.
const TagSize = 11

const starts = 1 << 16 // possible start offsets in the pool

// Tag returns the characters of a tag.
func Tag(tag uint64) (characters [TagSize]byte) {
	for at := range characters {
		characters[at] = alphabet[tag&63]
		tag >>= 6
	}

	return characters
}

// Pool returns at least size random characters of a seed.
func Pool(seed uint64, size int) []byte {
	const perDraw = 10
	random := rand.NewPCG(seed, measure.Scramble(seed))
	pool := make([]byte, 0, size+perDraw)
	for len(pool) < size {
		drawn := random.Uint64()
		for range perDraw {
			pool = append(pool, alphabet[drawn&63])
			drawn >>= 6
		}
	}

	return pool
}

type values struct {
	seed uint64
	pool []byte
}

func newValues(seed uint64, longest int) *values {
	return &values{seed: measure.Scramble(seed), pool: Pool(seed, longest+starts)}
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
	characters := Tag(tag)
	buf = append(buf, characters[:]...)

	return append(buf, v.pool[start+TagSize:start+length]...)
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
