package ycsb

import (
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
)

// theta is the exponent of YCSB's zipfian distributions (ZipfianGenerator.ZIPFIAN_CONSTANT).
const theta = 0.99

// The fixed number of items of ScrambledZipfianGenerator, and its sum of 1/i^theta.
const (
	scrambledItems = 10_000_000_001
	scrambledZeta  = 26.46902820178302
)

//nolint:gochecknoglobals // constants
var (
	alpha  = 1 / (1 - theta)
	second = 1 + math.Pow(0.5, theta)
)

// zipfian draws ranks from 0 as ZipfianGenerator does. Clients may share it.
//
// Source: J. Gray et al., Quickly generating billion-record synthetic databases, SIGMOD 1994.
type zipfian struct {
	items int64
	mu    sync.Mutex
	terms atomic.Pointer[terms]
}

type terms struct {
	items     int64
	zeta, eta float64
}

// newZipfian returns a distribution over items. zeta is its sum of 1/i^theta; 0 means that it is
// computed.
func newZipfian(items int64, zeta float64) *zipfian {
	z := &zipfian{items: items}
	if zeta == 0 {
		zeta = sum(0, items, 0)
	}
	z.terms.Store(z.with(items, zeta))

	return z
}

// with returns the terms of a sum. Like YCSB, it computes eta from the initial number of items.
func (z *zipfian) with(items int64, zeta float64) *terms {
	return &terms{items: items, zeta: zeta, eta: (1 - math.Pow(2/float64(z.items), 1-theta)) / (1 - second/zeta)}
}

func sum(after, items int64, zeta float64) float64 {
	for i := after; i < items; i++ {
		zeta += 1 / math.Pow(float64(i+1), theta)
	}

	return zeta
}

// draw returns a rank below items, which may have grown since the last draw.
func (z *zipfian) draw(random *rand.Rand, items int64) int64 {
	t := z.terms.Load()
	if items > t.items {
		t = z.grow(items)
	}

	return rankOf(random.Float64(), items, t)
}

func (z *zipfian) grow(items int64) *terms {
	z.mu.Lock()
	defer z.mu.Unlock()
	t := z.terms.Load()
	if items > t.items {
		t = z.with(items, sum(t.items, items, t.zeta))
		z.terms.Store(t)
	}

	return t
}

func rankOf(u float64, items int64, t *terms) int64 {
	uz := u * t.zeta
	switch {
	case uz < 1:
		return 0
	case uz < second:
		return 1
	default:
		return min(int64(float64(items)*math.Pow(t.eta*u-t.eta+1, alpha)), items-1)
	}
}

// fnvHash64 is YCSB's Utils.fnvhash64: FNV-1a over the eight bytes of n, lowest first, as an
// absolute value.
func fnvHash64(n int64) int64 {
	const offset, prime = 0xCBF29CE484222325, 1099511628211
	hash := uint64(offset)
	for range 8 {
		hash ^= uint64(n) & 0xff
		hash *= prime
		n >>= 8
	}
	if signed := int64(hash); signed >= 0 {
		return signed
	}

	return -int64(hash)
}
