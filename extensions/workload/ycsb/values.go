package ycsb

import (
	"bytes"
	"errors"
	"math/rand/v2"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/splitmix"
)

const (
	alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
	tagSize  = 11      // characters of 6 bits that hold 64
	starts   = 1 << 16 // where in the pool a value may start
)

// values makes values of fields: stretches of one pool of random characters.
type values struct {
	seed uint64
	pool []byte
}

func newValues(seed uint64, longest int) *values {
	random := rand.NewPCG(seed, splitmix.Mix(seed))
	pool := make([]byte, 0, longest+starts+10)
	for len(pool) < longest+starts {
		drawn := random.Uint64()
		for range 10 {
			pool = append(pool, alphabet[drawn&63])
			drawn >>= 6
		}
	}

	return &values{seed: splitmix.Mix(seed), pool: pool}
}

// random returns a value that says nothing of its record. It is not to be changed.
func (v *values) random(random *rand.Rand, length int) []byte {
	start := random.IntN(starts)

	return v.pool[start : start+length]
}

// appendOwn appends the one value that a field of the key can have with dataIntegrity: a tag that
// follows from both, and a stretch of the pool that follows from the tag.
func (v *values) appendOwn(buf, key []byte, field, length int) []byte {
	tag := v.seed
	for _, c := range key {
		tag = (tag ^ uint64(c)) * 1099511628211
	}
	tag = splitmix.Mix(tag + uint64(field))
	start := int(splitmix.Mix(tag) % starts)
	for range tagSize {
		buf = append(buf, alphabet[tag&63])
		tag >>= 6
	}

	return append(buf, v.pool[start+tagSize:start+length]...)
}

// ErrWrongValue is why a read has failed whose value is not that of the key and the field.
var ErrWrongValue = errors.New("data integrity: a field has not the value that was written to it")

// verify returns ErrWrongValue unless the value is that of the field.
func (v *values) verify(buf, key []byte, field int, value []byte, length int) ([]byte, error) {
	buf = v.appendOwn(buf[:0], key, field, length)
	if !bytes.Equal(buf, value) {
		return buf, ErrWrongValue
	}

	return buf, nil
}
