package workload

import (
	"encoding/base64"
	"encoding/binary"
	"math/rand/v2"
)

// Benchmark holds the cases and accesses of a configuration of a published hit-rate benchmark,
// imchuncai/umem-cache-benchmark (commit 17218b3, BSD-3-Clause), with the same keys, values,
// accesses and figures. It is immutable, and all clients share it.
//
// All draws come from one math/rand/v2 PCG(47, 47), in this order:
//   - a pool of 2*Item bytes, each 33 + IntN(94),
//   - for each case: if Random, the size of key and value, 12 + IntN(Item-12+1), otherwise Item;
//     the size of the key, 12 + IntN(min(250, size)-12+1); the start of the key in the pool,
//     IntN(2*Item-keySize+1); the start of the value, IntN(2*Item-valueSize+1),
//   - for each access: IntN(100), hot if below Access; then IntN(hot) or IntN(cold).
//
// The key of case i is the base64 of i as 8 big-endian bytes (12 characters), then its bytes of the
// pool after the first 12. The timed pass continues the draws of the warm-up. Clients claim
// accesses one after another, so the order of a pass does not depend on their number. An access
// reads a key and, on a miss, writes its value.
type Benchmark struct {
	config   RateConfig
	pool     []byte
	cases    []span
	hot      int
	accesses []uint32
}

// span has 16 bytes because there may be millions.
type span struct {
	key, value uint32 // start offsets
	valueSize  uint32
	keySize    uint8
}

const rateSeed = 47

// NewBenchmark draws the cases and accesses of a configuration. It returns Validate's error.
func NewBenchmark(config RateConfig) (*Benchmark, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	random := rand.New(rand.NewPCG(rateSeed, rateSeed))
	b := &Benchmark{
		config:   config,
		pool:     make([]byte, 2*config.Item),
		cases:    make([]span, config.Cases()),
		hot:      int(config.HotCases()),
		accesses: make([]uint32, 2*config.Accesses()),
	}
	const firstVisible, endVisible = 33, 127
	for i := range b.pool {
		b.pool[i] = byte(firstVisible + random.IntN(endVisible-firstVisible))
	}
	for i := range b.cases {
		b.cases[i] = b.drawCase(random)
	}
	for i := range b.accesses {
		b.accesses[i] = b.drawAccess(random)
	}

	return b, nil
}

func (b *Benchmark) drawCase(random *rand.Rand) span {
	size := int(b.config.Item)
	if b.config.Random {
		size = prefixSize + random.IntN(size-prefixSize+1)
	}
	keySize := prefixSize + random.IntN(min(maxKeySize, size)-prefixSize+1)
	valueSize := size - keySize

	return span{
		key:       uint32(random.IntN(len(b.pool) - keySize + 1)),
		value:     uint32(random.IntN(len(b.pool) - valueSize + 1)),
		valueSize: uint32(valueSize),
		keySize:   uint8(keySize),
	}
}

func (b *Benchmark) drawAccess(random *rand.Rand) uint32 {
	if random.IntN(100) < int(b.config.Access) {
		return uint32(random.IntN(b.hot))
	}

	return uint32(b.hot + random.IntN(len(b.cases)-b.hot))
}

// Config returns the configuration.
func (b *Benchmark) Config() RateConfig { return b.config }

// Hot reports whether case i is hot.
func (b *Benchmark) Hot(i int) bool { return i < b.hot }

// AppendKey appends the key of case i.
func (b *Benchmark) AppendKey(buf []byte, i int) []byte {
	var index [8]byte
	binary.BigEndian.PutUint64(index[:], uint64(i))
	buf = base64.StdEncoding.AppendEncode(buf, index[:])
	c := &b.cases[i]

	return append(buf, b.pool[c.key+prefixSize:c.key+uint32(c.keySize)]...)
}

// Value returns the value of case i. It points into shared memory; do not modify it.
func (b *Benchmark) Value(i int) []byte {
	c := &b.cases[i]
	end := c.value + c.valueSize

	return b.pool[c.value:end:end]
}
