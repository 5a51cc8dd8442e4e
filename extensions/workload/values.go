package workload

import (
	"bytes"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sort"
	"sync"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/splitmix"
)

// Why a value is not what it has to be. All of them wrap ErrWrongValue.
var (
	ErrWrongValue = errors.New("wrong value")
	ErrWrongSize  = fmt.Errorf("%w: it has not the size of this key's value", ErrWrongValue)
	ErrWrongKey   = fmt.Errorf("%w: it does not begin as this key's value", ErrWrongValue)
	ErrWrongBytes = fmt.Errorf("%w: it begins as this key's value and goes on differently", ErrWrongValue)
)

// Values makes the values of keys and tells whether a value is a key's. It is immutable.
//
// A value is of letters, digits, - and _. It begins with a tag of 11 characters, which no two keys
// of a workload share, and goes on with a stretch of one pool, which is as random as such
// characters can be: a cache cannot compress it to less than three quarters. A value of less than
// 11 bytes holds the beginning of its tag, and two keys may share that.
type Values struct {
	seed   uint64
	sizes  Sizes
	bounds []float64 // cumulated weights, up to 1
	pool   []byte
}

// Pools keeps the bytes that values are cut from, one pool for a seed, so that all clients of a
// process share them. The zero value is ready.
type Pools struct {
	mu     sync.Mutex
	bySeed map[uint64][]byte
}

const (
	alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
	tagSize  = 11      // characters of 6 bits that hold 64
	starts   = 1 << 16 // where in the pool a value may start
)

func newValues(seed uint64, sizes Sizes, pools *Pools) *Values {
	v := &Values{seed: splitmix.Mix(seed), sizes: slices.Clone(sizes), pool: pools.get(seed, sizes.largest()+starts)}
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

// get returns at least size bytes of the seed's pool. A longer pool begins as a shorter one.
func (p *Pools) get(seed uint64, size int) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()

	if have := p.bySeed[seed]; len(have) >= size {
		return have
	}
	const perDraw = 10 // characters of 6 bits in 64
	random := rand.NewPCG(seed, splitmix.Mix(seed))
	pool := make([]byte, 0, size+perDraw)
	for len(pool) < size {
		drawn := random.Uint64()
		for range perDraw {
			pool = append(pool, alphabet[drawn&63])
			drawn >>= 6
		}
	}
	if p.bySeed == nil {
		p.bySeed = make(map[uint64][]byte)
	}
	p.bySeed[seed] = pool

	return pool
}

// Append appends the value of key i.
func (v *Values) Append(buf []byte, i int) []byte {
	tag, rest := v.parts(i)
	characters := alphabetical(tag)
	buf = append(buf, characters[:min(tagSize, rest.size)]...)

	return append(buf, rest.pool...)
}

// Size is the size of the value of key i, in bytes.
func (v *Values) Size(i int) int {
	_, rest := v.parts(i)

	return rest.size
}

// Verify returns nil when value is that of key i, and else ErrWrongSize, ErrWrongKey or
// ErrWrongBytes.
func (v *Values) Verify(i int, value []byte) error {
	tag, rest := v.parts(i)
	if len(value) != rest.size {
		return ErrWrongSize
	}
	start := min(tagSize, rest.size)
	characters := alphabetical(tag)
	if !bytes.Equal(value[:start], characters[:start]) {
		return ErrWrongKey
	}
	if !bytes.Equal(value[start:], rest.pool) {
		return ErrWrongBytes
	}

	return nil
}

// remainder is what follows a tag; size counts the tag as well.
type remainder struct {
	size int
	pool []byte
}

func (v *Values) parts(i int) (tag uint64, rest remainder) {
	tag = splitmix.Mix(v.seed + uint64(i)) // one to one: no two keys have the same
	size := v.size(tag)
	if size <= tagSize {
		return tag, remainder{size: size}
	}
	start := int(splitmix.Mix(tag+2) % starts)

	return tag, remainder{size: size, pool: v.pool[start+tagSize : start+size]}
}

func (v *Values) size(tag uint64) int {
	r := &v.sizes[0]
	if len(v.sizes) > 1 {
		const unit = 1.0 / (1 << 53)
		at := sort.SearchFloat64s(v.bounds, float64(splitmix.Mix(tag+3)>>11)*unit)
		r = &v.sizes[min(at, len(v.sizes)-1)]
	}
	if r.Min == r.Max {
		return r.Min
	}
	high, _ := bits.Mul64(splitmix.Mix(tag+1), uint64(r.Max-r.Min+1))

	return r.Min + int(high)
}

// alphabetical writes a tag in characters, 6 bits each, the lowest first.
func alphabetical(tag uint64) (characters [tagSize]byte) {
	for at := range characters {
		characters[at] = alphabet[tag&63]
		tag >>= 6
	}

	return characters
}
