package workload

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"sync/atomic"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/input"
)

// RateConfig holds the arguments of the hit-rate benchmark, under their names in scripts.
type RateConfig struct {
	Random    bool  `json:"random"`    // sizes are uniform from 12 to Item; otherwise all are Item
	Memory    int64 `json:"memory"`    // the server's memory limit, bytes
	Item      int64 `json:"item"`      // key and value of a case, bytes
	Hot       int64 `json:"hot"`       // percent of the cases that are hot
	Access    int64 `json:"access"`    // percent of the accesses that hit hot cases
	HotMemory int64 `json:"hotMemory"` // size of the hot cases, percent of Memory
}

// UnmarshalJSON reads a configuration. Memory and Item have no default.
func (c *RateConfig) UnmarshalJSON(raw []byte) error {
	type plain RateConfig
	*c = RateConfig{Hot: 20, Access: 80, HotMemory: 80}

	return input.Decode("config.", raw, (*plain)(c))
}

const (
	prefixSize = 12

	maxMemory = 1 << 50
	maxItem   = 1 << 30
	maxCases  = 1 << 24 // 16 bytes each, plus 32 for their accesses
	maxShare  = 1000    // largest HotMemory, percent
)

func (c *RateConfig) check() error {
	for _, option := range []struct {
		name               string
		value, least, most int64
	}{
		{"memory", c.Memory, 1, maxMemory}, {"item", c.Item, prefixSize, maxItem},
		{"hot", c.Hot, 1, 99}, {"access", c.Access, 0, 100}, {"hotMemory", c.HotMemory, 1, maxShare},
	} {
		if option.value < option.least || option.value > option.most {
			return fmt.Errorf("option config.%s must be from %d to %d, not %d", option.name, option.least, option.most, option.value)
		}
	}
	switch {
	case c.HotCases() < 1:
		return fmt.Errorf("options config.memory (%d) and config.item (%d) make %d cases, none of them hot; "+
			"more memory or smaller items are needed", c.Memory, c.Item, c.Cases())
	case c.Cases() > maxCases:
		return fmt.Errorf("options config.memory (%d) and config.item (%d) make %d cases, and at most %d can be; "+
			"larger items are needed", c.Memory, c.Item, c.Cases(), maxCases)
	}

	return nil
}

// Cases returns the number of keys, from the average size of a key and its value, as the original
// computes it.
func (c *RateConfig) Cases() int64 {
	average := c.Item
	if c.Random {
		average /= 2
	}

	return c.Memory * c.HotMemory / c.Hot / average
}

// HotCases returns the number of hot keys. They come first.
func (c *RateConfig) HotCases() int64 { return c.Cases() * c.Hot / 100 }

// Accesses returns the number of accesses in a pass: about 4 per case.
func (c *RateConfig) Accesses() int64 {
	perCase := int64(4)
	if c.Random {
		perCase *= 2
	}

	return perCase * c.Memory * c.HotMemory / c.Hot / c.Item
}

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

// NewBenchmark draws the cases and accesses of a configuration. An error names the invalid option.
func NewBenchmark(config RateConfig) (*Benchmark, error) {
	if err := config.check(); err != nil {
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

// Pass hands out the accesses of a pass in order, each once. Clients share it.
type Pass struct {
	bench    *Benchmark
	accesses []uint32
	next     atomic.Int64
}

// Warmup returns a new pass that fills the cache.
func (b *Benchmark) Warmup() *Pass { return &Pass{bench: b, accesses: b.accesses[:len(b.accesses)/2]} }

// Timed returns a new pass to be measured.
func (b *Benchmark) Timed() *Pass { return &Pass{bench: b, accesses: b.accesses[len(b.accesses)/2:]} }

// Next claims the next access and returns its case. ok is false at the end of the pass.
func (p *Pass) Next() (i int, ok bool) {
	at := p.next.Add(1) - 1
	if at >= int64(len(p.accesses)) {
		return 0, false
	}

	return int(p.accesses[at]), true
}

// Left returns the number of unclaimed accesses.
func (p *Pass) Left() int { return max(len(p.accesses)-int(p.next.Load()), 0) }
